import { takeTurns } from '../base/turns.ts';
import { decompressInPieces } from '../protocol/compression/in-pieces.ts';
import { CURRENT_MAGIC } from '../protocol/records/batch-layout.ts';
import type { RecordBatch } from '../protocol/records/record-batch.ts';
import { DECOMPRESSED_BYTES_MAX, recordsOf } from '../protocol/records/record-iterator.ts';
import { RecordWalk } from '../protocol/records/record-walk.ts';
import { KafkaError } from '../protocol/errors.ts';
import type { AheadPorts } from './append-ahead.ts';

/** Records are searched at once up to here; more of them are searched in turns with others, where that is possible. */
const PLAIN_BYTES_PER_TURN = 512 * 1024;

/** A record found by its time. */
export interface TimestampedOffset {
  readonly offset: number;
  readonly timestamp: number;
  readonly leaderEpoch: number | null;
}

/** The first record at or behind `offset` that has this time, or where `orLater` a later one. */
export interface WantedRecord {
  readonly timestamp: number;
  readonly orLater: boolean;
  readonly offset: number;
}

/** What was found ahead, by the base offset of the batch it was searched in. */
export type FoundAhead = ReadonlyMap<number, TimestampedOffset | null>;

/** Searching a batch takes too long for one turn: `searchAhead` does it, and then whoever asked asks again. */
export class LargeSearch extends Error {
  readonly batch: RecordBatch;
  readonly wanted: WantedRecord;

  constructor(batch: RecordBatch, wanted: WantedRecord) {
    super(`The batch at offset ${batch.baseOffset} is too large to be searched in one turn`);
    this.batch = batch;
    this.wanted = wanted;
  }
}

/** Searches a batch. Throws a LargeSearch where that would take long and `foundAhead` is given and does not know the batch. */
export function searchBatch(batch: RecordBatch, wanted: WantedRecord, foundAhead?: FoundAhead): TimestampedOffset | null {
  const known = foundAhead?.get(batch.baseOffset);
  if (known !== undefined) return known;
  const maxDecompressedBytes = foundAhead === undefined ? DECOMPRESSED_BYTES_MAX : PLAIN_BYTES_PER_TURN;
  const mayBeLarge = foundAhead !== undefined && batch.magic === CURRENT_MAGIC;
  if (mayBeLarge && batch.sizeInBytes > PLAIN_BYTES_PER_TURN) throw new LargeSearch(batch, wanted);
  try {
    for (const record of recordsOf(batch, mayBeLarge ? { maxDecompressedBytes } : {})) {
      if (isWanted(record, wanted)) return foundIn(batch, record);
    }
  } catch (error) {
    const isTooLarge = error instanceof KafkaError && error.errorName === 'MESSAGE_TOO_LARGE';
    throw mayBeLarge && isTooLarge ? new LargeSearch(batch, wanted) : error;
  }
  return null;
}

/** The same piece by piece, in turns with others. */
export async function searchAhead(
  { batch, wanted }: LargeSearch,
  { clock, zlib }: AheadPorts,
): Promise<TimestampedOffset | null> {
  const { baseOffset, baseTimestamp } = batch;
  const ofBatch = batch.timestampType === 'log-append-time' ? batch.maxTimestamp : null;
  let found: TimestampedOffset | null = null;
  const records = new RecordWalk({
    count: batch.recordsCount,
    maxRecordBytes: Infinity,
    visit: ({ offsetDelta, timestampDelta }) => {
      const record = { offset: baseOffset + offsetDelta, timestamp: ofBatch ?? baseTimestamp + timestampDelta };
      if (found === null && isWanted(record, wanted)) found = foundIn(batch, record);
    },
  });
  const pieces = decompressInPieces(batch.codec, batch.recordBytes, { maxBytes: DECOMPRESSED_BYTES_MAX, zlib });
  for await (const piece of takeTurns(clock, pieces)) {
    records.push(piece);
    if (found !== null) return found;
  }
  records.end();
  return found;
}

interface SearchedRecord {
  readonly offset: number;
  readonly timestamp: number;
}

function isWanted({ offset, timestamp }: SearchedRecord, wanted: WantedRecord): boolean {
  return offset >= wanted.offset && (wanted.orLater ? timestamp >= wanted.timestamp : timestamp === wanted.timestamp);
}

function foundIn({ partitionLeaderEpoch: epoch }: RecordBatch, { offset, timestamp }: SearchedRecord): TimestampedOffset {
  return { offset, timestamp, leaderEpoch: epoch < 0 ? null : epoch };
}
