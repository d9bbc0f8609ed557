import { readInt16, readInt64, readUint32 } from '../../../base/bytes/big-endian.ts';
import { crc32c } from '../../../base/bytes/crc32c.ts';
import type { Disk } from '../../../base/disk.ts';
import { decode } from '../../../protocol/codec.ts';
import { producerSnapshot } from '../../../protocol/data/producer-snapshot.ts';
import { ProtocolError } from '../../../protocol/protocol-error.ts';
import { addToSequence } from '../../../protocol/records/record-batch.ts';
import type { DumpOutput } from './dump-output.ts';
import { readWhole } from './whole-file.ts';

const SNAPSHOT_VERSION = 1;
const CRC_AT = 2;
const CHECKED_FROM = 6;
const TRANSACTION_ENTRY_BYTES = 34;

/** Prints the producers of a snapshot; one that is damaged is a problem, not an error. */
export function dumpProducerSnapshot(disk: Disk, path: string, output: DumpOutput): void {
  const bytes = readWhole(disk, path);
  const version = bytes.length < 2 ? 0 : readInt16(bytes, 0);
  if (version !== SNAPSHOT_VERSION) {
    output.problem(`Snapshot failed schema validation: Snapshot contained an unknown file version ${version}`);
    return;
  }
  const stored = bytes.length < CHECKED_FROM ? 0 : readUint32(bytes, CRC_AT);
  const computed = crc32c(bytes, Math.min(CHECKED_FROM, bytes.length));
  if (stored !== computed) {
    output.problem(`Snapshot is corrupt (CRC is no longer valid). Stored crc: ${stored}. Computed crc: ${computed}`);
    return;
  }
  try {
    for (const entry of decode(producerSnapshot, version, bytes.subarray(2)).producerEntries) {
      const first = entry.currentTxnFirstOffset < 0 ? 'OptionalLong.empty' : `OptionalLong[${entry.currentTxnFirstOffset}]`;
      const producer =
        `producerId: ${entry.producerId} producerEpoch: ${entry.epoch} coordinatorEpoch: ${entry.coordinatorEpoch}` +
        ` currentTxnFirstOffset: ${first} lastTimestamp: ${entry.timestamp}`;
      const batch =
        `firstSequence: ${addToSequence(entry.lastSequence, -entry.offsetDelta)} lastSequence: ${entry.lastSequence}` +
        ` lastOffset: ${entry.lastOffset} offsetDelta: ${entry.offsetDelta} timestamp: ${entry.timestamp}`;
      output.out(entry.lastOffset < 0 ? `${producer}\n` : `${producer} ${batch}\n`);
    }
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    output.problem(`Snapshot failed schema validation: ${error.message}`);
  }
}

/** Prints the aborted transactions of a segment. Bytes that are no whole entry are left out. */
export function dumpTransactionIndex(disk: Disk, path: string, output: DumpOutput): void {
  const bytes = readWhole(disk, path);
  for (let at = 0; at + TRANSACTION_ENTRY_BYTES <= bytes.length; at += TRANSACTION_ENTRY_BYTES) {
    output.out(
      `version: ${readInt16(bytes, at)} producerId: ${readInt64(bytes, at + 2)} firstOffset: ${readInt64(bytes, at + 10)}` +
        ` lastOffset: ${readInt64(bytes, at + 18)} lastStableOffset: ${readInt64(bytes, at + 26)}\n`,
    );
  }
}
