import { api, array, boolean, int16, int32, string } from '../schema.ts';

/** CreatePartitions. KIP-195. */
export const createPartitions = api({
  key: 37,
  name: 'CreatePartitions',
  versions: '0-3',
  flexible: '2+',
  listeners: ['broker', 'controller'],
  forwardable: true,
  request: {
    topics: array({
      name: string({ mapKey: true }),
      count: int32(),
      assignments: array({ brokerIds: array(int32()) }, { nullable: '0+' }),
    }),
    timeoutMs: int32(),
    validateOnly: boolean(),
  },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    results: array({ name: string(), errorCode: int16({ default: 0 }), errorMessage: string({ nullable: '0+', default: null }) }),
  },
});
