import type { Disk } from '../../../base/disk.ts';
import { CURRENT_MAGIC, type TimestampType } from '../../../protocol/records/batch-layout.ts';
import { CorruptBatchError } from '../../../protocol/records/corrupt-batch-error.ts';
import { DecompressionError } from '../../../protocol/compression/index.ts';
import { legacyMessagesOf } from '../../../protocol/records/legacy-records.ts';
import { LegacyBatch } from '../../../protocol/records/legacy-batch.ts';
import type { LogRecord } from '../../../protocol/records/log-record.ts';
import type { RecordBatch } from '../../../protocol/records/record-batch.ts';
import { recordsOf } from '../../../protocol/records/record-iterator.ts';
import { controlRecordText } from './control-record-text.ts';
import { baseOffsetOf, type DumpOptions, fileName, NO_BYTE_LIMIT } from './dump-options.ts';
import { DumpLogError, type DumpOutput } from './dump-output.ts';
import { fileBatches } from './file-batches.ts';

const SNAPSHOT_NAME = /^(\d{20})-(\d{10})\.checkpoint$/;
const BOOTSTRAP_SNAPSHOT = 'bootstrap.checkpoint';
/** A tool may take more memory for a batch than a broker. */
const DECOMPRESSED_BYTES_MAX = 2 ** 31 - 1;

const TIMESTAMP_TYPES: Readonly<Record<TimestampType, string>> = {
  none: 'NoTimestampType',
  'create-time': 'CreateTime',
  'log-append-time': 'LogAppendTime',
};

/** A gap between the offsets of two records that follow each other. */
export interface OffsetGap {
  readonly before: number;
  readonly after: number;
}

/** Prints a segment or a snapshot; gives the gaps between its records. Throws DumpLogError and DiskError. */
export function dumpLogFile(disk: Disk, path: string, options: DumpOptions, output: DumpOutput): OffsetGap[] {
  output.out(`${headline(path)}\n`);
  const file = disk.open(path, { readOnly: true });
  try {
    const size = file.size();
    const end = Math.min(size, options.maxBytes);
    const gaps = new GapFinder();
    let validBytes = 0;
    for (const { batch, position } of fileBatches(file, { start: 0, end })) {
      printBatch(batch, position, output);
      if (options.deepIteration) printRecords(batch, options, output, gaps);
      validBytes = position + batch.sizeInBytes;
    }
    if (end > validBytes && options.maxBytes === NO_BYTE_LIMIT) {
      output.out(`Found ${end - validBytes} invalid bytes at the end of ${fileName(path)}\n`);
    }
    return gaps.found;
  } catch (error) {
    if (error instanceof CorruptBatchError || error instanceof DecompressionError)
      throw new DumpLogError(`${path}: ${error.message}`, { cause: error });
    throw error;
  } finally {
    file.close();
  }
}

function headline(path: string): string {
  const name = fileName(path);
  if (name === BOOTSTRAP_SNAPSHOT) return 'KRaft bootstrap snapshot';
  const snapshot = SNAPSHOT_NAME.exec(name);
  if (snapshot !== null) return `Snapshot end offset: ${Number(snapshot[1])}, epoch: ${Number(snapshot[2])}`;
  const baseOffset = baseOffsetOf(path);
  if (baseOffset === null) throw new DumpLogError(`${path}: a segment is named after its first offset`);
  return `Log starting offset: ${baseOffset}`;
}

function printBatch(batch: RecordBatch, position: number, { out }: DumpOutput): void {
  if (batch.magic >= CURRENT_MAGIC) {
    const horizon = batch.deleteHorizonMs === null ? 'OptionalLong.empty' : `OptionalLong[${batch.deleteHorizonMs}]`;
    out(
      `baseOffset: ${batch.baseOffset} lastOffset: ${batch.lastOffset} count: ${batch.recordsCount} baseSequence: ${batch.baseSequence}` +
        ` lastSequence: ${batch.lastSequence} producerId: ${batch.producerId} producerEpoch: ${batch.producerEpoch}` +
        ` partitionLeaderEpoch: ${batch.partitionLeaderEpoch} isTransactional: ${batch.isTransactional} isControl: ${batch.isControl}` +
        ` deleteHorizonMs: ${horizon}`,
    );
  } else out(`offset: ${batch.lastOffset}`);
  out(
    ` position: ${position} ${TIMESTAMP_TYPES[batch.timestampType]}: ${batch.maxTimestamp} size: ${batch.sizeInBytes} magic: ${batch.magic}` +
      ` compresscodec: ${batch.codec} crc: ${batch.crc} isvalid: ${batch.isCrcValid()}\n`,
  );
}

function printRecords(batch: RecordBatch, options: DumpOptions, output: DumpOutput, gaps: GapFinder): void {
  const messages = batch instanceof LegacyBatch ? legacyMessagesOf(batch, DECOMPRESSED_BYTES_MAX) : null;
  let index = 0;
  for (const record of recordsOf(batch, { maxDecompressedBytes: DECOMPRESSED_BYTES_MAX })) {
    gaps.next(record.offset);
    const { out } = output;
    let prefix = '| ';
    if (!options.skipRecordMetadata) {
      out(`${prefix}${metadataText(batch, record)}`);
      const message = messages?.[index];
      if (message !== undefined) out(` isValid: ${message.isCrcValid()} crc: ${message.crc}`);
      if (batch.isControl) out(` ${controlRecordText(record)}`);
      prefix = ' ';
    }
    if (options.contents !== null && !batch.isControl) {
      const { key, payload } = options.contents(record);
      if (key !== null) {
        out(`${prefix}key: ${key}`);
        prefix = ' ';
      }
      if (payload !== null) out(`${prefix}payload: ${payload}`);
    }
    out('\n');
    index++;
  }
}

function metadataText(batch: RecordBatch, record: LogRecord): string {
  const sizes = `keySize: ${record.key?.length ?? -1} valueSize: ${record.value?.length ?? -1}`;
  const basics = `offset: ${record.offset} ${TIMESTAMP_TYPES[batch.timestampType]}: ${record.timestamp} ${sizes}`;
  if (batch.magic < CURRENT_MAGIC) return basics;
  return `${basics} sequence: ${record.sequence} headerKeys: [${record.headers.map((header) => header.key).join(',')}]`;
}

class GapFinder {
  readonly found: OffsetGap[] = [];
  #last: number | null = null;

  next(offset: number): void {
    if (this.#last !== null && offset !== this.#last + 1) this.found.push({ before: this.#last, after: offset });
    this.#last = offset;
  }
}
