import { deleteGroups } from '../../client/admin-groups.ts';
import { deleteGroupOffsets } from '../../client/admin-group-offsets.ts';
import type { Client } from '../../client/client.ts';
import { comparePlaces, keyOf, type TopicPartition } from '../../client/topic-partition.ts';
import { type ErrorName, KafkaError } from '../../protocol/errors.ts';
import { usageError } from '../cli-error.ts';
import { type ClusterOptions, withClient } from '../cluster-option.ts';
import { type GroupSelection, selectedGroups, selectedNames } from '../groups/group-selection.ts';
import { inKafkaWords, kafkaExceptionText, kafkaMessage, printKafkaError } from '../groups/kafka-words.ts';
import { partitionsMeant, topicArgument, type TopicArgument } from '../groups/partition-arguments.ts';
import type { Terminal } from '../terminal.ts';

export interface DeleteOptions extends ClusterOptions, GroupSelection {}

/** Deletes groups without members, with their offsets. */
export async function deleteGroupsCommand(terminal: Terminal, named: readonly string[], options: DeleteOptions): Promise<void> {
  selectedNames(named, options);
  await withClient(options, (client) =>
    inKafkaWords(terminal, options, async () => {
      const results = await deleteGroups(client, await selectedGroups(client, named, options));
      const quoted = (ids: readonly string[]): string => ids.map((id) => `'${id}'`).join(', ');
      const deleted = [...results].flatMap(([id, error]) => (error === null ? [id] : []));
      const failed = [...results].flatMap(([id, error]) => (error === null ? [] : [{ id, error }]));
      if (failed.length > 0) terminal.exitCode = 1;
      if (options.json === true) {
        const rows = [...results].map(([groupId, error]) => ({ groupId, deleted: error === null, ...errorJson(error) }));
        terminal.line(JSON.stringify(rows));
      } else if (failed.length === 0) terminal.line(`Deletion of requested consumer groups (${quoted(deleted)}) was successful.`);
      else {
        printKafkaError(terminal, 'Deletion of some consumer groups failed:');
        for (const { id, error } of failed)
          terminal.line(`* Group '${id}' could not be deleted due to: ${kafkaExceptionText(error)}`);
        if (deleted.length > 0) terminal.line(`\nThese consumer groups were deleted successfully: ${quoted(deleted)}`);
      }
    }),
  );
}

const errorJson = (error: KafkaError | null): object =>
  error === null ? {} : { error: error.errorName, message: error.message };

export interface DeleteOffsetsOptions extends ClusterOptions {
  readonly group?: string;
  readonly topic?: readonly string[];
}

interface Outcome extends TopicPartition {
  readonly error: KafkaError | null;
}

/** Makes a group forget what it has committed of partitions. */
export async function deleteOffsetsCommand(
  terminal: Terminal,
  group: string | undefined,
  options: DeleteOffsetsOptions,
): Promise<void> {
  const groupId = group ?? options.group;
  if (groupId === undefined || (group !== undefined && options.group !== undefined))
    throw usageError('One group has to be named');
  const topics = (options.topic ?? []).map(topicArgument);
  if (topics.length === 0) throw usageError('No topic is named', 'Name them with --topic TOPIC or --topic TOPIC:0,1.');
  await withClient(options, (client) =>
    inKafkaWords(terminal, options, async () => {
      const { error: whole, outcomes } = await outcomesOf(client, groupId, topics);
      if (whole !== null || outcomes.some(({ error }) => error !== null)) terminal.exitCode = 1;
      if (options.json === true) {
        terminal.line(
          JSON.stringify(
            outcomes.map(({ topic, partition, error }) => ({ topic, partition, deleted: error === null, ...errorJson(error) })),
          ),
        );
        return;
      }
      printOutcome(terminal, groupId, whole, outcomes);
    }),
  );
}

/** Partition −1 stands for a topic that does not exist. */
async function outcomesOf(client: Client, groupId: string, topics: readonly TopicArgument[]): Promise<WholeOutcome> {
  const { places, errors } = await partitionsMeant(client, topics);
  const missing = topics.flatMap(({ topic, partitions }) => {
    const error = partitions === null ? errors.get(topic) : undefined;
    return error === undefined ? [] : [{ topic, partition: -1, error: new KafkaError(error) }];
  });
  const { error, outcomes } = await deleteOf(client, groupId, places);
  return { error, outcomes: [...missing, ...outcomes].sort(comparePlaces) };
}

interface WholeOutcome {
  /** What the coordinator says of the whole group, or the first of what it says of partitions. */
  readonly error: KafkaError | null;
  readonly outcomes: Outcome[];
}

async function deleteOf(client: Client, groupId: string, places: readonly TopicPartition[]): Promise<WholeOutcome> {
  try {
    const errors = await deleteGroupOffsets(client, groupId, places);
    const errorOf = (name: ErrorName | undefined): KafkaError | null => (name === undefined ? null : new KafkaError(name));
    const outcomes = places.map((place) => ({ ...place, error: errorOf(errors.get(keyOf(place))) }));
    return { error: outcomes.find(({ error }) => error !== null)?.error ?? null, outcomes };
  } catch (error) {
    if (!(error instanceof KafkaError)) throw error;
    return { error, outcomes: places.map((place) => ({ ...place, error })) };
  }
}

function printOutcome(terminal: Terminal, groupId: string, error: KafkaError | null, outcomes: readonly Outcome[]): void {
  if (error === null) terminal.line(`Request succeeded for deleting offsets from group ${groupId}.`);
  else printKafkaError(terminal, outcomeText(error));
  const topicWidth = Math.max(15, ...outcomes.map(({ topic }) => topic.length));
  const line = (topic: string, partition: string, status: string): string =>
    `\n${topic.padEnd(topicWidth)} ${partition.padEnd(10)} ${status.padEnd(15)}`;
  const lines = outcomes.map(({ topic, partition, error: failure }) =>
    line(
      topic,
      partition < 0 ? '-' : String(partition),
      failure === null ? 'Successful' : `Error: ${kafkaExceptionText(failure)}`,
    ),
  );
  terminal.data(`${line('TOPIC', 'PARTITION', 'STATUS')}${lines.join('')}\n`);
}

function outcomeText(error: KafkaError): string {
  switch (error.errorName) {
    case 'INVALID_GROUP_ID':
    case 'GROUP_ID_NOT_FOUND':
    case 'GROUP_AUTHORIZATION_FAILED':
    case 'NON_EMPTY_GROUP':
      return kafkaMessage(error);
    case 'GROUP_SUBSCRIBED_TO_TOPIC':
    case 'TOPIC_AUTHORIZATION_FAILED':
    case 'UNKNOWN_TOPIC_OR_PARTITION':
      return 'Encountered some partition-level error, see the follow-up details.';
    default:
      return `Encountered some unknown error: ${error.errorName}`;
  }
}
