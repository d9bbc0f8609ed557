import { api, array, boolean, int16, int32, int64, int8, string, struct, uint16 } from '../schema.ts';

const keyValue = { key: string(), value: string() };

const topicInfo = { name: string(), partitions: int32(), replicationFactor: int16(), topicConfigs: array(keyValue) };

const endpoint = { host: string(), port: uint16() };

const taskOffset = { subtopologyId: string(), partition: int32(), offset: int64() };

const taskIds = { subtopologyId: string(), partitions: array(int32()) };

const status = { statusCode: int8(), statusDetail: string() };

const topicPartition = { topic: string(), partitions: array(int32()) };

const responseTaskIds = { subtopologyId: string(), partitions: array(int32()) };

const responseEndpoint = { host: string(), port: uint16() };

/** StreamsGroupHeartbeat. KIP-1071. */
export const streamsGroupHeartbeat = api({
  key: 88,
  name: 'StreamsGroupHeartbeat',
  versions: '0-1',
  flexible: '0+',
  listeners: ['broker'],
  request: {
    groupId: string(),
    memberId: string(),
    memberEpoch: int32(),
    endpointInformationEpoch: int32(),
    instanceId: string({ nullable: '0+', default: null }),
    rackId: string({ nullable: '0+', default: null }),
    rebalanceTimeoutMs: int32({ default: -1 }),
    topology: struct(
      {
        epoch: int32(),
        subtopologies: array({
          subtopologyId: string(),
          sourceTopics: array(string()),
          sourceTopicRegex: array(string()),
          stateChangelogTopics: array(topicInfo),
          repartitionSinkTopics: array(string()),
          repartitionSourceTopics: array(topicInfo),
          copartitionGroups: array({
            sourceTopics: array(int16()),
            sourceTopicRegex: array(int16()),
            repartitionSourceTopics: array(int16()),
          }),
        }),
      },
      { nullable: '0+', default: null },
    ),
    activeTasks: array(taskIds, { nullable: '0+', default: null }),
    standbyTasks: array(taskIds, { nullable: '0+', default: null }),
    warmupTasks: array(taskIds, { nullable: '0+', default: null }),
    processId: string({ nullable: '0+', default: null }),
    userEndpoint: struct(endpoint, { nullable: '0+', default: null }),
    clientTags: array(keyValue, { nullable: '0+', default: null }),
    taskOffsets: array(taskOffset, { nullable: '0+', default: null }),
    taskEndOffsets: array(taskOffset, { nullable: '0+', default: null }),
    shutdownApplication: boolean({ default: false }),
  },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    errorCode: int16({ default: 0 }),
    errorMessage: string({ nullable: '0+', default: null }),
    memberId: string(),
    memberEpoch: int32(),
    heartbeatIntervalMs: int32(),
    acceptableRecoveryLagLegacy: int32({ versions: '0', default: 0 }),
    taskOffsetIntervalMs: int32(),
    acceptableRecoveryLag: int64({ versions: '1+', ignorable: true, default: -1 }),
    status: array(status, { nullable: '0+' }),
    activeTasks: array(responseTaskIds, { nullable: '0+', default: null }),
    standbyTasks: array(responseTaskIds, { nullable: '0+', default: null }),
    warmupTasks: array(responseTaskIds, { nullable: '0+', default: null }),
    topologyDescriptionRequired: boolean({ versions: '1+', default: false }),
    endpointInformationEpoch: int32(),
    partitionsByUserEndpoint: array(
      {
        userEndpoint: struct(responseEndpoint),
        activePartitions: array(topicPartition),
        standbyPartitions: array(topicPartition),
      },
      { nullable: '0+', default: null },
    ),
  },
});
