import { api, array, boolean, float64, int16, int32, int8, string } from '../schema.ts';

/** DescribeClientQuotas. KIP-546. */
export const describeClientQuotas = api({
  key: 48,
  name: 'DescribeClientQuotas',
  versions: '0-1',
  flexible: '1+',
  listeners: ['broker'],
  request: {
    components: array({ entityType: string(), matchType: int8(), match: string({ nullable: '0+' }) }),
    strict: boolean(),
  },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    errorCode: int16({ default: 0 }),
    errorMessage: string({ nullable: '0+' }),
    entries: array(
      {
        entity: array({ entityType: string(), entityName: string({ nullable: '0+' }) }),
        values: array({ key: string(), value: float64() }),
      },
      { nullable: '0+' },
    ),
  },
});
