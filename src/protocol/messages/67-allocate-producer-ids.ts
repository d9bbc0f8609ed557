import { api, int16, int32, int64 } from '../schema.ts';

/** AllocateProducerIds. KIP-730. */
export const allocateProducerIds = api({
  key: 67,
  name: 'AllocateProducerIds',
  versions: '0',
  flexible: '0+',
  listeners: ['controller'],
  clusterAction: true,
  forwardable: true,
  request: { brokerId: int32(), brokerEpoch: int64({ default: -1 }) },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    errorCode: int16({ default: 0 }),
    producerIdStart: int64(),
    producerIdLen: int32(),
  },
});
