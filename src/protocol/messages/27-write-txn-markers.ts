import { api, array, boolean, int16, int32, int64, int8, string } from '../schema.ts';

/** WriteTxnMarkers. KIP-98. */
export const writeTxnMarkers = api({
  key: 27,
  name: 'WriteTxnMarkers',
  versions: '1-2',
  flexible: '1+',
  listeners: ['broker'],
  clusterAction: true,
  request: {
    markers: array({
      producerId: int64(),
      producerEpoch: int16(),
      transactionResult: boolean(),
      topics: array({ name: string(), partitionIndexes: array(int32()) }),
      coordinatorEpoch: int32(),
      transactionVersion: int8({ versions: '2+', ignorable: true, default: 0 }),
    }),
  },
  response: {
    markers: array({
      producerId: int64(),
      topics: array({ name: string(), partitions: array({ partitionIndex: int32(), errorCode: int16({ default: 0 }) }) }),
    }),
  },
});
