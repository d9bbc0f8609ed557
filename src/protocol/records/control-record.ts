import { unreachable } from '../../base/assert.ts';
import { readInt16, writeInt16 } from '../../base/bytes/big-endian.ts';
import { decode, encode, ProtocolError } from '../codec.ts';
import { endTxnMarker } from '../data/end-txn-marker.ts';
import { kRaftVersionRecord } from '../data/kraft-version-record.ts';
import { leaderChangeMessage } from '../data/leader-change-message.ts';
import { snapshotFooterRecord } from '../data/snapshot-footer-record.ts';
import { snapshotHeaderRecord } from '../data/snapshot-header-record.ts';
import { votersRecord } from '../data/voters-record.ts';
import type { Fields, Infer, Input, Message } from '../schema.ts';
import { invalidRecord } from './corrupt-batch-error.ts';
import type { RecordInput } from './log-record.ts';
import { buildBatch } from './record-batch-builder.ts';

/** What a control record says; the place in the list is the type in its key. */
export const CONTROL_TYPES = [
  'ABORT',
  'COMMIT',
  'LEADER_CHANGE',
  'SNAPSHOT_HEADER',
  'SNAPSHOT_FOOTER',
  'KRAFT_VERSION',
  'KRAFT_VOTERS',
] as const;

export type ControlType = (typeof CONTROL_TYPES)[number];

export type ControlRecord =
  | { readonly type: 'ABORT' | 'COMMIT'; readonly value: Infer<typeof endTxnMarker> }
  | { readonly type: 'LEADER_CHANGE'; readonly value: Infer<typeof leaderChangeMessage> }
  | { readonly type: 'SNAPSHOT_HEADER'; readonly value: Infer<typeof snapshotHeaderRecord> }
  | { readonly type: 'SNAPSHOT_FOOTER'; readonly value: Infer<typeof snapshotFooterRecord> }
  | { readonly type: 'KRAFT_VERSION'; readonly value: Infer<typeof kRaftVersionRecord> }
  | { readonly type: 'KRAFT_VOTERS'; readonly value: Infer<typeof votersRecord> }
  /** A type of a later Kafka. */
  | { readonly type: 'UNKNOWN'; readonly value: null };

export type ControlRecordInput =
  | { readonly type: 'ABORT' | 'COMMIT'; readonly value: Input<typeof endTxnMarker> }
  | { readonly type: 'LEADER_CHANGE'; readonly value: Omit<Input<typeof leaderChangeMessage>, 'version'> }
  | { readonly type: 'SNAPSHOT_HEADER'; readonly value: Omit<Input<typeof snapshotHeaderRecord>, 'version'> }
  | { readonly type: 'SNAPSHOT_FOOTER' }
  | { readonly type: 'KRAFT_VERSION'; readonly value: Omit<Input<typeof kRaftVersionRecord>, 'version'> }
  | { readonly type: 'KRAFT_VOTERS'; readonly value: Omit<Input<typeof votersRecord>, 'version'> };

/** Key: version and type, two bytes each. The only version is 0; a later one has the type in the same place. */
const KEY_BYTES = 4;
const VERSION_BYTES = 2;
/** All control records of Kafka 4.4 are written in their first version, also those that have a second one. */
const VERSION = 0;

/** The type in a control record's key; throws CorruptBatchError if it is not such a key. */
export function controlTypeOf(key: Uint8Array | null): ControlType | 'UNKNOWN' {
  if (key === null || key.length < KEY_BYTES)
    throw invalidRecord('The key of a control record is shorter than its version and type');
  const version = readInt16(key, 0);
  if (version < 0) throw invalidRecord(`Invalid version found for control record: ${version}. May indicate data corruption`);
  return CONTROL_TYPES[readInt16(key, VERSION_BYTES)] ?? 'UNKNOWN';
}

/** Reads what a record of a control batch says; throws CorruptBatchError. */
export function readControlRecord(record: { readonly key: Uint8Array | null; readonly value: Uint8Array | null }): ControlRecord {
  const type = controlTypeOf(record.key);
  switch (type) {
    case 'ABORT':
    case 'COMMIT':
      return { type, value: readMarker(record.value) };
    case 'LEADER_CHANGE':
      return { type, value: readVersioned(leaderChangeMessage, record.value, 1) };
    case 'SNAPSHOT_HEADER':
      return { type, value: readVersioned(snapshotHeaderRecord, record.value, 0) };
    case 'SNAPSHOT_FOOTER':
      return { type, value: readVersioned(snapshotFooterRecord, record.value, 0) };
    case 'KRAFT_VERSION':
      return { type, value: readVersioned(kRaftVersionRecord, record.value, 0) };
    case 'KRAFT_VOTERS':
      return { type, value: readVersioned(votersRecord, record.value, 0) };
    case 'UNKNOWN':
      return { type, value: null };
    default:
      return unreachable(type);
  }
}

/** A marker's version stands before its fields. */
function readMarker(value: Uint8Array | null): Infer<typeof endTxnMarker> {
  if (value === null || value.length < VERSION_BYTES) throw invalidRecord('A transaction marker has no version');
  const version = readInt16(value, 0);
  if (version < 0)
    throw invalidRecord(`Invalid version found for end transaction marker: ${version}. May indicate data corruption`);
  return readValue(endTxnMarker, VERSION, value.subarray(VERSION_BYTES));
}

/** The other values have their version as their first field. A later version than we know is read as the last we know. */
function readVersioned<F extends Fields>(schema: Message<F>, value: Uint8Array | null, latest: number): Infer<Message<F>> {
  if (value === null || value.length < VERSION_BYTES) throw invalidRecord(`${schema.name} has no version`);
  return readValue(schema, Math.max(0, Math.min(readInt16(value, 0), latest)), value);
}

function readValue<F extends Fields>(schema: Message<F>, version: number, bytes: Uint8Array): Infer<Message<F>> {
  try {
    return decode(schema, version, bytes);
  } catch (error) {
    if (error instanceof ProtocolError) throw invalidRecord(`${schema.name} is malformed: ${error.message}`, { cause: error });
    throw error;
  }
}

/** Key and value of a control record. */
export function writeControlRecord(control: ControlRecordInput): { readonly key: Buffer; readonly value: Buffer } {
  const key = Buffer.alloc(KEY_BYTES);
  writeInt16(key, VERSION_BYTES, CONTROL_TYPES.indexOf(control.type));
  return { key, value: writeValue(control) };
}

function writeValue(control: ControlRecordInput): Buffer {
  switch (control.type) {
    case 'ABORT':
    case 'COMMIT':
      return Buffer.concat([Buffer.alloc(VERSION_BYTES), encode(endTxnMarker, VERSION, control.value)]);
    case 'LEADER_CHANGE':
      return encode(leaderChangeMessage, VERSION, { ...control.value, version: VERSION });
    case 'SNAPSHOT_HEADER':
      return encode(snapshotHeaderRecord, VERSION, { ...control.value, version: VERSION });
    case 'SNAPSHOT_FOOTER':
      return encode(snapshotFooterRecord, VERSION, { version: VERSION });
    case 'KRAFT_VERSION':
      return encode(kRaftVersionRecord, VERSION, { ...control.value, version: VERSION });
    case 'KRAFT_VOTERS':
      return encode(votersRecord, VERSION, { ...control.value, version: VERSION });
    default:
      return unreachable(control);
  }
}

export interface ControlBatchInput {
  readonly controls: readonly ControlRecordInput[];
  /** Milliseconds since the epoch, for every record. */
  readonly timestamp: number;
  readonly baseOffset?: number;
  readonly partitionLeaderEpoch?: number;
}

/** A control batch of the metadata log or of a snapshot. */
export function buildControlBatch({ controls, timestamp, ...rest }: ControlBatchInput): Buffer {
  const records = controls.map((control): RecordInput => ({ ...writeControlRecord(control), timestamp }));
  return buildBatch({ ...rest, records, isControl: true });
}

export interface EndTransactionMarkerInput {
  readonly outcome: 'COMMIT' | 'ABORT';
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly coordinatorEpoch: number;
  readonly timestamp: number;
  readonly baseOffset?: number;
  readonly partitionLeaderEpoch?: number;
}

/** The control batch that ends a transaction in one partition. */
export function buildEndTransactionMarker(input: EndTransactionMarkerInput): Buffer {
  const { outcome, coordinatorEpoch, timestamp, ...rest } = input;
  const record = { ...writeControlRecord({ type: outcome, value: { coordinatorEpoch } }), timestamp };
  return buildBatch({ ...rest, records: [record], isControl: true, isTransactional: true });
}
