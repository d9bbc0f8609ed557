import { type ErrorName, errorNameOf, KafkaError } from '../protocol/errors.ts';
import { offsetDelete } from '../protocol/messages/47-offset-delete.ts';
import type { Client } from './client.ts';
import { askCoordinators } from './groups/coordinators.ts';
import { type GroupOffsets, type OffsetToCommit, requestCommit, requestOffsets } from './groups/group-offsets.ts';
import { noMember } from './groups/membership.ts';
import { keyOf, partitionsByTopic, type TopicPartition } from './topic-partition.ts';

/** Groups whose offsets are asked for in one request: an answer holds all that they have committed. */
const GROUPS_A_REQUEST = 100;

/** All that each group has committed, by partition; `told` hears how many groups are done. */
export async function listGroupOffsets(
  client: Client,
  groupIds: readonly string[],
  told: (done: number) => void = () => undefined,
): Promise<Map<string, GroupOffsets | KafkaError>> {
  const all = new Map<string, GroupOffsets | KafkaError>();
  for (let at = 0; at < groupIds.length; at += GROUPS_A_REQUEST) {
    const some = await askCoordinators(client, groupIds.slice(at, at + GROUPS_A_REQUEST), (connection, ids) =>
      requestOffsets(
        connection,
        ids.map((groupId) => ({ groupId, places: null })),
        { metadata: client.metadata },
      ),
    );
    for (const [groupId, offsets] of some) all.set(groupId, offsets);
    told(all.size);
  }
  return all;
}

/** Sets the offsets of a group without members. Throws the first error that any of them has. */
export async function alterGroupOffsets(client: Client, groupId: string, offsets: readonly OffsetToCommit[]): Promise<void> {
  if (offsets.length === 0) return;
  const results = await askCoordinators(client, [groupId], async (connection) => {
    const errors = await requestCommit(connection, { groupId, identity: noMember, offsets, metadata: client.metadata });
    const [first] = errors;
    return new Map([[groupId, first === undefined ? null : partitionError(...first)]]);
  });
  const error = results.get(groupId);
  if (error instanceof KafkaError) throw error;
}

const partitionError = (key: string, error: ErrorName): KafkaError =>
  new KafkaError(error, `${key.replace('/', '-')}: ${new KafkaError(error).message}`);

/**
 * Forgets what a group has committed of partitions. Gives the errors of those that it still has, by their keys; throws KafkaError for the
 * whole group.
 */
export async function deleteGroupOffsets(
  client: Client,
  groupId: string,
  places: readonly TopicPartition[],
): Promise<Map<string, ErrorName>> {
  const results = await askCoordinators<Map<string, ErrorName>>(client, [groupId], async (connection) => {
    const topics = [...partitionsByTopic(places)].map(([name, partitions]) => ({
      name,
      partitions: partitions.map((partitionIndex) => ({ partitionIndex })),
    }));
    const answer = await connection.request(offsetDelete, { groupId, topics });
    if (answer.errorCode !== 0) return new Map([[groupId, new KafkaError(errorNameOf(answer.errorCode))]]);
    const errors = new Map<string, ErrorName>();
    for (const { name: topic, partitions } of answer.topics) {
      for (const { partitionIndex: partition, errorCode } of partitions) {
        if (errorCode !== 0) errors.set(keyOf({ topic, partition }), errorNameOf(errorCode));
      }
    }
    return new Map([[groupId, errors]]);
  });
  const errors = results.get(groupId);
  if (errors instanceof KafkaError) throw errors;
  return errors ?? new Map();
}
