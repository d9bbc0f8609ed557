import { ZERO_UUID, type Uuid } from '../../base/uuid.ts';
import { type ErrorName, errorNameOf, KafkaError } from '../../protocol/errors.ts';
import { offsetCommit } from '../../protocol/messages/08-offset-commit.ts';
import { offsetFetch } from '../../protocol/messages/09-offset-fetch.ts';
import type { ResponseOf } from '../../protocol/schema.ts';
import type { ClusterMetadata } from '../cluster-metadata.ts';
import type { Connection } from '../connection.ts';
import { keyOf, partitionsByTopic, type TopicPartition } from '../topic-partition.ts';
import { type MemberIdentity, noMember } from './membership.ts';

/** What a group has committed of a partition: the next offset to process. */
export interface CommittedOffset extends TopicPartition {
  readonly offset: number;
  /** −1 if it was not committed. */
  readonly leaderEpoch: number;
  readonly metadata: string;
}

export interface OffsetToCommit extends TopicPartition {
  readonly offset: number;
  readonly leaderEpoch?: number;
  readonly metadata?: string;
}

/** The last versions that name topics; later ones need their ids. */
const LAST_COMMIT_WITH_NAMES = 9;
const LAST_FETCH_WITH_NAMES = 9;
/** The first version that asks for several groups at once (KIP-709). */
const FIRST_BATCHED_FETCH = 8;

export interface CommitQuestion {
  readonly groupId: string;
  readonly identity: MemberIdentity;
  readonly offsets: readonly OffsetToCommit[];
  readonly metadata: ClusterMetadata;
}

/** Commits at the coordinator and gives the error of each partition that was not committed, by its key. */
export async function requestCommit(
  connection: Connection,
  { groupId, identity, offsets, metadata }: CommitQuestion,
): Promise<Map<string, ErrorName>> {
  const topics = Map.groupBy(offsets, ({ topic }) => topic);
  const ids = new TopicIds(metadata, topics.keys());
  const answer = await connection.request(
    offsetCommit,
    {
      groupId,
      generationIdOrMemberEpoch: identity.epoch,
      memberId: identity.memberId,
      groupInstanceId: identity.instanceId,
      topics: [...topics].map(([name, ofTopic]) => ({
        name,
        topicId: ids.idOf(name),
        partitions: ofTopic.map(({ partition, offset, leaderEpoch, metadata: text }) => ({
          partitionIndex: partition,
          committedOffset: offset,
          committedLeaderEpoch: leaderEpoch ?? -1,
          committedMetadata: text ?? '',
        })),
      })),
    },
    { maxVersion: ids.areComplete ? offsetCommit.maxVersion : LAST_COMMIT_WITH_NAMES },
  );
  const errors = new Map<string, ErrorName>();
  for (const { name, topicId, partitions } of answer.topics) {
    const topic = ids.nameOf(name, topicId);
    for (const { partitionIndex: partition, errorCode } of partitions) {
      if (errorCode !== 0) errors.set(keyOf({ topic, partition }), errorNameOf(errorCode));
    }
  }
  return errors;
}

export interface OffsetsQuestion {
  readonly groupId: string;
  readonly identity?: MemberIdentity;
  /** All that the group has committed, if null. */
  readonly places: readonly TopicPartition[] | null;
}

interface FetchOptions {
  /** Wait for transactions that may still change the offsets (KIP-447). */
  readonly requireStable?: boolean;
  readonly metadata: ClusterMetadata;
}

export type GroupOffsets = ReadonlyMap<string, CommittedOffset>;

/** Asks a coordinator for the offsets of its groups. What was not committed is left out; an error anywhere in a group is the group's. */
export async function requestOffsets(
  connection: Connection,
  questions: readonly OffsetsQuestion[],
  options: FetchOptions,
): Promise<Map<string, GroupOffsets | KafkaError>> {
  if (connection.versionOf(offsetFetch) >= FIRST_BATCHED_FETCH) return await requestBatch(connection, questions, options);
  const results = new Map<string, GroupOffsets | KafkaError>();
  for (const { groupId, places } of questions) {
    const topics =
      places === null ? null : [...partitionsByTopic(places)].map(([name, partitionIndexes]) => ({ name, partitionIndexes }));
    const input = { groupId, topics, groups: [], requireStable: options.requireStable ?? false };
    const answer = await connection.request(offsetFetch, input);
    results.set(
      groupId,
      offsetsOf(answer.topics, answer.errorCode, ({ name }) => name),
    );
  }
  return results;
}

async function requestBatch(
  connection: Connection,
  questions: readonly OffsetsQuestion[],
  options: FetchOptions,
): Promise<Map<string, GroupOffsets | KafkaError>> {
  const named = questions.flatMap(({ places }) => places ?? []).map(({ topic }) => topic);
  const ids = new TopicIds(options.metadata, named);
  // Ids that come back unasked could not be told by name.
  const maxVersion =
    ids.areComplete && questions.every(({ places }) => places !== null) ? offsetFetch.maxVersion : LAST_FETCH_WITH_NAMES;
  const groups = questions.map(({ groupId, identity = noMember, places }) => ({
    groupId,
    memberId: identity.memberId === '' ? null : identity.memberId,
    memberEpoch: identity.epoch,
    topics:
      places === null
        ? null
        : [...partitionsByTopic(places)].map(([name, partitionIndexes]) => ({ name, topicId: ids.idOf(name), partitionIndexes })),
  }));
  const answer = await connection.request(offsetFetch, { groups, requireStable: options.requireStable ?? false }, { maxVersion });
  return new Map(
    answer.groups.map(({ groupId, topics, errorCode }) => [
      groupId,
      offsetsOf(topics, errorCode, ({ name, topicId }) => ids.nameOf(name, topicId)),
    ]),
  );
}

type FetchAnswer = ResponseOf<typeof offsetFetch>;
type AnsweredTopic = FetchAnswer['groups'][number]['topics'][number];

function offsetsOf<T extends Pick<AnsweredTopic, 'partitions'>>(
  topics: readonly T[],
  errorCode: number,
  nameOf: (topic: T) => string,
): GroupOffsets | KafkaError {
  if (errorCode !== 0) return new KafkaError(errorNameOf(errorCode));
  const offsets = new Map<string, CommittedOffset>();
  for (const answered of topics) {
    const topic = nameOf(answered);
    for (const {
      partitionIndex: partition,
      committedOffset,
      committedLeaderEpoch,
      metadata,
      errorCode: code,
    } of answered.partitions) {
      const error = errorNameOf(code);
      if (error !== 'NONE' && !isAbsent(error)) {
        return new KafkaError(error, `${topic}-${partition}: ${new KafkaError(error).message}`);
      }
      if (error !== 'NONE' || committedOffset < 0) continue;
      const place = { topic, partition };
      offsets.set(keyOf(place), {
        ...place,
        offset: committedOffset,
        leaderEpoch: committedLeaderEpoch,
        metadata: metadata ?? '',
      });
    }
  }
  return offsets;
}

/** Of a partition that does not exist nothing is committed. */
const isAbsent = (error: ErrorName): boolean => error === 'UNKNOWN_TOPIC_OR_PARTITION' || error === 'UNKNOWN_TOPIC_ID';

/** Ids of the topics of one request, and the way back from them in its answer. */
class TopicIds {
  readonly #ids = new Map<string, Uuid>();
  readonly #names = new Map<Uuid, string>();
  /** Whether every topic has an id that the client knows. */
  readonly areComplete: boolean;

  constructor(metadata: ClusterMetadata, names: Iterable<string>) {
    let areComplete = true;
    for (const name of names) {
      const id = metadata.topic(name)?.id ?? ZERO_UUID;
      if (id === ZERO_UUID) areComplete = false;
      this.#ids.set(name, id);
      this.#names.set(id, name);
    }
    this.areComplete = areComplete;
  }

  idOf(name: string): Uuid {
    return this.#ids.get(name) ?? ZERO_UUID;
  }

  nameOf(name: string, id: Uuid): string {
    return name === '' ? (this.#names.get(id) ?? '') : name;
  }
}
