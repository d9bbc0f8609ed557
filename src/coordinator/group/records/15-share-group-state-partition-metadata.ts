import { array, int32, message, string, uuid } from '../../../protocol/schema.ts';

const topicPartitionsInfo = { topicId: uuid(), topicName: string(), partitions: array(int32()) };

const topicInfo = { topicId: uuid(), topicName: string() };

/** The partitions of which the share coordinator keeps state for a group. */
export const shareGroupStatePartitionMetadataKey = message({
  name: 'ShareGroupStatePartitionMetadataKey',
  key: 15,
  versions: '0',
  flexible: 'none',
  fields: { groupId: string() },
});

/** Those with state, those being given one, and topics being deleted. */
export const shareGroupStatePartitionMetadataValue = message({
  name: 'ShareGroupStatePartitionMetadataValue',
  key: 15,
  versions: '0',
  flexible: '0+',
  fields: {
    initializingTopics: array(topicPartitionsInfo),
    initializedTopics: array(topicPartitionsInfo),
    deletingTopics: array(topicInfo),
  },
});
