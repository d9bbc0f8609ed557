import type { MetadataImage } from '../../metadata/metadata-image.ts';
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
    const replicaId = context.apiVersion >= 15 ? request.replicaState.replicaId : request.replicaId;
    const session = openFetchContext(services.fetchSessions, request, { isFollower: replicaId >= 0, usesTopicIds });
    if (session.errorCode !== 0) return respond(services, context, session, []);
    const params = paramsOf(services, request, context);
    const { image } = services.metadata;
    const refused: Result[] = [];
    const mayReplicate =
      params.replicaId < 0 || services.authorizer.isAllowed(context, 'CLUSTER_ACTION', 'CLUSTER', CLUSTER_NAME);
    const allowed = session.partitions.filter((partition) => {
      const fault = mayReplicate
        ? faultOf(services, image, partition, { context, usesTopicIds, isFollower: params.replicaId >= 0 })
        : 'TOPIC_AUTHORIZATION_FAILED';
      if (fault === null) return true;
      refused.push({ ...failedRead(partition, codeOf(fault)), abortedTransactions: NO_ABORTED_TRANSACTIONS });
      return false;
    });
    const results = services.replicaManager.fetch(allowed, { ...params, usesTopicIds }, context.onDisconnected?.bind(context));
    return results instanceof Promise
      ? results.then((settled) => respond(services, context, session, [...settled, ...refused]))
      : respond(services, context, session, refused.length === 0 ? results : [...results, ...refused]);
  };
  return defineHandler<typeof fetch>({
    api: fetch,
    handle,
    failed: (request, error, context) => ({ errorCode: error.code, responses: failedTopics(request, error, context) }),
  });
};

/** Why a partition is not even looked for; its topic may be unknown, or nothing that the sender may read. */
const faultOf = (
  { authorizer, replicaManager }: BrokerServices,
  image: MetadataImage,
  partition: FetchPartition,
  from: { readonly context: RequestContext; readonly usesTopicIds: boolean; readonly isFollower: boolean },
): ErrorName | null => {
  const topic = from.usesTopicIds ? image.topics.byId.get(partition.topicId) : image.topics.byName.get(partition.topic);
  if (topic === undefined && from.usesTopicIds) return 'UNKNOWN_TOPIC_ID';
  const name = topic?.name ?? partition.topic;
  if (!from.isFollower && !authorizer.isAllowed(from.context, 'READ', 'TOPIC', name)) return 'TOPIC_AUTHORIZATION_FAILED';
  if (topic?.partitions[partition.partition] === undefined) return 'UNKNOWN_TOPIC_OR_PARTITION';
  replicaManager.topicMetrics.count('fetchRequests', name);
  return null;
};

const paramsOf = ({ configs }: BrokerServices, request: Request, context: RequestContext): ReadParams => {
  const { apiVersion } = context;
  const replica = apiVersion >= 15 ? request.replicaState : { replicaId: request.replicaId, replicaEpoch: -1 };
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

/** A debugging consumer (−2) sees what a follower sees. */
const DEBUG_CONSUMER = -2;

const readableEnd = (replicaId: number, isolationLevel: number): ReadableEnd => {
  if (isolationLevel !== 0 && isolationLevel !== 1)
    throw new KafkaError('UNKNOWN_SERVER_ERROR', `Unknown isolation level ${isolationLevel}`);
  if (replicaId >= 0 || replicaId === DEBUG_CONSUMER) return 'log-end';
  return isolationLevel === 0 ? 'high-watermark' : 'last-stable-offset';
};

const respond = (
  services: BrokerServices,
  context: RequestContext,
  session: FetchContext,
  results: readonly Result[],
): Response => {
  const answer = session.answer(results);
  if (answer.results.length < results.length) releaseUntold(results, answer.results);
  const hints =
    context.apiVersion >= LEADER_HINT_VERSION
      ? new LeaderHints({
          image: services.metadata.image,
          replicaManager: services.replicaManager,
          listenerName: context.listenerName,
        })
      : null;
  const responses: { topic: string; topicId: string; partitions: PartitionAnswer[] }[] = [];
  for (const result of answer.results) {
    const { topic, topicId } = result.request;
    let last = responses.at(-1);
    // Partitions of a topic that follow one another go under one heading.
    if (last === undefined || last.topic !== topic || last.topicId !== topicId)
      responses.push((last = { topic, topicId, partitions: [] }));
    last.partitions.push(withLeader(result, hints));
    if (result.recordsBytes > 0)
      services.replicaManager.topicMetrics.count('bytesOut', nameOf(services, result), result.recordsBytes);
  }
  return { errorCode: answer.errorCode, sessionId: answer.sessionId, responses, nodeEndpoints: hints?.nodeEndpoints ?? [] };
};

const nameOf = ({ metadata }: BrokerServices, { request }: Result): string =>
  request.topic === '' ? (metadata.image.topics.byId.get(request.topicId)?.name ?? '') : request.topic;

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
      abortedTransactions: null,
      records: null,
    })),
  }));
};
