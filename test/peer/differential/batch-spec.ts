import type { Codec } from '../../../src/protocol/compression/index.ts';
import { buildBatch } from '../../../src/protocol/records/record-batch-builder.ts';
import { crc32c } from '../../../src/base/bytes/crc32c.ts';

/** Something done to a good batch so that a broker may refuse it. */
export type Damage =
  | 'crc'
  | 'magic-1'
  | 'magic-3'
  | 'base-offset'
  | 'twice'
  | 'cut'
  | 'codec-5'
  | 'codec-7'
  | 'control'
  | 'transactional'
  | 'count-more'
  | 'count-fewer'
  | 'last-offset-delta'
  | 'length-more'
  | 'length-fewer'
  | 'delete-horizon'
  | 'append-time'
  | 'garbage'
  | 'empty'
  | 'bytes-behind';

export interface RecordSpec {
  readonly timestamp: number;
  readonly key: string | null;
  readonly value: string | null;
  readonly headers: readonly { readonly key: string; readonly value: string | null }[];
}

/** Records to produce. */
export interface BatchSpec {
  readonly codec: Codec;
  readonly records: readonly RecordSpec[];
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly baseSequence: number;
  readonly damage: Damage | null;
}

export const isBatchSpec = (value: unknown): value is BatchSpec =>
  typeof value === 'object' && value !== null && 'damage' in value && 'records' in value;

export function batchBytes(spec: BatchSpec): Buffer {
  const records = spec.records.map(({ timestamp, key, value, headers }) => ({
    timestamp,
    key: toBytes(key),
    value: toBytes(value),
    headers: headers.map((header) => ({ key: header.key, value: toBytes(header.value) })),
  }));
  const { codec, producerId, producerEpoch, baseSequence, damage } = spec;
  const isTransactional = damage === 'transactional';
  const isControl = damage === 'control';
  const good = buildBatch({ records, codec, producerId, producerEpoch, baseSequence, isTransactional, isControl });
  return damage === null ? good : damaged(good, damage);
}

const toBytes = (text: string | null): Buffer | null => (text === null ? null : Buffer.from(text));

const AT = { baseOffset: 0, length: 8, magic: 16, crc: 17, attributes: 21, lastOffsetDelta: 23, maxTimestamp: 35, count: 57 };

const damaged = (good: Buffer, damage: Damage): Buffer => DAMAGES[damage](Buffer.from(good));

const DAMAGES: Readonly<Record<Damage, (bytes: Buffer) => Buffer>> = {
  crc: (bytes) => {
    bytes.writeUInt32BE((bytes.readUInt32BE(AT.crc) ^ 0xff) >>> 0, AT.crc);
    return bytes;
  },
  'magic-1': (bytes) => withByte(bytes, AT.magic, 1),
  'magic-3': (bytes) => withByte(bytes, AT.magic, 3),
  'base-offset': (bytes) => {
    bytes.writeBigInt64BE(5n, AT.baseOffset);
    return bytes;
  },
  twice: (bytes) => Buffer.concat([bytes, bytes]),
  cut: (bytes) => bytes.subarray(0, bytes.length - 3),
  'codec-5': (bytes) => signed(withByte(bytes, AT.attributes + 1, 5)),
  'codec-7': (bytes) => signed(withByte(bytes, AT.attributes + 1, 7)),
  control: (bytes) => bytes,
  transactional: (bytes) => bytes,
  'count-more': (bytes) => signed(plusInt32(bytes, AT.count, 1)),
  'count-fewer': (bytes) => signed(plusInt32(bytes, AT.count, -1)),
  'last-offset-delta': (bytes) => signed(plusInt32(bytes, AT.lastOffsetDelta, 1)),
  'length-more': (bytes) => plusInt32(bytes, AT.length, 1),
  'length-fewer': (bytes) => plusInt32(bytes, AT.length, -1),
  'delete-horizon': (bytes) => signed(withByte(bytes, AT.attributes + 1, bytes.readUInt8(AT.attributes + 1) | 0x40)),
  'append-time': (bytes) => signed(withByte(bytes, AT.attributes + 1, bytes.readUInt8(AT.attributes + 1) | 0x08)),
  garbage: () => Buffer.from('this is not a batch of records at all, but it is long enough to look like one, perhaps'),
  empty: () => Buffer.alloc(0),
  'bytes-behind': (bytes) => Buffer.concat([bytes, Buffer.from([1, 2, 3])]),
};

export const damages = Object.keys(DAMAGES) as Damage[];

function withByte(bytes: Buffer, at: number, value: number): Buffer {
  bytes.writeUInt8(value, at);
  return bytes;
}

function plusInt32(bytes: Buffer, at: number, more: number): Buffer {
  bytes.writeInt32BE(bytes.readInt32BE(at) + more, at);
  return bytes;
}

/** With the checksum that its bytes have now. */
function signed(bytes: Buffer): Buffer {
  bytes.writeUInt32BE(crc32c(bytes.subarray(AT.attributes)), AT.crc);
  return bytes;
}
