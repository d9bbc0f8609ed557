import type { Part } from '../base/disk.ts';
import { ByteWriter } from '../protocol/byte-writer.ts';
import { write } from '../protocol/codec.ts';
import { requestHeader } from '../protocol/data/request-header.ts';
import { requestHeaderVersion } from '../protocol/header.ts';
import type { Api, RequestInput } from '../protocol/schema.ts';

/** A whole request on the wire, in which large record bytes stand by reference: a producer's batches are not copied once more. */
export function encodeRequestParts<A extends Api>(
  api: A,
  version: number,
  header: { readonly correlationId: number; readonly clientId: string | null },
  request: RequestInput<A>,
): Part[] {
  const writer = new ByteWriter();
  writer.int32(0);
  const fields = { requestApiKey: api.key, requestApiVersion: version, ...header };
  write(requestHeader, requestHeaderVersion(api, version), fields, writer);
  write(api.request, version, request, writer);
  const { length } = writer;
  const parts = writer.toParts();
  // The first part is always memory, because it starts with the length.
  (parts[0] as Buffer).writeInt32BE(length - 4);
  return parts;
}
