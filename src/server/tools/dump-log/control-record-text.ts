import { readInt16 } from '../../../base/bytes/big-endian.ts';
import { decode } from '../../../protocol/codec.ts';
import { endTxnMarker } from '../../../protocol/data/end-txn-marker.ts';
import { kRaftVersionRecord } from '../../../protocol/data/kraft-version-record.ts';
import { leaderChangeMessage } from '../../../protocol/data/leader-change-message.ts';
import { snapshotFooterRecord } from '../../../protocol/data/snapshot-footer-record.ts';
import { snapshotHeaderRecord } from '../../../protocol/data/snapshot-header-record.ts';
import { votersRecord } from '../../../protocol/data/voters-record.ts';
import { toJsonText } from '../../../protocol/json.ts';
import type { LogRecord } from '../../../protocol/records/log-record.ts';
import type { Message } from '../../../protocol/schema.ts';
import { DumpLogError } from './dump-output.ts';

const KEY_BYTES = 4;
const TYPE_AT = 2;
const UNKNOWN_TYPE = -1;

/** Markers of transactions, by type: their values carry a version before the fields. */
const MARKERS = ['ABORT', 'COMMIT'];

/** Records of the quorum, by type: their first field is the version of their schema. */
const quorumRecords: ReadonlyMap<number, readonly [label: string, Message]> = new Map<number, readonly [string, Message]>([
  [2, ['LeaderChange:', leaderChangeMessage]],
  [3, ['SnapshotHeader', snapshotHeaderRecord]],
  [4, ['SnapshotFooter', snapshotFooterRecord]],
  [5, ['KRaftVersion', kRaftVersionRecord]],
  [6, ['KRaftVoters', votersRecord]],
]);

/** What a control record says. */
export function controlRecordText({ key, value, offset }: LogRecord): string {
  if (key === null || key.length < KEY_BYTES)
    throw new DumpLogError(`The control record at offset ${offset} has no key that says its type`);
  if (value === null) throw new DumpLogError(`The control record at offset ${offset} has no value`);
  const type = readInt16(key, TYPE_AT);
  const marker = MARKERS[type];
  if (marker !== undefined) {
    const { coordinatorEpoch } = decode(endTxnMarker, 0, value.subarray(2));
    return `endTxnMarker: ${marker} coordinatorEpoch: ${coordinatorEpoch}`;
  }
  const record = quorumRecords.get(type);
  if (record === undefined) return `controlType: UNKNOWN(${type === UNKNOWN_TYPE ? UNKNOWN_TYPE : type})`;
  const [label, schema] = record;
  const version = Math.min(readInt16(value, 0), Number(schema.versions.split('-').at(-1)));
  return `${label} ${toJsonText(schema, version, decode(schema, version, value))}`;
}
