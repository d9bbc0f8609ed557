import { api, array, int16, int32, int8, string, struct } from '../schema.ts';

const topologyDescriptionNode = {
  name: string(),
  nodeType: int8(),
  sourceTopics: array(string()),
  sinkTopic: string({ nullable: '0+', default: null }),
  stores: array(string()),
  successors: array(string()),
};

const topologyDescriptionSubtopology = { subtopologyId: string(), nodes: array(topologyDescriptionNode) };

const topologyDescriptionGlobalStore = { source: struct(topologyDescriptionNode), processor: struct(topologyDescriptionNode) };

const topologyDescription = {
  subtopologies: array(topologyDescriptionSubtopology),
  globalStores: array(topologyDescriptionGlobalStore),
};

/** StreamsGroupTopologyDescriptionUpdate. Streams clients describe their topology for those who ask about the group. */
export const streamsGroupTopologyDescriptionUpdate = api({
  key: 93,
  name: 'StreamsGroupTopologyDescriptionUpdate',
  versions: '0',
  flexible: '0+',
  listeners: ['broker'],
  request: { groupId: string(), memberId: string(), topologyEpoch: int32(), topologyDescription: struct(topologyDescription) },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    errorCode: int16({ default: 0 }),
    errorMessage: string({ nullable: '0+', default: null }),
  },
});
