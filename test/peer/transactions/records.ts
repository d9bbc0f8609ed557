import { groupRecordSerde } from '../../../src/coordinator/group/group-record.ts';
import { transactionRecordSerde } from '../../../src/coordinator/transaction/transaction-record.ts';
import { batchesOf } from '../../../src/protocol/records/batches.ts';
import { readControlRecord } from '../../../src/protocol/records/control-record.ts';
import type { RecordBatch } from '../../../src/protocol/records/record-batch.ts';
import { buildBatch } from '../../../src/protocol/records/record-batch-builder.ts';
import { recordsOf } from '../../../src/protocol/records/record-iterator.ts';
import type { Values } from '../differential/fit.ts';
import type { Names } from './names.ts';

/** Records to produce. */
export interface DataSpec {
  readonly kind: 'data';
  readonly values: readonly string[];
  readonly producerId: number | string;
  readonly producerEpoch: number;
  readonly baseSequence: number;
  readonly isTransactional: boolean;
  readonly isControl?: boolean;
}

/** Records of a transaction coordinator. A value that is null takes the id away. */
export interface LogSpec {
  readonly kind: 'transaction log';
  readonly version: number;
  readonly records: readonly { readonly transactionalId: string; readonly value: Values | null }[];
}

export type RecordsSpec = DataSpec | LogSpec;

export const isRecordsSpec = (value: unknown): value is RecordsSpec =>
  typeof value === 'object' && value !== null && 'kind' in value && (value.kind === 'data' || value.kind === 'transaction log');

export function bytesOf(spec: RecordsSpec, now: number): Buffer {
  if (spec.kind === 'data') {
    const { producerEpoch, baseSequence, isTransactional, isControl = false } = spec;
    const records = spec.values.map((value) => ({ timestamp: now, key: null, value: Buffer.from(value), headers: [] }));
    const producerId = Number(spec.producerId);
    return buildBatch({ records, producerId, producerEpoch, baseSequence, isTransactional, isControl });
  }
  const records = spec.records.map(({ transactionalId, value }) => {
    const { key, value: bytes } = transactionRecordSerde.encode({
      type: 'TransactionLog',
      key: { transactionalId },
      version: spec.version,
      value:
        value === null
          ? null
          : { ...EMPTY, transactionLastUpdateTimestampMs: now, ...value, ...(spec.version === 0 ? NOT_IN_FIRST : {}) },
    });
    return { timestamp: now, key, value: bytes, headers: [] };
  });
  return buildBatch({ records });
}

const NOT_IN_FIRST = { previousProducerId: -1, nextProducerId: -1, nextProducerEpoch: -1, clientTransactionVersion: 0 };
const EMPTY = {
  producerId: 0,
  previousProducerId: -1,
  nextProducerId: -1,
  producerEpoch: 0,
  nextProducerEpoch: -1,
  transactionTimeoutMs: 60_000,
  transactionStatus: 0,
  transactionPartitions: null,
  transactionStartTimestampMs: -1,
  clientTransactionVersion: 0,
};

/** Each batch in a line. */
export const viewBatches = (bytes: Uint8Array, names: Names): string[] =>
  Array.from(batchesOf(bytes), (batch) => viewBatch(batch, names));

function viewBatch(batch: RecordBatch, names: Names): string {
  const { baseOffset, lastOffset, producerId, producerEpoch, baseSequence, isTransactional, isControl } = batch;
  const offsets = baseOffset === lastOffset ? String(baseOffset) : `${baseOffset}-${lastOffset}`;
  const producer = `${names.nameOf(producerId)}/${producerEpoch} ${baseSequence}${isTransactional ? ' in transaction' : ''}`;
  const contents = [...recordsOf(batch)].map((record) => {
    if (!isControl) return Buffer.from(record.value ?? []).toString();
    const { type, value } = readControlRecord(record);
    return `${type} ${JSON.stringify(value)}`;
  });
  return `${offsets}: ${producer}: ${contents.join(', ')}`;
}

interface DecodedRecord {
  readonly key: object;
}
type Decode = (key: Uint8Array, value: Uint8Array | null) => DecodedRecord | null;

export const decodeTransactionRecord: Decode = (key, value) => transactionRecordSerde.decode(key, value);
export const decodeGroupRecord: Decode = (key, value) => groupRecordSerde.decode(key, value);

/** The records of a coordinator's log that belong to a conversation, in order, and the markers of its producers. */
export function viewCoordinatorLog(bytes: readonly Uint8Array[], decode: Decode, names: Names): unknown[] {
  const views: unknown[] = [];
  for (const batch of bytes.flatMap((part) => [...batchesOf(part)])) {
    const { producerId, producerEpoch, isTransactional, isControl } = batch;
    if (isControl) {
      if (names.isKnown(producerId)) views.push(viewBatch(batch, names).replace(/^[^:]+: /, ''));
      continue;
    }
    for (const { key, value } of recordsOf(batch)) {
      const record = key === null ? null : decode(key, value);
      const { transactionalId, group } = (record?.key ?? {}) as { readonly transactionalId?: string; readonly group?: string };
      const producer = isTransactional ? { producerId, producerEpoch } : {};
      if (names.isOwn(transactionalId ?? group ?? '')) views.push(names.fromWire({ ...record, ...producer }));
    }
  }
  return views;
}
