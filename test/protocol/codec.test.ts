import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DiskFile, type FileRegion, isFileRegion, type Part } from '../../src/base/disk.ts';
import { ZERO_UUID } from '../../src/base/uuid.ts';
import { consumerGroupMemberMetadataValue } from '../../src/coordinator/group/records/05-consumer-group-member-metadata.ts';
import { MESSAGE_BYTES_MAX } from '../../src/protocol/byte-writer.ts';
import { decode, decodeWithRest, encode, encodeParts, ProtocolError } from '../../src/protocol/codec.ts';
import { transactionLogValue } from '../../src/coordinator/transaction/records/00-transaction-log.ts';
import { encodeResponse } from '../../src/protocol/header.ts';
import { fetch } from '../../src/protocol/messages/01-fetch.ts';
import { metadata } from '../../src/protocol/messages/03-metadata.ts';
import { apiVersions } from '../../src/protocol/messages/18-api-versions.ts';
import { describeCluster } from '../../src/protocol/messages/60-describe-cluster.ts';
import {
  array,
  boolean,
  float64,
  type Infer,
  type Input,
  int16,
  int32,
  int64,
  int8,
  message,
  NO_LIMIT,
  type RequestOf,
  type ResponseInput,
  records,
  string,
  struct,
  uint16,
  uint32,
  uuid,
} from '../../src/protocol/schema.ts';

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');

const sample = message({
  name: 'Sample',
  versions: '0-3',
  flexible: '2+',
  fields: {
    id: int32(),
    name: string({ nullable: '1+' }),
    later: int16({ versions: '1+', default: 7 }),
    hint: string({ versions: '1+', ignorable: true, default: 'none' }),
    tags: array({ key: string(), value: int64({ tagged: '2+', tag: 5, default: -1 }) }),
    point: struct({ x: int8({ default: -1 }), y: int8() }, { tagged: '3+', tag: 1 }),
    rest: array(int32(), { tagged: '2+', tag: 0 }),
  },
});

const problem = (pattern: RegExp) => (error: unknown) => error instanceof ProtocolError && pattern.test(error.message);

test('a decoded message has every field: those of other versions at their default', () => {
  assert.deepEqual(decode(sample, 0, hex('00000001 0001 61 00000000')), {
    id: 1,
    name: 'a',
    later: 7,
    hint: 'none',
    tags: [],
    point: { x: -1, y: 0 },
    rest: [],
  });
});

test('tagged fields at their default are not sent, others in order of tag', () => {
  const base = { id: 1, name: null, tags: [] };
  assert.deepEqual(
    encode(sample, 3, { ...base, later: 7, point: { y: 0 }, rest: [] }),
    hex('00000001 00 0007 05 6e6f6e65 01 00'),
  );
  assert.deepEqual(
    encode(sample, 3, { ...base, rest: [9], point: { x: 1, y: 2 } }),
    hex('00000001 00 0007 05 6e6f6e65 01 02 00 05 02 00000009 01 03 01 02 00'),
  );
});

test('a tagged field longer than 127 bytes gets a longer size', () => {
  for (const length of [31, 32, 4095, 4096, 600_000]) {
    const rest = Array.from({ length }, (_, index) => index);
    const bytes = encode(sample, 2, { id: 1, name: 'a', tags: [], rest });
    assert.deepEqual(decodeWithRest(sample, 2, bytes), { value: decode(sample, 2, bytes), rest: 0 });
    assert.deepEqual(decode(sample, 2, bytes).rest, rest);
  }
});

test('values that do not fit are refused, and the message says where', () => {
  const cases: readonly [unknown, RegExp][] = [
    [{ id: 2 ** 31, name: 'a', tags: [] }, /Sample v2: id: 2147483648 is not of type int32/],
    [{ id: 1.5, name: 'a', tags: [] }, /id: 1.5/],
    [{ id: '1', name: 'a', tags: [] }, /id: "1"/],
    [{ id: 1, tags: [] }, /name: undefined/],
    [{ id: 1, name: 'a', tags: null }, /tags: null is not an array/],
    [{ id: 1, name: 'a', tags: [{ key: 'k' }, { key: null }] }, /tags\[1\]\.key: null is not of type string/],
    [{ id: 1, name: 'a', tags: [{ key: 'k', value: 2 ** 53 }] }, /tags\[0\]\.value: 9007199254740992/],
    [{ id: 1, name: 'a', tags: [undefined] }, /tags\[0\]: undefined is not a struct/],
    [{ id: 1, name: 'x'.repeat(32_768), tags: [] }, /name: "x/],
    [{ id: 1, name: 'é'.repeat(16_384), tags: [] }, /name: "é/],
  ];
  for (const [input, pattern] of cases) assert.throws(() => encode(sample, 2, input as Input<typeof sample>), problem(pattern));
  assert.throws(() => encode(sample, 0, { id: 1, name: null, tags: [] }), problem(/Sample v0: name: null/));
});

test('every numeric type refuses what is one beyond its limits and keeps the limits', () => {
  const limits = { int8: [-128, 127], int16: [-32_768, 32_767], uint16: [0, 65_535], int32: [-(2 ** 31), 2 ** 31 - 1] } as const;
  const wide = { uint32: [0, 2 ** 32 - 1], int64: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER] } as const;
  const types = { int8, int16, uint16, int32, uint32, int64 };
  for (const [kind, [min, max]] of Object.entries({ ...limits, ...wide })) {
    const one = message({ name: 'One', versions: '0', flexible: 'none', fields: { value: types[kind as keyof typeof types]() } });
    for (const value of [min, max, 0]) assert.equal(decode(one, 0, encode(one, 0, { value })).value, value);
    for (const value of [min - 1, max + 1, Number.NaN, 0.5])
      assert.throws(() => encode(one, 0, { value }), ProtocolError, `${kind} ${value}`);
  }
});

test('a message that grows beyond all reason is not written', () => {
  const many = message({ name: 'Many', versions: '0', flexible: 'none', fields: { values: array(string()) } });
  const value = 'x'.repeat(32_767);
  const values = Array.from({ length: Math.ceil(MESSAGE_BYTES_MAX / value.length) }, () => value);
  assert.throws(() => encode(many, 0, { values }), problem(/more than 268435456 bytes/));
  assert.equal(encode(many, 0, { values: ['a'] }).length, 7);
});

test('a string that is not UTF-8 is read with replacement characters, if what was read can be written again', () => {
  const one = message({ name: 'One', versions: '0', flexible: 'none', fields: { value: string() } });
  const bytesOf = (content: Buffer) => Buffer.concat([Buffer.from([content.length >> 8, content.length & 0xff]), content]);
  const broken = (length: number, invalid: number) =>
    bytesOf(Buffer.concat([Buffer.alloc(invalid, 0xff), Buffer.alloc(length - invalid, 'x')]));
  for (const [length, invalid] of [
    [1, 1],
    [10_922, 10_922],
    [32_765, 1],
    [32_767, 0],
  ] as const) {
    const { value } = decode(one, 0, broken(length, invalid));
    assert.equal(value, '\ufffd'.repeat(invalid) + 'x'.repeat(length - invalid));
    assert.deepEqual(decode(one, 0, encode(one, 0, { value })), { value });
  }
  for (const [length, invalid] of [
    [10_923, 10_923],
    [32_766, 1],
    [32_767, 1],
  ] as const) {
    assert.throws(() => decode(one, 0, broken(length, invalid)), problem(/not UTF-8/));
  }
});

test('a field that takes the nearest number refuses no int64 and gives every exact one back', () => {
  const one = message({ name: 'One', versions: '0', flexible: 'none', fields: { value: int64({ nearest: true }) } });
  // A time in nanoseconds, as clients send it by mistake.
  assert.equal(decode(one, 0, hex('18f2a3b4c5d6e7f8')).value, Number(0x18f2a3b4c5d6e7f8n));
  for (const [bytes, value] of [
    ['7fffffffffffffff', NO_LIMIT],
    ['8000000000000000', -(2 ** 63)],
    ['1000000000000000', 2 ** 60],
    ['f000000000000000', -(2 ** 60)],
    ['001fffffffffffff', 2 ** 53 - 1],
    ['ffffffffffffffff', -1],
  ] as const) {
    assert.equal(decode(one, 0, hex(bytes)).value, value);
    assert.deepEqual(encode(one, 0, { value }), hex(bytes));
  }
  for (const value of [0.5, Number.NaN, 2 ** 64, -(2 ** 64)]) {
    assert.throws(() => encode(one, 0, { value }), problem(/One v0: value: .* is not of type int64/));
  }
});

test('2^63 - 1 is kept exactly, and every other integer beyond 2^53 is refused', () => {
  const one = message({ name: 'One', versions: '0', flexible: 'none', fields: { value: int64() } });
  assert.equal(decode(one, 0, hex('7fffffffffffffff')).value, NO_LIMIT);
  assert.deepEqual(encode(one, 0, { value: NO_LIMIT }), hex('7fffffffffffffff'));
  for (const bytes of ['0020000000000000', 'ffe0000000000000', '7ffffffffffffffe', '8000000000000000', '7fffffff00000000']) {
    assert.throws(() => decode(one, 0, hex(bytes)), problem(/beyond 2\^53/), bytes);
  }
  for (const [bytes, value] of [
    ['001fffffffffffff', 2 ** 53 - 1],
    ['ffe0000000000001', -(2 ** 53) + 1],
    ['ffffffffffffffff', -1],
  ] as const) {
    assert.equal(decode(one, 0, hex(bytes)).value, value);
  }
  for (const value of [2 ** 53, -(2 ** 53), -(2 ** 63), 2 ** 64]) assert.throws(() => encode(one, 0, { value }), ProtocolError);
});

test('floats and booleans keep their values', () => {
  const two = message({ name: 'Two', versions: '0', flexible: 'none', fields: { ratio: float64(), flag: boolean() } });
  for (const ratio of [0, -0, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 5e-324]) {
    assert.deepEqual(decode(two, 0, encode(two, 0, { ratio, flag: true })), { ratio, flag: true });
  }
  assert.equal(decode(two, 0, hex('0000000000000000 02')).flag, true);
});

test('text that is no uuid is refused', () => {
  const one = message({ name: 'One', versions: '0', flexible: 'none', fields: { value: uuid() } });
  assert.deepEqual(encode(one, 0, { value: ZERO_UUID }), Buffer.alloc(16));
  for (const value of [
    '',
    'tHbgGnFVT1iOBBFcrqfPr',
    'tHbgGnFVT1iOBBFcrqfPrB',
    'tHbgGnFVT1iOBBFcrqfPr=',
    'tHbgGnFVT1iOBBFcr fPrA',
    'tHbgGnFVT1iOBBFcréfPrA',
  ]) {
    assert.throws(() => encode(one, 0, { value }), ProtocolError, value);
  }
});

test('a request with a value that its version cannot carry is refused, a response drops it', () => {
  const input = { id: 1, name: 'a', tags: [] };
  assert.throws(() => encode(sample, 0, { ...input, later: 8 }), problem(/later/));
  assert.throws(() => encode(sample, 2, { ...input, point: { x: 0, y: 0 } }), problem(/point/));
  assert.doesNotThrow(() => encode(sample, 0, { ...input, later: 7, hint: 'ignorable', point: { y: 0 } }));
  const response = { clusterId: 'c', brokers: [], endpointType: 2 };
  assert.equal(decode(describeCluster.response, 0, encode(describeCluster.response, 0, response)).endpointType, 1);
  assert.throws(
    () =>
      encode(describeCluster.request, 0, {
        includeClusterAuthorizedOperations: false,
        endpointType: 2,
        includeFencedBrokers: false,
      }),
    ProtocolError,
  );
});

test('a version that a message does not have is refused both ways', () => {
  for (const version of [-1, 4, 99, Number.NaN]) {
    assert.throws(() => decode(sample, version, hex('')), problem(/has no version/));
    assert.throws(() => encode(sample, version, { id: 1, name: 'a', tags: [] }), problem(/has no version/));
  }
});

test('a negative length is null where null is allowed, and an error elsewhere', () => {
  for (const length of ['ffffffff', 'fffffffe', '80000000']) {
    assert.equal(decode(metadata.request, 1, hex(length)).topics, null);
    assert.throws(() => decode(metadata.request, 0, hex(length)), problem(/may not be null/));
  }
  assert.equal(decode(sample, 1, hex('00000001 fffe 0000 0000 00000000')).name, null);
  assert.throws(() => decode(sample, 0, hex('00000001 fffe 00000000')), problem(/may not be null/));
});

test('bytes after the message are tolerated and counted', () => {
  assert.equal(decodeWithRest(metadata.request, 1, hex('00000000 abcdef')).rest, 3);
  assert.deepEqual(decode(metadata.request, 1, hex('00000000 abcdef')).topics, []);
});

test('unknown tagged fields are kept in order and sent on after ours', () => {
  const bytes = hex('00000001 00 0007 05 6e6f6e65 01 04 00 05 02 00000009 02 00 07 01 aa 09 02 bbcc');
  const value = decode(sample, 2, bytes);
  assert.deepEqual(encode(sample, 2, value), bytes);
  const changed = encode(sample, 2, { ...value, rest: [] });
  assert.deepEqual(changed, hex('00000001 00 0007 05 6e6f6e65 01 03 02 00 07 01 aa 09 02 bbcc'));
});

test('unknown tags before and after a known one are kept too', () => {
  const head = encode(transactionLogValue, 1, transaction()).subarray(0, -1);
  const value = decode(transactionLogValue, 1, Buffer.concat([head, hex('03 09 01 aa 02 02 0001 0a 00')]));
  assert.equal(value.clientTransactionVersion, 1);
  assert.deepEqual(encode(transactionLogValue, 1, value), Buffer.concat([head, hex('03 02 02 0001 09 01 aa 0a 00')]));
});

function transaction(): Input<typeof transactionLogValue> {
  return {
    producerId: 1,
    producerEpoch: 0,
    transactionTimeoutMs: 60_000,
    transactionStatus: 0,
    transactionPartitions: null,
    transactionLastUpdateTimestampMs: 0,
    transactionStartTimestampMs: -1,
  };
}

test('of a tagged field that comes twice the last one counts', () => {
  const value = decode(sample, 2, hex('00000001 00 0007 05 6e6f6e65 01 02 00 05 02 00000009 00 05 02 0000000a'));
  assert.deepEqual(value.rest, [10]);
});

test('a tagged field whose size disagrees with its content is refused', () => {
  for (const size of ['04', '06']) {
    assert.throws(
      () => decode(sample, 2, hex(`00000001 00 0007 05 6e6f6e65 01 01 00 ${size} 02 00000009 00`)),
      problem(/tagged field 0 is said to end|bytes are needed/),
    );
  }
});

test('overlong varints are read, and those longer than five bytes refused', () => {
  assert.deepEqual(decode(sample, 2, hex('00000001 8000 0007 8580808000 6e6f6e65 8100 00')).hint, 'none');
  assert.throws(() => decode(sample, 2, hex('00000001 808080808000')), problem(/longer than five bytes/));
});

test('invalid UTF-8 becomes replacement characters', () => {
  assert.equal(decode(sample, 0, hex('00000001 0003 61ff62 00000000')).name, 'a\ufffdb');
});

test('strings of every length and kind survive', () => {
  for (const length of [0, 1, 47, 48, 49, 126, 127, 128, 5000, 32_767]) {
    for (const text of [
      'a'.repeat(length),
      'é'.repeat(Math.floor(length / 2)),
      `${'z'.repeat(Math.max(0, length - 4))}😀`.slice(0, length),
    ]) {
      if (Buffer.byteLength(text) > 32_767 || !text.isWellFormed()) continue;
      for (const version of [1, 2]) {
        assert.equal(decode(sample, version, encode(sample, version, { id: 0, name: text, tags: [] })).name, text);
      }
    }
  }
});

class NoFile implements DiskFile {
  readonly path = 'segment';
  readonly descriptor = null;
  size = (): number => 0;
  read = (): number => assert.fail('encoding reads no file');
  readAsync = async (): Promise<number> => assert.fail('encoding reads no file');
  write = (): void => assert.fail('encoding writes no file');
  truncate = (): void => assert.fail('encoding writes no file');
  sync = async (): Promise<void> => assert.fail('encoding writes no file');
  syncNow = (): void => assert.fail('encoding writes no file');
  close = (): void => assert.fail('encoding closes no file');
}

const region = (position: number, length: number): FileRegion => ({
  file: new NoFile(),
  position,
  length,
  release: () => assert.fail('encoding releases no region'),
  readFailed: () => assert.fail('encoding reads no region'),
});

function fetchResponse(records: Uint8Array | readonly Part[] | null): ResponseInput<typeof fetch> {
  const partition = { partitionIndex: 0, highWatermark: 9, abortedTransactions: null, records };
  return { responses: [{ topic: 't', topicId: ZERO_UUID, partitions: [partition, { ...partition, partitionIndex: 1 }] }] };
}

/** The parts with the content of files replaced by zeros: what a client would see. */
const flat = (parts: readonly Part[]) =>
  Buffer.concat(parts.map((part) => (isFileRegion(part) ? Buffer.alloc(part.length) : part)));

test('a file region is a part of its own, and every length counts it', () => {
  for (const version of [4, 11, 12, 18]) {
    const file = region(100, 70_000);
    const parts = encodeResponse(fetch, version, 7, fetchResponse([file]));
    assert.deepEqual(parts.filter((part) => part === file).length, 2);
    const plain = encodeResponse(fetch, version, 7, fetchResponse(Buffer.alloc(70_000)));
    assert.ok(flat(parts).equals(flat(plain)));
    assert.equal((parts[0] as Buffer).readInt32BE(), flat(parts).length - 4);
  }
});

test('several parts are one run of records: small memory is copied, large memory and files are not', () => {
  const [small, large, file] = [Buffer.from('small'), Buffer.alloc(5000, 1), region(0, 10)];
  const parts = encodeParts(fetch.response, 18, fetchResponse([small, file, large]));
  assert.ok(parts.includes(file) && parts.includes(large) && !parts.includes(small));
  const decoded = decode(fetch.response, 18, flat(parts));
  assert.deepEqual(decoded.responses[0]?.partitions[1]?.records, Buffer.concat([small, Buffer.alloc(10), large]));
  assert.deepEqual(
    decode(fetch.response, 18, encode(fetch.response, 18, fetchResponse([small, large]))).responses[0]?.partitions[0]?.records
      ?.length,
    5005,
  );
});

test('an empty region leaves no part, and a message in memory takes no file', () => {
  assert.equal(encodeParts(fetch.response, 18, fetchResponse([region(0, 0)])).length, 1);
  assert.throws(() => encode(fetch.response, 18, fetchResponse([region(0, 10)])), ProtocolError);
});

test('decoded bytes are views of the frame', () => {
  const one = message({ name: 'One', versions: '0', flexible: 'none', fields: { data: records() } });
  const frame = hex('00000002 aabb');
  const { data } = decode(one, 0, frame);
  frame[4] = 0;
  assert.deepEqual(data, hex('00bb'));
});

test('a failed or unfinished encoding does not disturb the next one', () => {
  const request = { clientSoftwareName: 'a', clientSoftwareVersion: 'b' };
  const expected = encode(apiVersions.request, 3, request);
  assert.throws(() => encode(sample, 2, { id: 1, name: 'a'.repeat(40_000), tags: [] }));
  assert.deepEqual(encode(apiVersions.request, 3, request), expected);
  const first = encodeParts(fetch.response, 18, fetchResponse(null));
  const copy = flat(first);
  encodeParts(fetch.response, 18, fetchResponse(Buffer.alloc(100, 7)));
  assert.deepEqual(flat(first), copy);
});

test('types: required fields must be given, defaults may be left out, decoded fields are all there', () => {
  const request: RequestOf<typeof fetch> = decode(fetch.request, 4, hex('ffffffff 00000000 00000000 00000000 00 00000000'));
  const wait: number = request.maxWaitMs;
  const session: number = request.sessionId;
  const name: Infer<typeof sample>['name'] = null;
  assert.deepEqual([wait, session, name], [0, 0, null]);
  const build = () => {
    // @ts-expect-error a required field is left out
    encode(sample, 0, { id: 1, name: 'a' });
    // @ts-expect-error a field of this name does not exist
    encode(sample, 0, { id: 1, name: 'a', tags: [], nothing: 1 });
    // @ts-expect-error null is not allowed in any version
    encode(sample, 0, { id: null, name: 'a', tags: [] });
    // @ts-expect-error a default is of the type of its field
    string({ default: 1 });
  };
  assert.ok(build);
});

test('a struct in a tagged field is null where a zero stands before it, as Kafka writes it', () => {
  // From the log of a group coordinator of Kafka 4.4.0: a member of no classic protocol.
  const hex = '00000000036e320b2f3132372e302e302e3102076f726465727301000493e008756e69666f726d01000100'.slice(4);
  const member = decode(consumerGroupMemberMetadataValue, 0, Buffer.from(hex, 'hex'));
  assert.equal(member.classicMemberMetadata, null);
  assert.equal(encode(consumerGroupMemberMetadataValue, 0, member).toString('hex'), hex);
});
