import { array, int16, int32, message, string } from '../../../protocol/schema.ts';

const topicConfig = { key: string(), value: string() };

const topicInfo = { name: string(), partitions: int32(), replicationFactor: int16(), topicConfigs: array(topicConfig) };

/** The topology of a streams group. */
export const streamsGroupTopologyKey = message({
  name: 'StreamsGroupTopologyKey',
  key: 23,
  versions: '0',
  flexible: 'none',
  fields: { groupId: string() },
});

/** Its subtopologies with their topics. */
export const streamsGroupTopologyValue = message({
  name: 'StreamsGroupTopologyValue',
  key: 23,
  versions: '0',
  flexible: '0+',
  fields: {
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
});
