import type { FileRegion } from '../base/disk.ts';
import { KafkaError } from '../protocol/errors.ts';
import type { LogSegment } from './log-segment.ts';
import type { LogState } from './log-state.ts';
import type { LogOffsetMetadata } from './offset-metadata.ts';
import type { AbortedTransaction } from './transaction-index.ts';

/** How far a reader may look: a follower to the log end, a consumer to the high watermark or the last stable offset. */
export type Isolation = 'log-end' | 'high-watermark' | 'last-stable-offset';

export interface ReadOptions {
  readonly maxBytes: number;
  readonly upTo: Isolation;
  /** Gives the first batch whole even if it is larger than `maxBytes`. */
  readonly minOneBatch: boolean;
}

export interface LogRead {
  /** Where the records lie; to be released once. Null when there is nothing to give. The last batch may be cut. */
  readonly region: FileRegion | null;
  readonly startMetadata: LogOffsetMetadata;
  /** There is a batch, and it is larger than was asked for. */
  readonly firstEntryIncomplete: boolean;
  /** For 'last-stable-offset' the aborted transactions of the range, otherwise null. */
  readonly abortedTransactions: readonly AbortedTransaction[] | null;
}

const NONE: readonly AbortedTransaction[] = Object.freeze([]);

/** Finds the records from `offset` on without looking at them. Throws OFFSET_OUT_OF_RANGE. */
export function readLog(state: LogState, offset: number, options: ReadOptions): LogRead {
  if (offset < state.logStartOffset || offset > state.logEndOffset) throw outOfRange(state, offset);
  const end = readableEnd(state, options.upTo);
  if (offset >= end.offset) return empty(offset === end.offset ? end : state.locate(offset), options);
  const from = Math.max(0, state.segments.indexOf(offset));
  for (let index = from; index < state.segments.count; index++) {
    const segment = state.segments.at(index);
    if (segment === null || segment.baseOffset > end.segmentBaseOffset) break;
    state.reading(segment);
    const place = segment.find(offset);
    if (place === null) continue;
    const endPosition = segment.baseOffset === end.segmentBaseOffset ? end.positionInSegment : segment.sizeInBytes;
    const startMetadata = { offset, segmentBaseOffset: segment.baseOffset, positionInSegment: place.position };
    const readable = endPosition - place.position;
    if (readable <= 0) return empty(startMetadata, options);
    const wanted = options.minOneBatch ? Math.max(options.maxBytes, place.size) : options.maxBytes;
    if (wanted < place.size) return { ...empty(startMetadata, options), firstEntryIncomplete: true };
    const length = Math.min(readable, wanted);
    return {
      region: segment.region(place.position, length),
      startMetadata,
      firstEntryIncomplete: false,
      abortedTransactions:
        options.upTo === 'last-stable-offset'
          ? abortedIn(state, segment, { offset, endPosition: place.position + length })
          : null,
    };
  }
  return empty(state.logEnd, options);
}

function readableEnd(state: LogState, upTo: Isolation): LogOffsetMetadata {
  switch (upTo) {
    case 'log-end':
      return state.logEnd;
    case 'high-watermark':
      return state.highWatermarkMetadata;
    case 'last-stable-offset':
      return state.lastStableMetadata;
    default:
      return upTo satisfies never;
  }
}

function empty(startMetadata: LogOffsetMetadata, { upTo }: ReadOptions): LogRead {
  const abortedTransactions = upTo === 'last-stable-offset' ? NONE : null;
  return { region: null, startMetadata, firstEntryIncomplete: false, abortedTransactions };
}

/** The aborted transactions that have records between `offset` and what lies at `endPosition` of `segment`. */
function abortedIn(
  state: LogState,
  segment: LogSegment,
  range: { readonly offset: number; readonly endPosition: number },
): readonly AbortedTransaction[] {
  const next = state.segments.next(segment);
  const upperBound = segment.offsetAtOrBehind(range.endPosition) ?? next?.baseOffset ?? state.logEndOffset;
  let found: AbortedTransaction[] | null = null;
  for (let at: LogSegment | null = segment; at !== null; at = state.segments.next(at)) {
    for (const transaction of at.transactionIndex.entries) {
      if (transaction.lastOffset >= range.offset && transaction.firstOffset < upperBound) (found ??= []).push(transaction);
      // Nothing that is aborted later can reach back to before this.
      if (transaction.lastStableOffset >= upperBound) return found ?? NONE;
    }
  }
  return found ?? NONE;
}

function outOfRange(state: LogState, offset: number): KafkaError {
  return new KafkaError(
    'OFFSET_OUT_OF_RANGE',
    `Received request for offset ${offset} for partition ${state.context.name}, but we only have log segments from offset ${state.logStartOffset} upto ${state.logEndOffset}.`,
  );
}
