import { readInt16 } from '../../base/bytes/big-endian.ts';
import { ByteReader } from '../../protocol/byte-reader.ts';
import { ByteWriter } from '../../protocol/byte-writer.ts';
import { ProtocolError, read, write } from '../../protocol/codec.ts';
import type { Fields, Input, Message } from '../../protocol/schema.ts';
import type { CoordinatorRecord, RecordSchemas, RecordSerde } from './coordinator-record.ts';

const KEY_VERSION = 0;
const VERSION_BYTES = 2;

interface Kind<Type> {
  readonly type: Type;
  readonly key: Message;
  readonly value: Message;
  /** Whether a decoded value has views of the bytes that it was read from. */
  readonly hasBytes: boolean;
}

/**
 * The form that all coordinators of Kafka give their records: the key begins with the kind's number, the value with the version of its schema, both as
 * int16, and the fields follow.
 */
export function coordinatorSerde<S extends RecordSchemas>(schemas: S): RecordSerde<CoordinatorRecord<S>> {
  const byKind = new Map<number, Kind<keyof S>>();
  for (const [type, { key, value }] of Object.entries(schemas)) {
    byKind.set(key.key ?? -1, { type, key, value, hasBytes: hasBytes(value.fields) });
  }
  return {
    encode: (record) => {
      const { key, value } = schemas[record.type] as S[keyof S];
      return {
        key: versioned(key.key ?? -1, key, KEY_VERSION, record.key),
        value: record.value === null ? null : versioned(record.version, value, record.version, record.value),
      };
    },
    decode: (keyBytes, valueBytes) => {
      if (keyBytes.length < VERSION_BYTES) throw new ProtocolError(`a record's key has ${keyBytes.length} bytes`);
      const kind = byKind.get(readInt16(keyBytes, 0));
      if (kind === undefined) return null;
      const key = read(kind.key, KEY_VERSION, new ByteReader(keyBytes, VERSION_BYTES));
      if (valueBytes === null) return { type: kind.type, key, version: 0, value: null } as CoordinatorRecord<S>;
      if (valueBytes.length < VERSION_BYTES) throw new ProtocolError(`a record's value has ${valueBytes.length} bytes`);
      const version = readInt16(valueBytes, 0);
      // State outlives the buffer that the log was read into.
      const kept = kind.hasBytes ? Buffer.from(valueBytes) : valueBytes;
      const value = read(kind.value, version, new ByteReader(kept, VERSION_BYTES));
      return { type: kind.type, key, version, value } as CoordinatorRecord<S>;
    },
  };
}

function versioned(prefix: number, schema: Message, version: number, value: Input<Message>): Buffer {
  const writer = new ByteWriter();
  writer.int16(prefix);
  write(schema, version, value, writer);
  return writer.toBuffer();
}

function hasBytes(fields: Fields): boolean {
  return Object.values(fields).some(({ kind, fields: own, element }) => {
    const inner = { ...own, ...(element === undefined ? {} : { element }) };
    return kind === 'bytes' || kind === 'records' || hasBytes(inner);
  });
}
