import { readInt32, readUint32 } from './bytes/big-endian.ts';
import type { Random } from './random.ts';

/** A UUID as Kafka prints it: 22 characters of base64url without padding. Equal ids have equal text. */
export type Uuid = string;

export const UUID_BYTES = 16;

/** No id. As a directory id: the replica is moving between directories. */
export const ZERO_UUID: Uuid = 'AAAAAAAAAAAAAAAAAAAAAA';
/** The id of `__cluster_metadata`. */
export const METADATA_TOPIC_ID: Uuid = 'AAAAAAAAAAAAAAAAAAAAAQ';

/** Directory ids that are not directories (KIP-858). Ids below 100 are reserved for such meanings. */
export const MIGRATING_DIRECTORY: Uuid = ZERO_UUID;
export const UNASSIGNED_DIRECTORY: Uuid = METADATA_TOPIC_ID;
export const LOST_DIRECTORY: Uuid = 'AAAAAAAAAAAAAAAAAAAAAg';

/** Text that is not a UUID; the message says why. */
export class UuidError extends Error {
  override readonly name = 'UuidError';
}

/** The text of the 16 bytes at `position`. */
export function uuidFromBytes(bytes: Uint8Array, position = 0): Uuid {
  return Buffer.from(bytes.buffer, bytes.byteOffset + position, UUID_BYTES).toString('base64url');
}

/** The 16 bytes of an id that this program made or has parsed. */
export function uuidToBytes(uuid: Uuid): Buffer {
  return Buffer.from(uuid, 'base64url');
}

/** Reads text that a person or a peer wrote and gives it in the one form; throws UuidError. */
export function parseUuid(text: string): Uuid {
  if (text.length > 24) {
    throw new UuidError(`Input string with prefix \`${text.slice(0, 24)}\` is too long to be decoded as a base64 UUID`);
  }
  const body = text.replace(/={1,2}$/, '');
  const illegal = /[^A-Za-z0-9_-]/.exec(body);
  if (illegal !== null) throw new UuidError(`Illegal base64 character ${illegal[0].charCodeAt(0).toString(16)}`);
  if (body.length % 4 === 1) throw new UuidError('Last unit does not have enough valid bits');
  const bytes = Buffer.from(body, 'base64url');
  if (bytes.length !== UUID_BYTES) {
    throw new UuidError(
      `Input string \`${text}\` decoded as ${bytes.length} bytes, which is not equal to the expected 16 bytes of a base64-encoded UUID`,
    );
  }
  return bytes.toString('base64url');
}

/**
 * A new random id (RFC 9562, version 4). Never a reserved one, and never one whose text starts with a dash, which a command line would take for
 * an option.
 */
export function randomUuid(random: Random): Uuid {
  for (;;) {
    const bytes = Buffer.from(random.bytes(UUID_BYTES));
    bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
    const uuid = uuidFromBytes(bytes);
    if (!uuid.startsWith('-') && !isReservedUuid(uuid)) return uuid;
  }
}

/** Whether an id has a meaning of its own and may not name a topic. */
export function isReservedUuid(uuid: Uuid): boolean {
  return uuid === ZERO_UUID || uuid === METADATA_TOPIC_ID;
}

/** Whether a directory id is a meaning rather than a directory: the ids below 100. */
export function isReservedDirectory(uuid: Uuid): boolean {
  const bytes = uuidToBytes(uuid);
  return bytes.subarray(0, 15).every((byte) => byte === 0) && (bytes[15] as number) < 100;
}

/** Kafka's order: the upper and then the lower half, each as a signed 64-bit integer. Negative, zero or positive. */
export function compareUuids(left: Uuid, right: Uuid): number {
  if (left === right) return 0;
  const a = uuidToBytes(left);
  const b = uuidToBytes(right);
  for (let position = 0; position < UUID_BYTES; position += 4) {
    // The first word of each half carries its sign.
    const read = position % 8 === 0 ? readInt32 : readUint32;
    const difference = read(a, position) - read(b, position);
    if (difference !== 0) return difference;
  }
  return 0;
}
