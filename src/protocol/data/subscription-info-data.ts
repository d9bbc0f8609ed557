import { array, bytes, int32, int64, int8, message, string, uuid } from '../schema.ts';

const taskId = { topicGroupId: int32({ versions: '1-6' }), partition: int32({ versions: '1-6' }) };

const partitionToOffsetSum = { partition: int32({ versions: '7-9' }), offsetSum: int64({ versions: '7-9' }) };

const taskOffsetSum = {
  topicGroupId: int32({ versions: '7+' }),
  partition: int32({ versions: '10+' }),
  offsetSum: int64({ versions: '10+' }),
  namedTopology: string({ versions: '10+', nullable: '10+' }),
  partitionToOffsetSum: array(partitionToOffsetSum, { versions: '7-9' }),
};

const clientTag = { key: bytes({ versions: '11+' }), value: bytes({ versions: '11+' }) };

/** What a Kafka Streams member tells in its subscription's user data. */
export const subscriptionInfoData = message({
  name: 'SubscriptionInfoData',
  versions: '1-11',
  flexible: 'none',
  fields: {
    version: int32(),
    latestSupportedVersion: int32({ versions: '3+', default: -1 }),
    processId: uuid(),
    prevTasks: array(taskId, { versions: '1-6' }),
    standbyTasks: array(taskId, { versions: '1-6' }),
    userEndPoint: bytes({ versions: '2+' }),
    taskOffsetSums: array(taskOffsetSum, { versions: '7+' }),
    uniqueField: int8({ versions: '8+' }),
    errorCode: int32({ versions: '9+' }),
    clientTags: array(clientTag, { versions: '11+' }),
  },
});
