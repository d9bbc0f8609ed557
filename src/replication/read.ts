import { assert } from '../base/assert.ts';
import { isFileRegion, type Part } from '../base/disk.ts';
import { codeOf, KafkaError } from '../protocol/errors.ts';
import type { LogOffsetMetadata } from '../storage/offset-metadata.ts';
import type { PartitionLog } from '../storage/partition-log.ts';
import type { Partition } from './partition.ts';

/** What a fetcher wants of one partition. */
export interface ReadRequest {
  readonly topic: string;
  readonly topicId: string;
  readonly partition: number;
  /** −1 if the fetcher does not know. */
  readonly currentLeaderEpoch: number;
  readonly fetchOffset: number;
  /** The epoch of the record before `fetchOffset` in the fetcher's log; −1 if it does not say. */
  readonly lastFetchedEpoch: number;
  /** A follower's own log start. */
  readonly logStartOffset: number;
  readonly maxBytes: number;
}

/** Up to where a reader may see: followers the log end, consumers the high watermark or the last stable offset. */
export type ReadableEnd = 'log-end' | 'high-watermark' | 'last-stable-offset';

/** What holds for all partitions of one fetch. */
export interface ReadParams {
  /** The follower's id; −1 for a consumer. */
  readonly replicaId: number;
  readonly replicaEpoch: number;
  readonly upTo: ReadableEnd;
  readonly requiresLeader: boolean;
  readonly maxWaitMs: number;
  readonly minBytes: number;
  readonly maxBytes: number;
  /** The replica that the consumer had better read from; null if it is right here. Absent where that is not asked (KIP-392). */
  readonly preferredReplica?: (partition: Partition, fetchOffset: number) => number | null;
}

/** What a fetcher is told of one partition: an answer of Fetch, and a few facts for those who handle it. */
export interface ReadResult<Request extends ReadRequest = ReadRequest> {
  readonly request: Request;
  readonly partitionIndex: number;
  readonly errorCode: number;
  readonly highWatermark: number;
  readonly lastStableOffset: number;
  readonly logStartOffset: number;
  readonly abortedTransactions: readonly { readonly producerId: number; readonly firstOffset: number }[] | null;
  readonly preferredReadReplica: number;
  readonly divergingEpoch?: { readonly epoch: number; readonly endOffset: number };
  readonly records: readonly Part[];
  readonly recordsBytes: number;
  readonly isDiverging: boolean;
  /** Where the read began on disk, if it did. */
  readonly startMetadata: LogOffsetMetadata | null;
}

const NO_RECORDS: readonly Part[] = [];
/** What Kafka answers to a size that makes no sense. */
const INVALID_SIZE = codeOf('UNKNOWN_SERVER_ERROR');

export const failedRead = <Request extends ReadRequest>(request: Request, errorCode: number): ReadResult<Request> => ({
  request,
  partitionIndex: request.partition,
  errorCode,
  highWatermark: -1,
  lastStableOffset: -1,
  logStartOffset: -1,
  abortedTransactions: null,
  preferredReadReplica: -1,
  records: NO_RECORDS,
  recordsBytes: 0,
  isDiverging: false,
  startMetadata: null,
});

/** Gives back the files of a result that will not be sent. */
export const releaseRecords = (result: ReadResult): void => {
  for (const part of result.records) if (isFileRegion(part)) part.release();
};

/**
 * Reads the partitions in order. The byte limit of the request is spent in that order; the first partition with data gives its first
 * batch whole even if that is larger than every limit, so that a reader always gets on.
 */
export const readAll = <Request extends ReadRequest>(
  find: (request: Request) => Partition,
  requests: readonly Request[],
  params: ReadParams,
  options: { readonly countsAsFetch: boolean; readonly storageFailed: (partition: Partition, error: unknown) => void },
): ReadResult<Request>[] => {
  const results: ReadResult<Request>[] = [];
  let bytesLeft = params.maxBytes;
  let minOneBatch = true;
  for (const request of requests) {
    const limits = { maxBytes: Math.min(request.maxBytes, bytesLeft), minOneBatch };
    const result = readOrFail(find, request, params, { ...options, limits });
    results.push(result);
    if (result.recordsBytes === 0) continue;
    minOneBatch = false;
    bytesLeft = Math.max(0, bytesLeft - result.recordsBytes);
  }
  return results;
};

interface Limits {
  readonly maxBytes: number;
  readonly minOneBatch: boolean;
}

const readOrFail = <Request extends ReadRequest>(
  find: (request: Request) => Partition,
  request: Request,
  params: ReadParams,
  options: {
    readonly countsAsFetch: boolean;
    readonly storageFailed: (partition: Partition, error: unknown) => void;
    readonly limits: Limits;
  },
): ReadResult<Request> => {
  if (options.limits.maxBytes < 0) return failedRead(request, INVALID_SIZE);
  let partition: Partition | null = null;
  try {
    partition = find(request);
    const result = readPartition(partition, request, params, options.limits);
    if (options.countsAsFetch && params.replicaId >= 0 && !result.isDiverging) countFetch(partition, request, params);
    return result;
  } catch (error) {
    if (error instanceof KafkaError) return failedRead(request, error.code);
    if (partition === null) throw error;
    options.storageFailed(partition, error);
    return failedRead(request, codeOf('KAFKA_STORAGE_ERROR'));
  }
};

const countFetch = (partition: Partition, request: ReadRequest, params: ReadParams): void =>
  partition.followerFetched(params.replicaId, {
    fetchOffset: request.fetchOffset,
    logStartOffset: request.logStartOffset,
    leaderEndOffset: partition.leaderLog.logEndOffset,
    brokerEpoch: params.replicaEpoch,
  });

const readPartition = <Request extends ReadRequest>(
  partition: Partition,
  request: Request,
  params: ReadParams,
  limits: Limits,
): ReadResult<Request> => {
  const log = partition.localLog(request.currentLeaderEpoch, params.requiresLeader);
  if (params.replicaId >= 0) partition.follower(params.replicaId, { knowsEpoch: request.currentLeaderEpoch >= 0 });
  const preferred = params.preferredReplica?.(partition, request.fetchOffset) ?? null;
  if (preferred !== null) return { ...emptyResult(request, log), preferredReadReplica: preferred };
  if (request.lastFetchedEpoch >= 0) {
    const divergingEpoch = divergence(log, request);
    if (divergingEpoch !== null) return { ...emptyResult(request, log), divergingEpoch, isDiverging: true };
  }
  // All bounds are read before and together with the records: between them nothing else can run.
  const { highWatermark, lastStableOffset, logStartOffset } = log;
  const read = log.read(request.fetchOffset, { ...limits, upTo: params.upTo });
  const recordsBytes = read.region?.length ?? 0;
  assert(limits.minOneBatch || recordsBytes <= limits.maxBytes, 'a read keeps to its limit');
  return {
    request,
    partitionIndex: request.partition,
    errorCode: 0,
    highWatermark,
    lastStableOffset,
    logStartOffset,
    // Nothing is told of the transactions in a batch that has no room; without any room nobody looks at the batch (as in Kafka).
    abortedTransactions: read.firstEntryIncomplete && limits.maxBytes > 0 ? null : read.abortedTransactions,
    preferredReadReplica: -1,
    records: read.region === null ? NO_RECORDS : [read.region],
    recordsBytes,
    isDiverging: false,
    startMetadata: read.startMetadata,
  };
};

const emptyResult = <Request extends ReadRequest>(request: Request, log: PartitionLog): ReadResult<Request> => ({
  ...failedRead(request, 0),
  highWatermark: log.highWatermark,
  lastStableOffset: log.lastStableOffset,
  logStartOffset: log.logStartOffset,
});

/** Where the fetcher's log parts from this one; null if it does not (KIP-595). A fetch below the log start is out of range either way. */
const divergence = (log: PartitionLog, request: ReadRequest): { readonly epoch: number; readonly endOffset: number } | null => {
  const end = log.endOffsetForEpoch(request.lastFetchedEpoch);
  if (end === null || request.fetchOffset < log.logStartOffset) throw new KafkaError('OFFSET_OUT_OF_RANGE');
  const isDiverging = end.leaderEpoch < request.lastFetchedEpoch || end.endOffset < request.fetchOffset;
  return isDiverging ? { epoch: end.leaderEpoch, endOffset: end.endOffset } : null;
};
