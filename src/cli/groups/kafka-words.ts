import { type ErrorName, KafkaError, textOf } from '../../protocol/errors.ts';
import type { Terminal } from '../terminal.ts';

/** How kafka-consumer-groups names failures, where that is not the error's own name with Exception behind it. */
const EXCEPTIONS: Partial<Record<ErrorName, string>> = {
  NON_EMPTY_GROUP: 'GroupNotEmptyException',
  INVALID_TOPIC_EXCEPTION: 'InvalidTopicException',
  REQUEST_TIMED_OUT: 'TimeoutException',
  OFFSET_METADATA_TOO_LARGE: 'OffsetMetadataTooLarge',
  GROUP_AUTHORIZATION_FAILED: 'GroupAuthorizationException',
  TOPIC_AUTHORIZATION_FAILED: 'TopicAuthorizationException',
  CLUSTER_AUTHORIZATION_FAILED: 'ClusterAuthorizationException',
};

/** What it says of them, where the broker said nothing itself: scripts look for these words. */
const MESSAGES: Partial<Record<ErrorName, string>> = {
  GROUP_ID_NOT_FOUND: 'The group id does not exist.',
  NON_EMPTY_GROUP: 'The group is not empty.',
  GROUP_SUBSCRIBED_TO_TOPIC: 'Deleting offsets of a topic is forbidden while the consumer group is actively subscribed to it.',
  INVALID_GROUP_ID: 'The configured groupId is invalid.',
  UNKNOWN_TOPIC_OR_PARTITION: 'This server does not host this topic-partition.',
  GROUP_AUTHORIZATION_FAILED: 'Group authorization failed.',
  TOPIC_AUTHORIZATION_FAILED: 'Topic authorization failed.',
  UNKNOWN_MEMBER_ID: 'The coordinator is not aware of this member.',
  REBALANCE_IN_PROGRESS: 'The group is rebalancing, so a rejoin is needed.',
  COORDINATOR_NOT_AVAILABLE: 'The coordinator is not available.',
  COORDINATOR_LOAD_IN_PROGRESS: "The coordinator is loading and hence can't process requests.",
  NOT_COORDINATOR: 'This is not the correct coordinator.',
  OFFSET_METADATA_TOO_LARGE: 'The metadata field of the offset request was too large.',
};

export const kafkaMessage = ({ errorName, message }: KafkaError): string =>
  message === textOf(errorName) ? (MESSAGES[errorName] ?? message) : message;

export const kafkaExceptionText = (error: KafkaError): string =>
  `org.apache.kafka.common.errors.${EXCEPTIONS[error.errorName] ?? `${camelCase(error.errorName)}Exception`}: ${kafkaMessage(error)}`;

const camelCase = (name: string): string =>
  name
    .toLowerCase()
    .split('_')
    .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .join('');

/** Says an error where kafka-consumer-groups says it. Unlike there, the exit status tells, too. */
export function printKafkaError(terminal: Terminal, text: string): void {
  terminal.data(`\nError: ${text}\n`);
  terminal.exitCode = 1;
}

interface WordsOptions {
  readonly json?: boolean | undefined;
  /** The tool says the name of the exception as well, but for what it resets. */
  readonly withException?: boolean;
}

/** Does the work of a command and tells what a broker refuses in the words of kafka-consumer-groups; with `--json` as any other command. */
export async function inKafkaWords(terminal: Terminal, options: WordsOptions, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof KafkaError) || options.json === true) throw error;
    const text = options.withException === false ? kafkaMessage(error) : kafkaExceptionText(error);
    printKafkaError(terminal, `Executing consumer group command failed due to ${text}`);
    const remedy = REMEDIES[error.errorName];
    if (remedy !== undefined) terminal.note(remedy);
  }
}

const REMEDIES: Partial<Record<ErrorName, string>> = {
  GROUP_ID_NOT_FOUND: 'See which groups exist with "ottla groups list --all-types".',
  COORDINATOR_NOT_AVAILABLE:
    'The brokers have no coordinator for the group at the moment; look whether __consumer_offsets has leaders.',
  UNKNOWN_TOPIC_OR_PARTITION: 'See what exists with "ottla topics describe".',
  GROUP_AUTHORIZATION_FAILED: 'Ask for the permission on this group, or use other credentials.',
};
