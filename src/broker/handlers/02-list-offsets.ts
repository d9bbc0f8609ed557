import { codeOf, type ErrorName, KafkaError } from '../../protocol/errors.ts';
import { listOffsets } from '../../protocol/messages/02-list-offsets.ts';
import type { RequestOf, ResponseInput } from '../../protocol/schema.ts';
import { EARLIEST_LOCAL, EARLIEST_PENDING_UPLOAD, LATEST_TIERED, MAX_TIMESTAMP, offsetFor } from '../../replication/offsets.ts';
import type { ReadableEnd } from '../../replication/read.ts';
import { type FoundAhead, LargeSearch, type TimestampedOffset } from '../../storage/large-search.ts';
import type { BrokerServices } from '../broker-services.ts';
import { defineHandler, type Handler } from '../handler.ts';
import type { RequestContext } from '../request-context.ts';
import { mapGroupsInTurns, whenThere } from '../../base/turns.ts';

type Request = RequestOf<typeof listOffsets>;
type Response = ResponseInput<typeof listOffsets>;
type Topic = Request['topics'][number];
type Partition = Topic['partitions'][number];
type Answer = Response['topics'][number]['partitions'][number];

/** The version from which on a special timestamp means something. */
const SINCE: ReadonlyMap<number, number> = new Map([
  [MAX_TIMESTAMP, 7],
  [EARLIEST_LOCAL, 8],
  [LATEST_TIERED, 9],
  [EARLIEST_PENDING_UPLOAD, 11],
]);
const LEAST_TIMESTAMP = -2;

const CONSUMER = -1;

/**
 * ListOffsets v1-11. v2 isolation level (KIP-98), v4 leader epochs (KIP-320), v5 OFFSET_NOT_AVAILABLE (KIP-207), v7 the largest timestamp (KIP-734), v8, v9 and
 * v11 offsets of remote storage (KIP-405, KIP-1005, KIP-1023), of which there is none here; v10 its timeout is not needed.
 */
export const listOffsetsHandler = (services: BrokerServices): Handler => {
  const handle = (request: Request, context: RequestContext): Response | Promise<Response> => {
    const twice = namedTwice(request.topics);
    const topics = mergedTopics(request.topics).map((topic) => ({
      ...topic,
      isAllowed: services.authorizer.isAllowed(context, 'DESCRIBE', 'TOPIC', topic.name),
    }));
    const answer = (topic: (typeof topics)[number], partition: Partition): Answer | Promise<Answer> => {
      if (!topic.isAllowed) return failure(partition, 'TOPIC_AUTHORIZATION_FAILED');
      if (twice.has(`${topic.name}-${partition.partitionIndex}`)) return failure(partition, 'INVALID_REQUEST');
      return lookUpInTurns(services, topic, partition, { request, version: context.apiVersion });
    };
    // A search by time decompresses a batch.
    const answers = mapGroupsInTurns<(typeof topics)[number], Partition, Answer>(
      services.environment.clock,
      topics,
      ({ partitions }) => partitions,
      answer,
    );
    return whenThere(answers, (all) => ({ topics: topics.map(({ name }, at) => ({ name, partitions: all[at] ?? [] })) }));
  };
  return defineHandler<typeof listOffsets>({
    api: listOffsets,
    handle,
    failed: (request, error) => ({
      topics: request.topics.map(({ name, partitions }) => ({
        name,
        partitions: partitions.map((partition) => failure(partition, error.errorName)),
      })),
    }),
  });
};

const failure = ({ partitionIndex }: Partition, error: ErrorName): Answer => ({ partitionIndex, errorCode: codeOf(error) });

interface From {
  readonly request: Request;
  readonly version: number;
}

/** Large batches are searched ahead, and then the partition is asked again, as it is by then. */
const lookUpInTurns = (services: BrokerServices, topic: Topic, partition: Partition, from: From): Answer | Promise<Answer> => {
  const foundAhead = new Map<number, TimestampedOffset | null>();
  const lookUpNow = (): Answer | Promise<Answer> => {
    try {
      return lookUp(services, topic, partition, { ...from, foundAhead });
    } catch (error) {
      if (!(error instanceof LargeSearch)) throw error;
      const searched = services.replicaManager.searchAhead(error);
      return searched.then(
        (found) => {
          foundAhead.set(error.batch.baseOffset, found);
          return lookUpNow();
        },
        (failed: unknown) => {
          if (!(failed instanceof KafkaError)) throw failed;
          return failure(partition, failed.errorName);
        },
      );
    }
  };
  return lookUpNow();
};

/** Throws a LargeSearch that has to be made first. */
const lookUp = (
  { replicaManager }: BrokerServices,
  topic: Topic,
  partition: Partition,
  from: From & { readonly foundAhead: FoundAhead },
): Answer => {
  const { partitionIndex, timestamp, currentLeaderEpoch } = partition;
  const { replicaId } = from.request;
  if (timestamp < LEAST_TIMESTAMP && from.version < (SINCE.get(timestamp) ?? Infinity))
    return failure(partition, 'UNSUPPORTED_VERSION');
  try {
    const query = {
      timestamp,
      currentLeaderEpoch,
      upTo: readableEnd(from.request),
      requiresLeader: replicaId !== DEBUG_CONSUMER,
      foundAhead: from.foundAhead,
    };
    const found = offsetFor(replicaManager.byName(topic.name, partitionIndex), query);
    return { partitionIndex, errorCode: 0, ...found };
  } catch (error) {
    if (!(error instanceof KafkaError)) throw error;
    // Clients before v5 do not know the error.
    const isUnknownThere = error.errorName === 'OFFSET_NOT_AVAILABLE' && from.version < 5;
    return failure(partition, isUnknownThere ? 'LEADER_NOT_AVAILABLE' : error.errorName);
  }
};

const DEBUG_CONSUMER = -2;

const readableEnd = ({ replicaId, isolationLevel }: Request): ReadableEnd => {
  if (isolationLevel !== 0 && isolationLevel !== 1)
    throw new KafkaError('UNKNOWN_SERVER_ERROR', `Unknown isolation level ${isolationLevel}`);
  if (replicaId !== CONSUMER) return 'log-end';
  return isolationLevel === 0 ? 'high-watermark' : 'last-stable-offset';
};

/** Partitions are answered, by topic: a topic or a partition that is named twice is answered once, and a topic without partitions not at all. */
const mergedTopics = (topics: readonly Topic[]): Topic[] => {
  const byName = new Map<string, Map<number, Partition>>();
  for (const { name, partitions } of topics) {
    let byIndex = byName.get(name);
    if (byIndex === undefined && partitions.length > 0) byName.set(name, (byIndex = new Map()));
    for (const partition of partitions) byIndex?.set(partition.partitionIndex, partition);
  }
  return Array.from(byName, ([name, byIndex]) => ({ name, partitions: [...byIndex.values()] }));
};

/** Partitions that one request names more than once: nobody can tell which answer is whose. */
const namedTwice = (topics: readonly Topic[]): ReadonlySet<string> => {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const { name, partitions } of topics) {
    for (const { partitionIndex } of partitions) {
      const key = `${name}-${partitionIndex}`;
      if (seen.has(key)) twice.add(key);
      seen.add(key);
    }
  }
  return twice;
};
