import { ByteReader } from '../protocol/byte-reader.ts';
import { ByteWriter } from '../protocol/byte-writer.ts';
import { ProtocolError, read, write } from '../protocol/codec.ts';
import type { Message } from '../protocol/schema.ts';
import type { MetadataRecord, MetadataRecordType } from './metadata-record.ts';
import { metadataRecords } from './records/index.ts';

/** Precedes every record: the version of the frame, the type's number and the version of its schema, as unsigned varints. */
const FRAME_VERSION = 1;

const schemaByKey: ReadonlyMap<number, readonly [MetadataRecordType, Message]> = new Map(
  (Object.keys(metadataRecords) as MetadataRecordType[]).map((type) => {
    const schema: Message = metadataRecords[type];
    return [schema.key ?? -1, [type, schema]];
  }),
);

/** The value of a record of the metadata log. */
export function encodeMetadataRecord(record: MetadataRecord): Buffer {
  const schema: Message = metadataRecords[record.type];
  const writer = new ByteWriter();
  writer.varint(FRAME_VERSION);
  writer.varint(schema.key ?? -1);
  writer.varint(record.version);
  write(schema, record.version, record.value, writer);
  return writer.toBuffer();
}

/** Throws ProtocolError for a record that this release does not know: guessing its meaning would split the cluster. */
export function decodeMetadataRecord(bytes: Uint8Array): MetadataRecord {
  const reader = new ByteReader(bytes);
  const frameVersion = reader.varint();
  if (frameVersion !== FRAME_VERSION) throw new ProtocolError(`unknown frame version ${frameVersion} of a metadata record`);
  const key = reader.varint();
  const version = reader.varint();
  const schema = schemaByKey.get(key);
  if (schema === undefined) throw new ProtocolError(`unknown metadata record type ${key}`);
  const value = read(schema[1], version, reader);
  if (reader.remaining > 0) throw new ProtocolError(`${reader.remaining} bytes after a ${schema[0]}`);
  return { type: schema[0], version, value } as MetadataRecord;
}
