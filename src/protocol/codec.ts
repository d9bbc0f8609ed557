import type { Part } from '../base/disk.ts';
import { ByteReader } from './byte-reader.ts';
import { ByteWriter } from './byte-writer.ts';
import { compileDecoder, type Decoder } from './compile-decoder.ts';
import { compileEncoder, type Encoder } from './compile-encoder.ts';
import { explainValue } from './explain-value.ts';
import { ProtocolError } from './protocol-error.ts';
import type { Fields, Infer, Input, Message } from './schema.ts';
import { planMessage } from './schema-plan.ts';
import { includesVersion } from './versions.ts';

export { ProtocolError } from './protocol-error.ts';

/** The compiled codecs of a message, by version; each is made when it is first needed. */
interface Codecs {
  readonly decoders: (Decoder | undefined)[];
  readonly encoders: (Encoder | undefined)[];
}

const codecsByMessage = new WeakMap<Message, Codecs>();

function codecsOf(message: Message): Codecs {
  let codecs = codecsByMessage.get(message);
  if (codecs === undefined) {
    codecs = { decoders: [], encoders: [] };
    codecsByMessage.set(message, codecs);
  }
  return codecs;
}

function checkVersion({ name, versions }: Message, version: number): void {
  if (!includesVersion(versions, version)) throw new ProtocolError(`${name} has no version ${version} (it has ${versions})`);
}

function decoderOf(message: Message, version: number): Decoder {
  const { decoders } = codecsOf(message);
  const known = decoders[version];
  if (known !== undefined) return known;
  checkVersion(message, version);
  const made = compileDecoder(planMessage(message, version));
  decoders[version] = made;
  return made;
}

function encoderOf(message: Message, version: number): Encoder {
  const { encoders } = codecsOf(message);
  const known = encoders[version];
  if (known !== undefined) return known;
  checkVersion(message, version);
  const made = compileEncoder(planMessage(message, version), message.lenient === true);
  encoders[version] = made;
  return made;
}

/** Reads a message where the reader stands, and leaves it behind the message. */
export function read<F extends Fields>(message: Message<F>, version: number, reader: ByteReader): Infer<Message<F>> {
  const decode = decoderOf(message, version);
  try {
    return decode(reader) as Infer<Message<F>>;
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    throw new ProtocolError(`${message.name} v${version}: ${error.message}`, { cause: error });
  }
}

/** Writes a message at the end of what the writer holds. */
export function write<F extends Fields>(
  message: Message<F>,
  version: number,
  input: Input<Message<F>>,
  writer: ByteWriter,
): void {
  const encode = encoderOf(message, version);
  try {
    encode(writer, input);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ProtocolError(`${message.name} v${version}: ${explainValue(message, version, input) ?? reason}`, { cause: error });
  }
}

/**
 * Reads a message; bytes that follow it are tolerated. Bytes and records in it are views of `bytes`. Throws ProtocolError, also if all arrays together have more
 * than `elementsMax` elements.
 */
export function decode<F extends Fields>(
  message: Message<F>,
  version: number,
  bytes: Uint8Array,
  elementsMax?: number,
): Infer<Message<F>> {
  return read(message, version, new ByteReader(bytes, 0, elementsMax));
}

/** The same; `rest` is the number of bytes that follow the message. */
export function decodeWithRest<F extends Fields>(
  message: Message<F>,
  version: number,
  bytes: Uint8Array,
): { readonly value: Infer<Message<F>>; readonly rest: number } {
  const reader = new ByteReader(bytes);
  const value = read(message, version, reader);
  return { value, rest: reader.remaining };
}

/** The bytes of a message without file regions. Throws ProtocolError. */
export function encode<F extends Fields>(message: Message<F>, version: number, input: Input<Message<F>>): Buffer {
  const writer = new ByteWriter();
  write(message, version, input, writer);
  return writer.toBuffer();
}

/** The bytes of a message; record bytes that are large or in files are passed through by reference. Throws ProtocolError. */
export function encodeParts<F extends Fields>(message: Message<F>, version: number, input: Input<Message<F>>): Part[] {
  const writer = new ByteWriter();
  write(message, version, input, writer);
  return writer.toParts();
}
