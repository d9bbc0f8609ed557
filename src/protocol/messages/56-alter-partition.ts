import { api, array, int16, int32, int64, int8, uuid } from '../schema.ts';

/** AlterPartition. KIP-497; v2 names topics by id, v3 carries broker epochs (KIP-903). */
export const alterPartition = api({
  key: 56,
  name: 'AlterPartition',
  versions: '2-3',
  flexible: '0+',
  listeners: ['controller'],
  clusterAction: true,
  request: {
    brokerId: int32(),
    brokerEpoch: int64({ default: -1 }),
    topics: array({
      topicId: uuid({ ignorable: true }),
      partitions: array({
        partitionIndex: int32(),
        leaderEpoch: int32(),
        newIsr: array(int32(), { versions: '0-2', default: [] }),
        newIsrWithEpochs: array({ brokerId: int32(), brokerEpoch: int64({ default: -1 }) }, { versions: '3+' }),
        leaderRecoveryState: int8({ default: 0 }),
        partitionEpoch: int32(),
      }),
    }),
  },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    errorCode: int16({ default: 0 }),
    topics: array({
      topicId: uuid({ ignorable: true }),
      partitions: array({
        partitionIndex: int32(),
        errorCode: int16({ default: 0 }),
        leaderId: int32(),
        leaderEpoch: int32(),
        isr: array(int32()),
        leaderRecoveryState: int8({ ignorable: true, default: 0 }),
        partitionEpoch: int32(),
      }),
    }),
  },
});
