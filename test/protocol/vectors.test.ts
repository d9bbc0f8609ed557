import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteReader } from '../../src/protocol/byte-reader.ts';
import { decodeWithRest, encode, ProtocolError } from '../../src/protocol/codec.ts';
import { fromJson, type Json, toJson } from '../../src/protocol/json.ts';
import type { Fields, Message } from '../../src/protocol/schema.ts';
import { UNKNOWN_TAGS, type UnknownTags } from '../../src/protocol/unknown-tags.ts';
import { readGoldenLines } from '../golden-lines.ts';
import { schemaNamed } from './all-schemas.ts';

interface Vector {
  readonly schema: string;
  readonly version: number;
  readonly flags: readonly string[];
  readonly json: Json;
  readonly hex: string;
  readonly unknownTaggedFields?: readonly { readonly at: string; readonly tag: number; readonly hex: string }[];
}

/** How many vectors a folder has, and how many of them hold an int64 that a number cannot. */
const FOLDERS: Readonly<Record<string, { readonly count: number; readonly refused: number }>> = {
  messages: { count: 3049, refused: 189 },
  headers: { count: 20, refused: 0 },
  'metadata-records': { count: 215, refused: 13 },
  'group-coordinator': { count: 301, refused: 13 },
  'transaction-coordinator': { count: 18, refused: 2 },
  'share-coordinator': { count: 24, refused: 2 },
  'remote-log-metadata': { count: 28, refused: 3 },
  data: { count: 110, refused: 3 },
};

/** Whether some int64 of a vector, which is text if it is beyond 2^53, is neither 2^63 − 1 nor a hash, of which every bit is kept. */
function hasUnsafeInteger(json: Json, except: ReadonlySet<string>): boolean {
  if (typeof json === 'string') return /^-?\d{16,19}$/.test(json) && json !== '9223372036854775807';
  if (typeof json !== 'object' || json === null) return false;
  return Object.entries(json).some(
    ([name, inner]) => name !== 'metadataHash' && !except.has(name) && hasUnsafeInteger(inner, except),
  );
}

/** The names of the fields that take the nearest number. */
function nearestNames(fields: Fields): string[] {
  return Object.entries(fields).flatMap(([name, field]) => [
    ...(field.options.nearest === true ? [name] : []),
    ...nearestNames(field.fields ?? field.element?.fields ?? {}),
  ]);
}

const NONE: ReadonlySet<string> = new Set();

function unknownTagsAt(value: unknown, path: string): { tag: number; hex: string }[] {
  const steps = path.split('/').filter((step) => step !== '');
  const place = steps.reduce<unknown>((inner, step) => (inner as Readonly<Record<string, unknown>>)[step], value);
  const unknown = (place as { [UNKNOWN_TAGS]?: UnknownTags })[UNKNOWN_TAGS];
  assert.ok(unknown, `unknown tags at ${path}`);
  const reader = new ByteReader(unknown.bytes);
  const tags = Array.from({ length: unknown.count }, () => {
    const tag = reader.varint();
    const end = reader.taggedEnd();
    const bytes = unknown.bytes.subarray(reader.offset, end);
    reader.offset = end;
    return { tag, hex: Buffer.from(bytes).toString('hex') };
  });
  assert.equal(reader.remaining, 0);
  return tags;
}

function checkVector(schema: Message, { version, json, hex, unknownTaggedFields }: Vector): void {
  const { value, rest } = decodeWithRest(schema, version, Buffer.from(hex, 'hex'));
  assert.equal(rest, 0);
  assert.deepEqual(toJson(schema, version, value), json);
  assert.equal(encode(schema, version, value).toString('hex'), hex);
  if (unknownTaggedFields === undefined) {
    const read = fromJson(schema, version, json);
    assert.deepEqual(read, value);
    assert.equal(encode(schema, version, read).toString('hex'), hex);
  }
  for (const { at, tag, hex: bytes } of unknownTaggedFields ?? []) {
    assert.ok(unknownTagsAt(value, at).some((found) => found.tag === tag && found.hex === bytes));
  }
}

function checkRefused(schema: Message, { version, json, hex }: Vector): void {
  const isClear = (error: unknown) => error instanceof ProtocolError && /beyond 2\^53/.test(error.message);
  assert.throws(() => decodeWithRest(schema, version, Buffer.from(hex, 'hex')), isClear);
  assert.throws(() => fromJson(schema, version, json), isClear);
}

/** What is read as the nearest number goes on as that, and is not refused. */
function checkNearest(schema: Message, { version, hex }: Vector): void {
  const { value, rest } = decodeWithRest(schema, version, Buffer.from(hex, 'hex'));
  assert.equal(rest, 0);
  const bytes = encode(schema, version, value);
  assert.equal(bytes.length, hex.length / 2);
  assert.deepEqual(decodeWithRest(schema, version, bytes).value, value);
}

function checkAny(vector: Vector): 'refused' | 'nearest' | 'exact' {
  const schema = schemaNamed(vector.schema);
  const kind = !hasUnsafeInteger(vector.json, NONE)
    ? 'exact'
    : hasUnsafeInteger(vector.json, new Set(nearestNames(schema.fields)))
      ? 'refused'
      : 'nearest';
  ({ exact: checkVector, refused: checkRefused, nearest: checkNearest })[kind](schema, vector);
  return kind;
}

for (const [folder, { count }] of Object.entries(FOLDERS)) {
  test(`the ${count} vectors of ${folder} decode to Kafka's JSON and encode to Kafka's bytes`, () => {
    const vectors = readGoldenLines(`vectors/${folder}.jsonl.gz`) as Vector[];
    assert.equal(vectors.length, count);
    let refused = 0;
    for (const vector of vectors) {
      try {
        if (checkAny(vector) === 'refused') refused++;
      } catch (error) {
        throw new Error(`${vector.schema} v${vector.version} [${vector.flags.join()}] ${vector.hex}`, { cause: error });
      }
    }
    assert.equal(refused, FOLDERS[folder]?.refused);
  });
}
