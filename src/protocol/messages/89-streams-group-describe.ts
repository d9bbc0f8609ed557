import { api, array, boolean, int16, int32, int64, int8, string, struct, uint16 } from '../schema.ts';

const endpoint = { host: string(), port: uint16() };

const taskOffset = { subtopologyId: string(), partition: int32(), offset: int64() };

const taskIds = { subtopologyId: string(), partitions: array(int32()) };

const assignment = { activeTasks: array(taskIds), standbyTasks: array(taskIds), warmupTasks: array(taskIds) };

const keyValue = { key: string(), value: string() };

const topicInfo = { name: string(), partitions: int32(), replicationFactor: int16(), topicConfigs: array(keyValue) };

const topologyDescriptionNode = {
  name: string({ versions: '1+' }),
  nodeType: int8({ versions: '1+' }),
  sourceTopics: array(string(), { versions: '1+' }),
  sinkTopic: string({ versions: '1+', nullable: '1+', default: null }),
  stores: array(string(), { versions: '1+' }),
  successors: array(string(), { versions: '1+' }),
};

const topologyDescriptionSubtopology = {
  subtopologyId: string({ versions: '1+' }),
  nodes: array(topologyDescriptionNode, { versions: '1+' }),
};

const topologyDescriptionGlobalStore = {
  source: struct(topologyDescriptionNode, { versions: '1+' }),
  processor: struct(topologyDescriptionNode, { versions: '1+' }),
};

const topologyDescription = {
  subtopologies: array(topologyDescriptionSubtopology, { versions: '1+' }),
  globalStores: array(topologyDescriptionGlobalStore, { versions: '1+' }),
};

/** StreamsGroupDescribe. KIP-1071. */
export const streamsGroupDescribe = api({
  key: 89,
  name: 'StreamsGroupDescribe',
  versions: '0-1',
  flexible: '0+',
  listeners: ['broker'],
  request: {
    groupIds: array(string()),
    includeAuthorizedOperations: boolean(),
    includeTopologyDescription: boolean({ versions: '1+', default: false }),
  },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    groups: array({
      errorCode: int16({ default: 0 }),
      errorMessage: string({ nullable: '0+', default: null }),
      groupId: string(),
      groupState: string(),
      groupEpoch: int32(),
      assignmentEpoch: int32(),
      topology: struct(
        {
          epoch: int32(),
          subtopologies: array(
            {
              subtopologyId: string(),
              sourceTopics: array(string()),
              repartitionSinkTopics: array(string()),
              stateChangelogTopics: array(topicInfo),
              repartitionSourceTopics: array(topicInfo),
            },
            { nullable: '0+', default: null },
          ),
        },
        { nullable: '0+', default: null },
      ),
      members: array({
        memberId: string(),
        memberEpoch: int32(),
        instanceId: string({ nullable: '0+', default: null }),
        rackId: string({ nullable: '0+', default: null }),
        clientId: string(),
        clientHost: string(),
        topologyEpoch: int32(),
        processId: string(),
        userEndpoint: struct(endpoint, { nullable: '0+', default: null }),
        clientTags: array(keyValue),
        taskOffsets: array(taskOffset),
        taskEndOffsets: array(taskOffset),
        assignment: struct(assignment),
        targetAssignment: struct(assignment),
        isClassic: boolean(),
      }),
      authorizedOperations: int32({ default: -2_147_483_648 }),
      topologyDescription: struct(topologyDescription, { versions: '1+', nullable: '1+', default: null }),
      topologyDescriptionStatus: int8({ versions: '1+', default: 0 }),
      assignorName: string({ versions: '1+', nullable: '1+', ignorable: true, default: null }),
    }),
  },
});
