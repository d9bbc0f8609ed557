import { readInt32 } from '../../../base/bytes/big-endian.ts';
import type { LogRecord } from '../../../protocol/records/log-record.ts';
import { DumpLogError } from './dump-output.ts';

/** Key and value of a record as they are printed; null leaves one out. */
export interface PrintedContents {
  readonly key: string | null;
  readonly payload: string | null;
}

/** Reads the keys and values of one kind of log. */
export type RecordContents = (record: LogRecord) => PrintedContents;

/** Reads bytes of which only the user knows what they mean. */
export type ValueDecoder = (bytes: Uint8Array) => string;

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const decoders: Readonly<Record<string, ValueDecoder>> = {
  string: (bytes) => asBuffer(bytes).toString('utf8'),
  integer: (bytes) => {
    if (bytes.length !== 4) throw new DumpLogError(`An integer has 4 bytes, not ${bytes.length}`);
    return String(readInt32(bytes, 0));
  },
  long: (bytes) => {
    if (bytes.length !== 8) throw new DumpLogError(`A long has 8 bytes, not ${bytes.length}`);
    return String(asBuffer(bytes).readBigInt64BE(0));
  },
  hex: (bytes) => asBuffer(bytes).toString('hex'),
  base64: (bytes) => asBuffer(bytes).toString('base64'),
};

/** The decoder of a name such as `Long`, `LongDecoder` or `org.apache.kafka.tools.api.LongDecoder`; null if there is none. */
export function valueDecoder(name: string): ValueDecoder | null {
  const short = name.slice(name.lastIndexOf('.') + 1).replace(/Decoder$/i, '');
  return decoders[short.toLowerCase()] ?? null;
}

export const valueDecoderNames: readonly string[] = Object.keys(decoders);

/** Keys and values through decoders of the user's choice. */
export const userContents =
  (keys: ValueDecoder, values: ValueDecoder): RecordContents =>
  ({ key, value }) => ({ key: key === null ? null : keys(key), payload: value === null ? null : values(value) });
