import { readInt32 } from '../base/bytes/big-endian.ts';
import { BATCH_LENGTH, LOG_OVERHEAD } from '../protocol/records/batch-layout.ts';
import { RecordBatch } from '../protocol/records/record-batch.ts';
import { recordsOf } from '../protocol/records/record-iterator.ts';
import type { ControlFacts } from './control-records.ts';
import { readControlBatch } from './control-records.ts';
import type { OffsetAndEpoch, SnapshotSource } from './raft-log.ts';
import type { LoadedSnapshot, RecordSerde } from './raft-record.ts';

/** A snapshot that is not whole or not what it says. */
export class SnapshotError extends Error {
  override readonly name = 'SnapshotError';
}

/** What a snapshot says about the quorum. */
export interface SnapshotFacts {
  readonly lastContainedLogTimestamp: number;
  readonly kraftVersion: ControlFacts['kraftVersion'];
  readonly voters: ControlFacts['voters'];
}

/** The batches of a snapshot, read one at a time and checked. Throws SnapshotError, or CorruptBatchError for damaged bytes. */
function* batchesOfSnapshot(source: SnapshotSource): Generator<RecordBatch> {
  const prefix = new Uint8Array(LOG_OVERHEAD);
  for (let position = 0; position < source.sizeInBytes; ) {
    if (source.read(prefix, position) < LOG_OVERHEAD) throw new SnapshotError(`${nameOfSnapshot(source.id)} ends within a batch`);
    const size = LOG_OVERHEAD + readInt32(prefix, BATCH_LENGTH);
    if (size <= LOG_OVERHEAD || position + size > source.sizeInBytes) {
      throw new SnapshotError(`${nameOfSnapshot(source.id)} has a batch of ${size} bytes at ${position}, beyond its end`);
    }
    const bytes = new Uint8Array(size);
    source.read(bytes, position);
    const batch = new RecordBatch(bytes);
    if (!batch.isCrcValid()) throw new SnapshotError(`${nameOfSnapshot(source.id)} is damaged at byte ${position}`);
    position += size;
    yield batch;
  }
}

/** The header of a snapshot. */
export function readSnapshotFacts(source: SnapshotSource): SnapshotFacts {
  for (const batch of batchesOfSnapshot(source)) {
    const facts = batch.isControl ? readControlBatch(batch) : {};
    const { lastContainedLogTimestamp, kraftVersion, voters } = facts;
    if (lastContainedLogTimestamp === undefined) break;
    return { lastContainedLogTimestamp, kraftVersion, voters };
  }
  throw new SnapshotError(`${nameOfSnapshot(source.id)} does not begin with a header`);
}

/** A snapshot for a listener. Its records can be iterated once; reaching their end without having seen a footer is a SnapshotError. */
export function loadSnapshot<R>(source: SnapshotSource, serde: RecordSerde<R>): LoadedSnapshot<R> {
  const { lastContainedLogTimestamp } = readSnapshotFacts(source);
  const { sizeInBytes, id } = source;
  return {
    offset: id.offset,
    epoch: id.epoch,
    lastContainedLogTimestamp,
    sizeInBytes,
    records: recordsOfSnapshot(source, serde),
  };
}

function* recordsOfSnapshot<R>(source: SnapshotSource, serde: RecordSerde<R>): Generator<R> {
  let hasFooter = false;
  for (const batch of batchesOfSnapshot(source)) {
    if (batch.isControl) {
      hasFooter = readControlBatch(batch).isFooter === true;
      continue;
    }
    for (const { value } of recordsOf(batch)) if (value !== null) yield serde.decode(value);
  }
  if (!hasFooter) throw new SnapshotError(`${nameOfSnapshot(source.id)} has no footer: it was not finished`);
}

const nameOfSnapshot = ({ offset, epoch }: OffsetAndEpoch): string => `the snapshot at offset ${offset} of epoch ${epoch}`;
