import { codeOf } from '../protocol/errors.ts';
import {
  FetchPartition,
  FetchPartitionList,
  FINAL_EPOCH,
  INITIAL_EPOCH,
  NO_SESSION_ID,
  nextEpoch,
  type FetchOutcome,
  type FetchPartitionRequest,
  type FetchSession,
  type FetchTopic,
} from './fetch-session.ts';
import type { FetchSessionCache } from './fetch-session-cache.ts';

/** The part of a Fetch request that sessions are about. */
export interface FetchSessionRequest {
  readonly sessionId: number;
  readonly sessionEpoch: number;
  readonly topics: readonly (FetchTopic & { readonly partitions: readonly FetchPartitionRequest[] })[];
  readonly forgottenTopicsData: readonly (FetchTopic & { readonly partitions: readonly number[] })[];
}

export interface FetchResult extends FetchOutcome {
  readonly request: FetchPartition;
}

export interface FetchContextAnswer<Result> {
  readonly errorCode: number;
  readonly sessionId: number;
  readonly results: readonly Result[];
}

/** What one Fetch request asks for once its session is taken into account, and how its answer is cut down. */
export interface FetchContext {
  /** The error of the session, if the request cannot be served at all. */
  readonly errorCode: number;
  /** What to fetch, in the order in which the byte limit is spent. */
  readonly partitions: readonly FetchPartition[];
  /** Of the results of all partitions, in that order, those to send. */
  answer<Result extends FetchResult>(results: readonly Result[]): FetchContextAnswer<Result>;
}

/** Who asks, and how topics are named. */
export interface FetchOrigin {
  readonly isFollower: boolean;
  readonly usesTopicIds: boolean;
  /** The name of a topic by its id. */
  readonly topicName?: (topicId: string) => string | undefined;
}

/**
 * Opens the context of a request (KIP-227): epoch 0 is a full fetch that wants a session, −1 one that wants none (both close the session
 * they name), any other epoch continues a session.
 */
export const openFetchContext = (cache: FetchSessionCache, request: FetchSessionRequest, from: FetchOrigin): FetchContext => {
  if (request.sessionEpoch !== INITIAL_EPOCH && request.sessionEpoch !== FINAL_EPOCH)
    return continueSession(cache, request, from);
  if (request.sessionId !== NO_SESSION_ID) cache.remove(request.sessionId);
  const list = listOf(request.topics, from.usesTopicIds);
  return request.sessionEpoch === FINAL_EPOCH ? sessionless(partitionsOf(list, from)) : fullFetch(cache, list, from);
};

const continueSession = (cache: FetchSessionCache, request: FetchSessionRequest, from: FetchOrigin): FetchContext => {
  const session = cache.get(request.sessionId);
  if (session === undefined) return failed(codeOf('FETCH_SESSION_ID_NOT_FOUND'));
  if (session.epoch !== request.sessionEpoch) return failed(codeOf('INVALID_FETCH_SESSION_EPOCH'));
  if (session.usesTopicIds !== from.usesTopicIds) return failed(codeOf('FETCH_SESSION_TOPIC_ID_ERROR'));
  updateSession(session, request);
  if (session.partitions.size === 0) {
    cache.remove(session.id);
    return sessionless([]);
  }
  if (cache.isTooLarge(session)) {
    // Its owner starts anew with all of its partitions, and goes on without a session.
    cache.remove(session.id);
    return failed(codeOf('FETCH_SESSION_ID_NOT_FOUND'));
  }
  cache.touch(session);
  session.epoch = nextEpoch(session.epoch);
  return incrementalFetch(session, from);
};

const updateSession = ({ partitions: list }: FetchSession, request: FetchSessionRequest): void => {
  addAll(list, request.topics);
  for (const topic of request.forgottenTopicsData) {
    for (const partition of topic.partitions) {
      const entry = list.find(topic, partition);
      if (entry !== undefined) list.remove(entry);
    }
  }
};

const failed = (errorCode: number): FetchContext => ({
  errorCode,
  partitions: [],
  answer: () => ({ errorCode, sessionId: NO_SESSION_ID, results: [] }),
});

const sessionless = (partitions: readonly FetchPartition[]): FetchContext => ({
  errorCode: 0,
  partitions,
  answer: (results) => ({ errorCode: 0, sessionId: NO_SESSION_ID, results }),
});

/** The session goes on in the order of the answer, in which what was refused comes last. */
const fullFetch = (cache: FetchSessionCache, list: FetchPartitionList, from: FetchOrigin): FetchContext => ({
  errorCode: 0,
  partitions: partitionsOf(list, from),
  answer: (results) => {
    for (const result of results) {
      result.request.toldInFull(result);
      list.moveToEnd(result.request);
    }
    const sessionId = cache.create({ isPrivileged: from.isFollower, usesTopicIds: from.usesTopicIds, partitions: list });
    return { errorCode: 0, sessionId, results };
  },
});

const incrementalFetch = (session: FetchSession, from: FetchOrigin): FetchContext => {
  const epoch = session.epoch;
  return {
    errorCode: 0,
    partitions: partitionsOf(session.partitions, from),
    answer: (results) => {
      // Another request of the same session came while this one waited.
      if (session.epoch !== epoch)
        return { errorCode: codeOf('INVALID_FETCH_SESSION_EPOCH'), sessionId: session.id, results: [] };
      return { errorCode: 0, sessionId: session.id, results: results.filter((result) => tell(session, result)) };
    },
  };
};

/** A partition that was served goes to the end, so that under a byte limit all get their turn. */
const tell = (session: FetchSession, result: FetchResult): boolean => {
  const { request } = result;
  if (!request.mustTell(result)) return false;
  request.told(result);
  if (result.recordsBytes > 0) session.partitions.moveToEnd(request);
  return true;
};

const listOf = (topics: FetchSessionRequest['topics'], usesTopicIds: boolean): FetchPartitionList => {
  const list = new FetchPartitionList(usesTopicIds);
  addAll(list, topics);
  return list;
};

/** What is named twice counts once, with what was said last. */
const addAll = (list: FetchPartitionList, topics: FetchSessionRequest['topics']): void => {
  for (const topic of topics) {
    for (const partition of topic.partitions) {
      const entry = list.find(topic, partition.partition);
      if (entry === undefined) list.add(new FetchPartition(topic, partition));
      else entry.update(partition);
    }
  }
};

/** In their order, with the names of topics that have become known. */
const partitionsOf = (list: FetchPartitionList, { usesTopicIds, topicName }: FetchOrigin): FetchPartition[] => {
  const partitions: FetchPartition[] = [];
  for (let entry = list.first; entry !== null; entry = entry.next) {
    if (usesTopicIds && entry.topic === '') entry.topic = topicName?.(entry.topicId) ?? '';
    partitions.push(entry);
  }
  return partitions;
};
