import { metadataRecords } from '../../../metadata/records/index.ts';
import { ByteReader } from '../../../protocol/byte-reader.ts';
import { read } from '../../../protocol/codec.ts';
import { toJsonText } from '../../../protocol/json.ts';
import { ProtocolError } from '../../../protocol/protocol-error.ts';
import type { Message } from '../../../protocol/schema.ts';
import { includesVersion } from '../../../protocol/versions.ts';
import type { RecordContents } from './record-contents.ts';

const FRAME_VERSION = 1;

/** `RegisterBrokerRecord` is called REGISTER_BROKER_RECORD. */
const constantName = (name: string): string => name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toUpperCase();

/** The type and version of a framed record, and where its fields begin. Throws ProtocolError. */
export function readFrame(value: Uint8Array | null): {
  readonly type: number;
  readonly version: number;
  readonly reader: ByteReader;
} {
  const reader = new ByteReader(value ?? new Uint8Array(0));
  const part = (name: string): number => {
    if (reader.remaining === 0) throw new ProtocolError(`Error while reading ${name}`);
    return reader.varint();
  };
  const frame = part('frame version');
  if (frame === 0) {
    const old = 'Note that upgrades from the preview release of KRaft in 2.8 to newer versions are not supported.';
    throw new ProtocolError(`Could not deserialize metadata record with frame version 0. ${old}`);
  }
  if (frame !== FRAME_VERSION) {
    throw new ProtocolError(
      `Could not deserialize metadata record due to unknown frame version ${frame}(only frame version 1 is supported)`,
    );
  }
  return { type: part('type'), version: part('version'), reader };
}

const recordByType: ReadonlyMap<number, readonly [string, Message]> = new Map(
  Object.entries(metadataRecords).map(([name, schema]: [string, Message]) => [schema.key ?? -1, [constantName(name), schema]]),
);

/** `__cluster_metadata` */
export const metadataContents: RecordContents = ({ offset, value }) => {
  try {
    const { type, version, reader } = readFrame(value);
    const found = recordByType.get(type);
    if (found === undefined) throw new ProtocolError(`Unknown metadata id ${type}`);
    const [name, schema] = found;
    if (!includesVersion(schema.versions, version)) throw new ProtocolError(`${name} has no version ${version}`);
    const data = read(schema, version, reader);
    if (reader.remaining > 0) throw new ProtocolError(`Found ${reader.remaining} byte(s) of garbage after ${type}`);
    return { key: null, payload: `{"type":"${name}","version":${version},"data":${toJsonText(schema, version, data)}}` };
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    return { key: null, payload: `Error at ${offset}, skipping. ${error.message}` };
  }
};
