import { api, array, boolean, float64, int16, int32, string } from '../schema.ts';

/** AlterClientQuotas. KIP-546. */
export const alterClientQuotas = api({
  key: 49,
  name: 'AlterClientQuotas',
  versions: '0-1',
  flexible: '1+',
  listeners: ['broker', 'controller'],
  forwardable: true,
  request: {
    entries: array({
      entity: array({ entityType: string(), entityName: string({ nullable: '0+' }) }),
      ops: array({ key: string(), value: float64(), remove: boolean() }),
    }),
    validateOnly: boolean(),
  },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    entries: array({
      errorCode: int16({ default: 0 }),
      errorMessage: string({ nullable: '0+' }),
      entity: array({ entityType: string(), entityName: string({ nullable: '0+' }) }),
    }),
  },
});
