import { type ErrorName, errorNameOf, KafkaError } from '../protocol/errors.ts';
import { listOffsets as listOffsetsApi } from '../protocol/messages/02-list-offsets.ts';
import type { Client } from './client.ts';
import { ClientError } from './client-error.ts';

/** Timestamps that are not times: what ListOffsets is asked for instead. */
export const offsetSpecs = {
  latest: -1,
  earliest: -2,
  'max-timestamp': -3,
  'earliest-local': -4,
  'latest-tiered': -5,
  'earliest-pending-upload': -6,
} as const;

export type IsolationLevel = 'read_uncommitted' | 'read_committed';
export const isolationId = (level: IsolationLevel): number => (level === 'read_committed' ? 1 : 0);

/** Up to where a log counts; `log_end` is past what a consumer can read, for those who look after the cluster. */
export type ReadableEnd = IsolationLevel | 'log_end';

const CONSUMER_REPLICA_ID = -1;
/** Sees all of the log, without being a replica. */
const DEBUG_REPLICA_ID = -2;

/** The first versions that know a special timestamp; a broker without them cannot be asked. */
const firstVersionOf: ReadonlyMap<number, number> = new Map([
  [offsetSpecs['max-timestamp'], 7],
  [offsetSpecs['earliest-local'], 8],
  [offsetSpecs['latest-tiered'], 9],
  [offsetSpecs['earliest-pending-upload'], 11],
]);

export interface OffsetQuery {
  readonly topic: string;
  readonly partition: number;
  /** Milliseconds since the epoch, or one of `offsetSpecs`. */
  readonly timestamp: number;
}

/** `offset` −1: no record has that time or a later one. */
export interface OffsetAnswer extends OffsetQuery {
  readonly offset: number;
  readonly offsetTimestamp: number;
  readonly leaderEpoch: number;
  readonly error: ErrorName;
}

/**
 * Asks the leaders of partitions for offsets, again where a leader has moved. A partition that stays without an answer has its error; the
 * topics must be known to the client's metadata.
 */
export async function listOffsets(
  client: Client,
  queries: readonly OffsetQuery[],
  end: ReadableEnd = 'read_uncommitted',
): Promise<OffsetAnswer[]> {
  const answers = new Map<OffsetQuery, OffsetAnswer>();
  let open = queries;
  const round = async (): Promise<void> => {
    const byLeader = Map.groupBy(open, ({ topic, partition }) => client.metadata.partition(topic, partition)?.leader ?? -1);
    await Promise.all(
      [...byLeader].map(async ([leader, ofLeader]) => {
        if (leader < 0) for (const query of ofLeader) answers.set(query, unanswered(query, 'LEADER_NOT_AVAILABLE'));
        else await askLeader(client, leader, { queries: ofLeader, end, answers });
      }),
    );
    open = open.filter((query) => new KafkaError(answers.get(query)?.error ?? 'UNKNOWN_SERVER_ERROR').retriable);
    const [first] = open;
    if (first !== undefined) throw new KafkaError(answers.get(first)?.error ?? 'UNKNOWN_SERVER_ERROR');
  };
  try {
    await client.retrying(round);
  } catch (error) {
    if (!(error instanceof KafkaError)) throw error;
  }
  return queries.map((query) => answers.get(query) ?? unanswered(query, 'UNKNOWN_SERVER_ERROR'));
}

interface LeaderQuestion {
  readonly queries: readonly OffsetQuery[];
  readonly end: ReadableEnd;
  readonly answers: Map<OffsetQuery, OffsetAnswer>;
}

async function askLeader(client: Client, leader: number, { queries, end, answers }: LeaderQuestion): Promise<void> {
  const connection = await client.connectionTo(leader);
  const needed = Math.max(...queries.map((query) => firstVersionOf.get(query.timestamp) ?? 0));
  if (connection.versionOf(listOffsetsApi) < needed) {
    throw new ClientError('unsupported', 'The broker is too old to be asked for this kind of offset');
  }
  const answer = await connection.request(listOffsetsApi, {
    replicaId: end === 'log_end' ? DEBUG_REPLICA_ID : CONSUMER_REPLICA_ID,
    isolationLevel: end === 'log_end' ? 0 : isolationId(end),
    timeoutMs: client.settings.requestTimeoutMs,
    topics: [...Map.groupBy(queries, (query) => query.topic)].map(([name, ofTopic]) => ({
      name,
      partitions: ofTopic.map(({ partition, timestamp }) => ({ partitionIndex: partition, timestamp })),
    })),
  });
  const queryOf = new Map(queries.map((query) => [`${query.topic}/${query.partition}`, query]));
  for (const topic of answer.topics) {
    for (const result of topic.partitions) {
      const query = queryOf.get(`${topic.name}/${result.partitionIndex}`);
      if (query === undefined) continue;
      const { offset, timestamp: offsetTimestamp, leaderEpoch } = result;
      answers.set(query, { ...query, offset, offsetTimestamp, leaderEpoch, error: errorNameOf(result.errorCode) });
    }
  }
}

const unanswered = (query: OffsetQuery, error: ErrorName): OffsetAnswer => ({
  ...query,
  offset: -1,
  offsetTimestamp: -1,
  leaderEpoch: -1,
  error,
});
