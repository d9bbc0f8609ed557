import { usageError } from './cli-error.ts';

/** A pattern of topics and a range of their partitions. */
export interface TopicPartitionSpec {
  readonly topic: RegExp;
  readonly from: number;
  /** Not included. */
  readonly to: number;
}

/**
 * Reads what kafka-get-offsets takes: comma-separated `TOPIC_PATTERN:PARTITIONS`, where either half may be missing, and partitions are
 * `N`, `N-M` (without M), `N-` or `-M`.
 */
export function parseTopicPartitions(text: string): TopicPartitionSpec[] {
  return text.split(',').map((rule) => {
    const match = /^(?<topic>[^:]*)(?::(?:(?<only>\d+)|(?<from>\d*)-(?<to>\d*))?)?$/.exec(rule.trim());
    if (match === null)
      throw usageError(
        `"${rule}" is not a topic and partitions`,
        'Write TOPIC_PATTERN:N, TOPIC_PATTERN:N-M, :N or TOPIC_PATTERN.',
      );
    const { topic = '', only, from = '', to = '' } = match.groups ?? {};
    const range =
      only === undefined
        ? { from: from === '' ? 0 : Number(from), to: to === '' ? Infinity : Number(to) }
        : { from: Number(only), to: Number(only) + 1 };
    try {
      return { topic: new RegExp(`^(?:${topic === '' ? '.*' : topic})$`), ...range };
    } catch (error) {
      throw usageError(`"${topic}" is not a regular expression: ${String(error)}`);
    }
  });
}

export const matchesSpec = (spec: TopicPartitionSpec, topic: string, partition: number): boolean =>
  partition >= spec.from && partition < spec.to && spec.topic.test(topic);
