import { api, boolean, int16, int32, int64, string } from '../schema.ts';

/** EndTxn. v5 answers with the producer's next id and epoch (KIP-890). */
export const endTxn = api({
  key: 26,
  name: 'EndTxn',
  versions: '0-5',
  flexible: '3+',
  listeners: ['broker'],
  request: { transactionalId: string(), producerId: int64(), producerEpoch: int16(), committed: boolean() },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    errorCode: int16({ default: 0 }),
    producerId: int64({ versions: '5+', ignorable: true, default: -1 }),
    producerEpoch: int16({ versions: '5+', ignorable: true, default: -1 }),
  },
});
