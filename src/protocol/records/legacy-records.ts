import { readInt32 } from '../../base/bytes/big-endian.ts';
import { decompress } from '../compression/index.ts';
import * as layout from './batch-layout.ts';
import { invalidRecord } from './corrupt-batch-error.ts';
import { LegacyBatch } from './legacy-batch.ts';
import type { LogRecord } from './log-record.ts';

/** The messages of one old-format message, which may hold more of them compressed. Throws CorruptBatchError and DecompressionError. */
export function legacyRecordsOf(batch: LegacyBatch, maxDecompressedBytes: number): LogRecord[] {
  if (batch.codecId === 0) return [recordOf(batch, batch.baseOffset, batch.maxTimestamp)];
  const inner = legacyMessagesOf(batch, maxDecompressedBytes);
  const last = inner.at(-1);
  if (last === undefined) throw invalidRecord('A compressed message holds no message');
  // Magic 1 counts inner offsets from 0; the outer message has the offset of the last.
  const base = batch.magic === 1 ? batch.baseOffset - last.baseOffset : 0;
  const logTime = batch.timestampType === 'log-append-time' ? batch.maxTimestamp : null;
  return inner.map((message) => {
    if (message.codecId !== 0 || message.magic !== batch.magic) {
      throw invalidRecord('A compressed message holds a message that is compressed again or of another format');
    }
    return recordOf(message, base + message.baseOffset, logTime ?? message.maxTimestamp);
  });
}

/** The messages themselves, each with a checksum of its own; their offsets may count from 0. */
export function legacyMessagesOf(batch: LegacyBatch, maxDecompressedBytes: number): LegacyBatch[] {
  if (batch.codecId === 0) return [batch];
  const { value } = keyAndValue(batch);
  if (value === null) throw invalidRecord('A compressed message has no value');
  const bytes = decompress(batch.codec, value, { maxBytes: maxDecompressedBytes, anyLz4HeaderChecksum: batch.magic === 0 });
  return [...messagesIn(bytes)];
}

function* messagesIn(bytes: Uint8Array): Generator<LegacyBatch> {
  let position = 0;
  while (position < bytes.length) {
    if (bytes.length - position < layout.HEADER_SIZE_UP_TO_MAGIC)
      throw invalidRecord('A message inside a compressed one is cut short');
    const message = new LegacyBatch(bytes, position);
    const { end } = message;
    if (end <= position || end > bytes.length) throw invalidRecord('A message inside a compressed one has a wrong size');
    yield message;
    position = end;
  }
}

function recordOf(message: LegacyBatch, offset: number, timestamp: number): LogRecord {
  return { offset, timestamp, sequence: layout.NO_SEQUENCE, ...keyAndValue(message), headers: [] };
}

function keyAndValue(message: LegacyBatch): { key: Uint8Array | null; value: Uint8Array | null } {
  const key = nullableBytes(message, message.keyAt);
  const value = nullableBytes(message, message.keyAt + 4 + (key?.length ?? 0));
  return { key, value };
}

function nullableBytes({ bytes, end }: LegacyBatch, position: number): Uint8Array | null {
  if (position + 4 > end) throw invalidRecord('A message ends inside its key or value');
  const size = readInt32(bytes, position);
  if (size < 0) return null;
  if (size > end - position - 4) throw invalidRecord('A message ends inside its key or value');
  return bytes.subarray(position + 4, position + 4 + size);
}
