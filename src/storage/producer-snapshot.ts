import { readInt16, readInt32, readInt64, readUint32, writeInt16, writeInt32, writeInt64 } from '../base/bytes/big-endian.ts';
import { crc32c } from '../base/bytes/crc32c.ts';
import type { ProducerSnapshotEntry } from './producer-entry.ts';

const VERSION = 1;
const CRC_POSITION = 2;
const COUNT_POSITION = 6;
const ENTRIES_POSITION = 10;
const ENTRY_BYTES = 46;

/** `.snapshot`: version (i16), CRC-32C of all that follows it (u32), and the producers. */
export function encodeProducerSnapshot(entries: readonly ProducerSnapshotEntry[]): Buffer {
  const bytes = Buffer.alloc(ENTRIES_POSITION + entries.length * ENTRY_BYTES);
  writeInt16(bytes, 0, VERSION);
  writeInt32(bytes, COUNT_POSITION, entries.length);
  let at = ENTRIES_POSITION;
  for (const entry of entries) {
    writeInt64(bytes, at, entry.producerId);
    writeInt16(bytes, at + 8, entry.producerEpoch);
    writeInt32(bytes, at + 10, entry.lastSequence);
    writeInt64(bytes, at + 14, entry.lastOffset);
    writeInt32(bytes, at + 22, entry.offsetDelta);
    writeInt64(bytes, at + 26, entry.timestamp);
    writeInt32(bytes, at + 34, entry.coordinatorEpoch);
    writeInt64(bytes, at + 38, entry.currentTransactionFirstOffset);
    at += ENTRY_BYTES;
  }
  writeInt32(bytes, CRC_POSITION, crc32c(bytes, COUNT_POSITION));
  return bytes;
}

/** The producers of a snapshot; null if the bytes are none. */
export function decodeProducerSnapshot(bytes: Uint8Array): ProducerSnapshotEntry[] | null {
  if (bytes.length < ENTRIES_POSITION || readInt16(bytes, 0) !== VERSION) return null;
  if (readUint32(bytes, CRC_POSITION) !== crc32c(bytes, COUNT_POSITION)) return null;
  const count = readInt32(bytes, COUNT_POSITION);
  if (count < 0 || bytes.length !== ENTRIES_POSITION + count * ENTRY_BYTES) return null;
  const entries: ProducerSnapshotEntry[] = [];
  for (let at = ENTRIES_POSITION; at < bytes.length; at += ENTRY_BYTES) {
    entries.push({
      producerId: readInt64(bytes, at),
      producerEpoch: readInt16(bytes, at + 8),
      lastSequence: readInt32(bytes, at + 10),
      lastOffset: readInt64(bytes, at + 14),
      offsetDelta: readInt32(bytes, at + 22),
      timestamp: readInt64(bytes, at + 26),
      coordinatorEpoch: readInt32(bytes, at + 34),
      currentTransactionFirstOffset: readInt64(bytes, at + 38),
    });
  }
  return entries;
}
