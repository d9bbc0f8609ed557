import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  compareUuids,
  isReservedDirectory,
  isReservedUuid,
  METADATA_TOPIC_ID,
  parseUuid,
  randomUuid,
  UuidError,
  uuidFromBytes,
  uuidToBytes,
  ZERO_UUID,
} from '../../src/base/uuid.ts';
import { readGolden } from '../golden.ts';

type Vector =
  | { uuid: string; hex: string; reserved: boolean; reservedDirectory: boolean }
  | { text: string; exception?: string; message?: string; parsesAs?: string }
  | { ascending: string[] };

const vectors = readGolden('primitives/uuid.json.gz') as Vector[];

test('a UUID is printed, read, reserved and refused as Kafka does', () => {
  for (const vector of vectors) {
    if ('uuid' in vector) {
      assert.equal(uuidToBytes(vector.uuid).toString('hex'), vector.hex);
      assert.equal(uuidFromBytes(Buffer.from(`ffff${vector.hex}`, 'hex'), 2), vector.uuid);
      assert.equal(parseUuid(vector.uuid), vector.uuid);
      assert.equal(isReservedUuid(vector.uuid), vector.reserved, vector.uuid);
      assert.equal(isReservedDirectory(vector.uuid), vector.reservedDirectory, vector.uuid);
    } else if ('text' in vector) {
      if (vector.parsesAs === undefined) {
        assert.throws(
          () => parseUuid(vector.text),
          (error) => error instanceof UuidError && error.message === vector.message,
        );
      } else {
        assert.equal(parseUuid(vector.text), vector.parsesAs);
      }
    }
  }
});

test('UUIDs are ordered by their signed halves', () => {
  const ascending = vectors.flatMap((vector) => ('ascending' in vector ? vector.ascending : []));
  assert.equal(ascending.length, 20);
  assert.deepEqual(ascending.toReversed().toSorted(compareUuids), ascending);
  for (const uuid of ascending) assert.equal(compareUuids(uuid, uuid), 0);
});

test('a random UUID is of version 4, and one that is reserved or starts with a dash is drawn again', () => {
  const draws = [uuidToBytes(ZERO_UUID), uuidToBytes(METADATA_TOPIC_ID), Buffer.alloc(16, 0xfb), Buffer.alloc(16, 0x12)];
  const random = { integer: () => 0, bytes: () => draws.shift() ?? Buffer.alloc(16) };
  // The version and variant bits keep the two zero draws from being reserved, so the first is taken.
  assert.equal(uuidToBytes(randomUuid(random)).toString('hex'), '00000000000040008000000000000000');
  draws.shift();
  assert.equal(uuidToBytes(randomUuid(random)).toString('hex'), '12121212121242129212121212121212');
});
