import { codeOf, type ErrorName, KafkaError } from '../../protocol/errors.ts';
import { fetch } from '../../protocol/messages/01-fetch.ts';
import type { RequestOf, ResponseInput } from '../../protocol/schema.ts';
import { failedRead, type ReadableEnd, type ReadParams, type ReadResult, releaseRecords } from '../../replication/read.ts';
import { CLUSTER_NAME } from '../../security/authorizer.ts';
import type { BrokerServices } from '../broker-services.ts';
import { type FetchContext, openFetchContext } from '../fetch-context.ts';
import type { FetchPartition } from '../fetch-session.ts';
import { defineHandler, type Handler } from '../handler.ts';
import { LeaderHints } from '../leader-hints.ts';
import type { RequestContext } from '../request-context.ts';

type Request = RequestOf<typeof fetch>;
type Response = ResponseInput<typeof fetch>;
type Result = ReadResult<FetchPartition>;
type PartitionAnswer = Response['responses'][number]['partitions'][number];

/** Topics are named by their ids from here on. */
const TOPIC_ID_VERSION = 13;
/** Consumers may read from followers from here on (KIP-392). */
const FOLLOWER_FETCH_VERSION = 11;
/** Followers tell their incarnation from here on (KIP-903). */
const REPLICA_STATE_VERSION = 15;
/** Answers name the new leader from here on (KIP-951). */
const LEADER_HINT_VERSION = 16;
const NO_ABORTED_TRANSACTIONS: Result['abortedTransactions'] = [];
const LEADER_CHANGED: ReadonlySet<number> = new Set([codeOf('NOT_LEADER_OR_FOLLOWER'), codeOf('FENCED_LEADER_EPOCH')]);

/**
 * Fetch v4-18. v7 sessions (KIP-227), v9 leader epochs (KIP-320), v11 racks (KIP-392), v12 diverging epochs (KIP-595), v13 topic ids (KIP-516),
 * v15 the follower's incarnation (KIP-903), v16 the leader to go to (KIP-951). Nothing is throttled yet, and nothing read from remote storage.
 */
export const fetchHandler = (services: BrokerServices): Handler => {
  const handle = (request: Request, context: RequestContext): Response | Promise<Response> => {
    const usesTopicIds = context.apiVersion >= TOPIC_ID_VERSION;
    const isFollower = replicaOf(request, context).replicaId >= 0;
    const topicName = (topicId: string): string | undefined => services.metadata.image.topics.byId.get(topicId)?.name;
    const session = openFetchContext(services.fetchSessions, request, { isFollower, usesTopicIds, topicName });
    const fetching: Fetching = { context, session, isFollower, usesTopicIds };
    if (session.errorCode !== 0) return respond(services, fetching, []);
    const params = paramsOf(services, request, context);
    const refused: Result[] = [];
    const mayFetch = !isFollower || services.authorizer.isAllowed(context, 'CLUSTER_ACTION', 'CLUSTER', CLUSTER_NAME);
    const allowed = session.partitions.filter((partition) => {
      const fault = mayFetch ? faultOf(services, partition, fetching) : 'TOPIC_AUTHORIZATION_FAILED';
      if (fault === null) return true;
      refused.push({ ...failedRead(partition, codeOf(fault)), abortedTransactions: NO_ABORTED_TRANSACTIONS });
      return false;
    });
    // Consumers are told of ids that nobody knows before anything else that was refused.
    if (!isFollower) refused.sort((a, b) => Number(b.errorCode === UNKNOWN_ID) - Number(a.errorCode === UNKNOWN_ID));
    const results = services.replicaManager.fetch(allowed, { ...params, usesTopicIds }, context);
    return results instanceof Promise
      ? results.then((settled) => respond(services, fetching, [...settled, ...refused]))
      : respond(services, fetching, refused.length === 0 ? results : [...results, ...refused]);
  };
  return defineHandler<typeof fetch>({
    api: fetch,
    handle,
    failed: (request, error, context) => ({ errorCode: error.code, responses: failedTopics(request, error, context) }),
  });
};

const UNKNOWN_ID = codeOf('UNKNOWN_TOPIC_ID');

/** One request on its way. */
interface Fetching {
  readonly context: RequestContext;
  readonly session: FetchContext;
  readonly isFollower: boolean;
  readonly usesTopicIds: boolean;
}

/** Why a partition is not even looked for; its topic may be unknown, or nothing that the sender may read. */
const faultOf = (services: BrokerServices, partition: FetchPartition, fetching: Fetching): ErrorName | null => {
  const { authorizer, replicaManager, metadata } = services;
  const { context, isFollower, usesTopicIds } = fetching;
  const { topicId, partition: index } = partition;
  const replica = usesTopicIds ? replicaManager.replica(topicId, index) : replicaManager.replicaOf(partition.topic, index);
  // What is not here may be elsewhere in the cluster.
  const { byId, byName } = metadata.image.topics;
  const topic = replica !== undefined ? undefined : usesTopicIds ? byId.get(topicId) : byName.get(partition.topic);
  if (replica === undefined && topic === undefined && usesTopicIds) {
    // A session remembers the name of a topic that is gone. Another topic may have it now: then the read says so.
    if (partition.topic === '') return 'UNKNOWN_TOPIC_ID';
    return byName.get(partition.topic)?.partitions[index] === undefined ? 'UNKNOWN_TOPIC_OR_PARTITION' : null;
  }
  const name = replica?.topic ?? topic?.name ?? partition.topic;
  if (!isFollower && !authorizer.isAllowed(context, 'READ', 'TOPIC', name)) return 'TOPIC_AUTHORIZATION_FAILED';
  if (replica === undefined && topic?.partitions[index] === undefined) return 'UNKNOWN_TOPIC_OR_PARTITION';
  replicaManager.topicMetrics.count('fetchRequests', name);
  return null;
};

const replicaOf = (
  request: Request,
  { apiVersion }: RequestContext,
): { readonly replicaId: number; readonly replicaEpoch: number } =>
  apiVersion >= REPLICA_STATE_VERSION ? request.replicaState : { replicaId: request.replicaId, replicaEpoch: -1 };

const paramsOf = ({ configs }: BrokerServices, request: Request, context: RequestContext): ReadParams => {
  const { apiVersion } = context;
  const replica = replicaOf(request, context);
  const isFollower = replica.replicaId >= 0;
  const maxBytes = Math.min(request.maxBytes, configs.broker()['fetch.max.bytes']);
  return {
    replicaId: replica.replicaId,
    replicaEpoch: replica.replicaEpoch,
    upTo: readableEnd(replica.replicaId, request.isolationLevel),
    requiresLeader: isFollower || apiVersion < FOLLOWER_FETCH_VERSION,
    maxWaitMs: request.maxWaitMs,
    minBytes: Math.min(request.minBytes, maxBytes),
    maxBytes,
  };
};

const readableEnd = (replicaId: number, isolationLevel: number): ReadableEnd => {
  if (isolationLevel !== 0 && isolationLevel !== 1)
    throw new KafkaError('UNKNOWN_SERVER_ERROR', `Unknown isolation level ${isolationLevel}`);
  if (replicaId >= 0) return 'log-end';
  return isolationLevel === 0 ? 'high-watermark' : 'last-stable-offset';
};

const respond = (services: BrokerServices, fetching: Fetching, results: readonly Result[]): Response => {
  const { context, session, isFollower } = fetching;
  const answer = session.answer(results);
  if (answer.results.length < results.length) releaseUntold(results, answer.results);
  const { metadata, replicaManager } = services;
  const { listenerName } = context;
  const isHinted = context.apiVersion >= LEADER_HINT_VERSION;
  const hints = isHinted ? new LeaderHints({ image: metadata.image, replicaManager, listenerName }) : null;
  const responses: { topic: string; topicId: string; partitions: PartitionAnswer[] }[] = [];
  let last: (typeof responses)[number] | null = null;
  for (const result of answer.results) {
    const { topic, topicId } = result.request;
    // Partitions of a topic that follow one another go under one heading.
    if (last === null || last.topic !== topic || last.topicId !== topicId) {
      last = { topic, topicId, partitions: [] };
      responses.push(last);
    }
    last.partitions.push(withLeader(result, hints));
    if (result.recordsBytes > 0) replicaManager.topicMetrics.count('bytesOut', nameOf(services, result), result.recordsBytes);
  }
  // A follower knows the brokers' addresses from the metadata log.
  const nodeEndpoints = isFollower ? [] : (hints?.nodeEndpoints ?? []);
  return { errorCode: answer.errorCode, sessionId: answer.sessionId, responses, nodeEndpoints };
};

const nameOf = ({ replicaManager }: BrokerServices, { request }: Result): string =>
  request.topic === '' ? (replicaManager.replica(request.topicId, request.partition)?.topic ?? '') : request.topic;

const withLeader = (result: Result, hints: LeaderHints | null): PartitionAnswer =>
  hints !== null && LEADER_CHANGED.has(result.errorCode)
    ? { ...result, currentLeader: hints.leaderOf(result.request.topicId, result.request.partition) }
    : result;

/** An incremental answer leaves out what has no news, but never records; a session that was overtaken leaves out everything. */
const releaseUntold = (results: readonly Result[], told: readonly Result[]): void => {
  const kept = new Set(told);
  for (const result of results) if (!kept.has(result)) releaseRecords(result);
};

/** From v13 an error of the whole request says nothing of partitions. */
const failedTopics = (request: Request, error: KafkaError, context: RequestContext): Response['responses'] => {
  if (context.apiVersion >= TOPIC_ID_VERSION) return [];
  return request.topics.map(({ topic, topicId, partitions }) => ({
    topic,
    topicId,
    partitions: partitions.map(({ partition }) => ({
      partitionIndex: partition,
      errorCode: error.code,
      highWatermark: -1,
      abortedTransactions: NO_ABORTED_TRANSACTIONS,
      records: [],
    })),
  }));
};
