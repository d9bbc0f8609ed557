import { assert } from '../base/assert.ts';
import { bytesBetween, isOffsetOnly, type LogOffsetMetadata } from '../storage/offset-metadata.ts';
import type { PartitionLog } from '../storage/partition-log.ts';
import type { Partition } from './partition.ts';
import { DelayedOperation } from './purgatory.ts';
import type { ReadableEnd, ReadParams, ReadRequest } from './read.ts';

/** One partition of a waiting fetch, and where its first read began. */
export interface FetchStart {
  readonly partition: Partition;
  readonly request: ReadRequest;
  readonly start: LogOffsetMetadata | null;
}

/** Whoever waits for a fetch, as far as it can be told how that goes. Each takes a callback and gives the way to withdraw it. */
export interface Fetcher {
  /** Its connection is gone. */
  onDisconnected?(callback: () => void): () => void;
  /** It will ask nothing more, but may still take an answer. */
  onEnded?(callback: () => void): () => void;
}

const readableEndOf = (log: PartitionLog, upTo: ReadableEnd): LogOffsetMetadata => {
  switch (upTo) {
    case 'log-end':
      return log.logEndMetadata;
    case 'high-watermark':
      return log.highWatermarkMetadata;
    default:
      return log.lastStableMetadata;
  }
};

/**
 * A Fetch that found too little. It counts what has become readable by subtracting file positions, and reads again when it completes: its first read
 * may be stale by then.
 */
export class DelayedFetch extends DelayedOperation {
  readonly #params: ReadParams;
  readonly #starts: readonly FetchStart[];
  readonly #readAgain: () => void;
  readonly #abandoned: () => void;
  #isAbandoned = false;
  /** What was readable when it was last looked, by place, where it was anything; and the sum. */
  readonly #readable = new Map<number, number>();
  #readableBytes = 0;

  constructor(options: {
    readonly params: ReadParams;
    readonly starts: readonly FetchStart[];
    readonly readAgain: () => void;
    readonly abandoned: () => void;
  }) {
    super(options.params.maxWaitMs);
    this.#params = options.params;
    this.#starts = options.starts;
    this.#readAgain = options.readAgain;
    this.#abandoned = options.abandoned;
  }

  tryComplete(changed?: number): boolean {
    const isAnswered = changed === undefined ? this.#starts.some((_, place) => this.#look(place)) : this.#look(changed);
    return (isAnswered || this.#readableBytes >= this.#params.minBytes) && this.forceComplete();
  }

  /** Nobody waits for the answer any more. */
  abandon(): void {
    this.#isAbandoned = true;
    this.forceComplete();
  }

  protected onComplete(): void {
    if (this.#isAbandoned) this.#abandoned();
    else this.#readAgain();
  }

  /** Counts anew what is readable of one partition. True if the fetch is to be answered whatever there is of the others. */
  #look(place: number): boolean {
    const start = this.#starts[place];
    assert(start !== undefined, 'a fetch is watched under its partitions');
    const bytes = this.#bytesReadable(start);
    if (bytes === 'answer-now') return true;
    const before = this.#readable.get(place) ?? 0;
    this.#readableBytes += bytes - before;
    if (bytes > 0) this.#readable.set(place, bytes);
    else if (before > 0) this.#readable.delete(place);
    return false;
  }

  /** What is readable now behind the start; `answer-now` where the fetcher has to be told something else, or the count is not worth the trouble. */
  #bytesReadable({ partition, request, start }: FetchStart): number | 'answer-now' {
    try {
      const log = partition.localLog(request.currentLeaderEpoch, this.#params.requiresLeader);
      if (request.lastFetchedEpoch >= 0 && isDiverging(log, request)) return 'answer-now';
      if (start === null || isOffsetOnly(start)) return 0;
      const end = readableEndOf(log, this.#params.upTo);
      if (end.offset === start.offset) return 0;
      // The log was truncated, or what is asked for lies in an older segment: read it.
      if (end.offset < start.offset) return 'answer-now';
      const bytes = bytesBetween(start, end);
      return bytes === null ? 'answer-now' : Math.min(bytes, request.maxBytes);
    } catch {
      // Reading again meets the same error, and tells it to the one whom it concerns: not whoever caused this look.
      return 'answer-now';
    }
  }
}

const isDiverging = (log: PartitionLog, request: ReadRequest): boolean => {
  const end = log.endOffsetForEpoch(request.lastFetchedEpoch);
  return end === null || end.leaderEpoch < request.lastFetchedEpoch || end.endOffset < request.fetchOffset;
};
