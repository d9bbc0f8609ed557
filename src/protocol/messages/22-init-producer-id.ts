import { api, boolean, int16, int32, int64, string } from '../schema.ts';

/**
 * InitProducerId. v3 lets a producer raise its epoch (KIP-360); v6 is for two-phase commit (KIP-939) and not offered by
 * default.
 */
export const initProducerId = api({
  key: 22,
  name: 'InitProducerId',
  versions: '0-6',
  flexible: '2+',
  listeners: ['broker'],
  unstable: '6',
  request: {
    transactionalId: string({ nullable: '0+' }),
    transactionTimeoutMs: int32(),
    producerId: int64({ versions: '3+', default: -1 }),
    producerEpoch: int16({ versions: '3+', default: -1 }),
    enable2Pc: boolean({ versions: '6+', default: false }),
    keepPreparedTxn: boolean({ versions: '6+', default: false }),
  },
  response: {
    throttleTimeMs: int32({ ignorable: true, default: 0 }),
    errorCode: int16({ default: 0 }),
    producerId: int64({ default: -1 }),
    producerEpoch: int16(),
    ongoingTxnProducerId: int64({ versions: '6+', default: -1 }),
    ongoingTxnProducerEpoch: int16({ versions: '6+', default: -1 }),
  },
});
