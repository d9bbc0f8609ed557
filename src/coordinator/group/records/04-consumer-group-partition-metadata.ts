import { array, int32, message, string, uuid } from '../../../protocol/schema.ts';

/** The partitions of the topics that a group subscribes to. */
export const consumerGroupPartitionMetadataKey = message({
  name: 'ConsumerGroupPartitionMetadataKey',
  key: 4,
  versions: '0',
  flexible: 'none',
  fields: { groupId: string() },
});

/** Their numbers and racks. Written by Kafka 4.0 and earlier. */
export const consumerGroupPartitionMetadataValue = message({
  name: 'ConsumerGroupPartitionMetadataValue',
  key: 4,
  versions: '0',
  flexible: '0+',
  fields: {
    topics: array({
      topicId: uuid(),
      topicName: string(),
      numPartitions: int32(),
      partitionMetadata: array({ partition: int32(), racks: array(string()) }),
    }),
  },
});
