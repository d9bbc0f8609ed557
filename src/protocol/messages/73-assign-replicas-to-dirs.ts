import { api, array, int16, int32, int64, uuid } from '../schema.ts';

/** AssignReplicasToDirs. KIP-858. */
export const assignReplicasToDirs = api({
  key: 73,
  name: 'AssignReplicasToDirs',
  versions: '0',
  flexible: '0+',
  listeners: ['controller'],
  request: {
    brokerId: int32(),
    brokerEpoch: int64({ default: -1 }),
    directories: array({ id: uuid(), topics: array({ topicId: uuid(), partitions: array({ partitionIndex: int32() }) }) }),
  },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    errorCode: int16({ default: 0 }),
    directories: array({
      id: uuid(),
      topics: array({ topicId: uuid(), partitions: array({ partitionIndex: int32(), errorCode: int16({ default: 0 }) }) }),
    }),
  },
});
