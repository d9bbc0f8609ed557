import type { Part } from '../base/disk.ts';
import { ByteReader } from './byte-reader.ts';
import { ByteWriter } from './byte-writer.ts';
import { read, write } from './codec.ts';
import { requestHeader } from './data/request-header.ts';
import { responseHeader } from './data/response-header.ts';
import { codeOf } from './errors.ts';
import { apiByKey } from './messages/index.ts';
import { ProtocolError } from './protocol-error.ts';
import type { Api, RequestInput, ResponseInput, ResponseOf } from './schema.ts';
import { UNKNOWN_TAGS, type UnknownTags } from './unknown-tags.ts';
import { includesVersion } from './versions.ts';

const API_VERSIONS = 18;
const UNSUPPORTED_VERSION = codeOf('UNSUPPORTED_VERSION');

/** A frame here is what follows the four bytes of its length. */
export interface RequestHeader {
  readonly apiKey: number;
  /** Not checked: it may be one that the API does not have. */
  readonly apiVersion: number;
  readonly correlationId: number;
  readonly clientId: string | null;
  /** Where the body starts in the frame. */
  readonly bodyOffset: number;
  readonly unknownTags?: UnknownTags;
}

export const requestHeaderVersion = (api: Api, version: number): number => (includesVersion(api.flexible, version) ? 2 : 1);

/** Always 0 for ApiVersions, whose client does not know yet what the broker speaks (KIP-511). */
export const responseHeaderVersion = (api: Api, version: number): number =>
  api.key !== API_VERSIONS && includesVersion(api.flexible, version) ? 1 : 0;

/** Reads the header of a request. Throws ProtocolError, also for an API key that does not exist. */
export function decodeRequestHeader(frame: Uint8Array): RequestHeader {
  const reader = new ByteReader(frame);
  const apiKey = reader.int16();
  const apiVersion = reader.int16();
  const api = apiByKey(apiKey);
  if (api === undefined) throw new ProtocolError(`There is no API ${apiKey}`);
  reader.offset = 0;
  const header = read(requestHeader, requestHeaderVersion(api, apiVersion), reader);
  const { correlationId, clientId } = header;
  const unknownTags = (header as { [UNKNOWN_TAGS]?: UnknownTags })[UNKNOWN_TAGS];
  const known = { apiKey, apiVersion, correlationId, clientId, bodyOffset: reader.offset };
  return unknownTags === undefined ? known : { ...known, unknownTags };
}

/** A whole response on the wire: length, header and body. Files and large record bytes in it are passed through by reference. */
export function encodeResponse<A extends Api>(
  api: A,
  version: number,
  correlationId: number,
  response: ResponseInput<A>,
): Part[] {
  const writer = new ByteWriter();
  writer.int32(0);
  write(responseHeader, responseHeaderVersion(api, version), { correlationId }, writer);
  write(api.response, version, response, writer);
  const { length } = writer;
  const parts = writer.toParts();
  // The first part is always memory, because it starts with the length.
  (parts[0] as Buffer).writeInt32BE(length - 4);
  return parts;
}

/** Who asks, and by what number the answer is known. */
export interface RequestIdentity {
  readonly correlationId: number;
  readonly clientId: string | null;
}

/** A whole request on the wire: length, header and body. */
export function encodeRequest<A extends Api>(api: A, version: number, header: RequestIdentity, request: RequestInput<A>): Buffer {
  const bytes = writeRequest(api, version, header, request).toBuffer();
  bytes.writeInt32BE(bytes.length - 4);
  return bytes;
}

/** The same, in which large record bytes stand by reference: a producer's batches are not copied once more. */
export function encodeRequestParts<A extends Api>(
  api: A,
  version: number,
  header: RequestIdentity,
  request: RequestInput<A>,
): Part[] {
  const writer = writeRequest(api, version, header, request);
  const { length } = writer;
  const parts = writer.toParts();
  // The first part is always memory, because it starts with the length.
  (parts[0] as Buffer).writeInt32BE(length - 4);
  return parts;
}

function writeRequest<A extends Api>(api: A, version: number, header: RequestIdentity, request: RequestInput<A>): ByteWriter {
  const writer = new ByteWriter();
  writer.int32(0);
  const fields = { requestApiKey: api.key, requestApiVersion: version, ...header };
  write(requestHeader, requestHeaderVersion(api, version), fields, writer);
  write(api.request, version, request, writer);
  return writer;
}

/** Reads the response to a request of this API and version. Throws ProtocolError. */
export function decodeResponse<A extends Api>(
  api: A,
  version: number,
  frame: Uint8Array,
): { readonly correlationId: number; readonly response: ResponseOf<A> } {
  const reader = new ByteReader(frame);
  const { correlationId } = read(responseHeader, responseHeaderVersion(api, version), reader);
  return { correlationId, response: read(api.response, bodyVersion(api, version, reader), reader) as ResponseOf<A> };
}

/** A broker that does not know the version of ApiVersions answers in version 0, so that the client can read which it knows (KIP-511). */
function bodyVersion(api: Api, version: number, reader: ByteReader): number {
  if (api.key !== API_VERSIONS || reader.remaining < 2) return version;
  const errorCode = reader.bytes.readInt16BE(reader.offset);
  return errorCode === UNSUPPORTED_VERSION ? 0 : version;
}
