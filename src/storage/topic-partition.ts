/** One partition of one topic. */
export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

/** `topic-partition`, which is also the name of its directory. */
export const directoryNameOf = ({ topic, partition }: TopicPartition): string => `${topic}-${partition}`;
