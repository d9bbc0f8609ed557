import type { Random } from '../../../base/random.ts';
import { ID_LENGTH_MAX } from '../../runtime/id-length.ts';
import { UUID_BYTES } from '../../../base/uuid.ts';

/** An id for a new member, which says who it is: its instance, or its client, and a UUID in its long form (RFC 9562, version 4). */
export function newMemberId(random: Random, whose: string): string {
  const bytes = Buffer.from(random.bytes(UUID_BYTES));
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  const uuid = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
  return `${whose.slice(0, ID_LENGTH_MAX - uuid.length - 1)}-${uuid}`;
}
