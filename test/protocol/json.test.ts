import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ZERO_UUID } from '../../src/base/uuid.ts';
import { configRecord } from '../../src/metadata/records/04-config-record.ts';
import { decode, encode, ProtocolError } from '../../src/protocol/codec.ts';
import { fromJson, toJson, toJsonText } from '../../src/protocol/json.ts';
import { produce } from '../../src/protocol/messages/00-produce.ts';
import { fetch } from '../../src/protocol/messages/01-fetch.ts';
import { quorumStateData } from '../../src/protocol/data/quorum-state-data.ts';
import { float64, hash64, int64, message, NO_LIMIT, string } from '../../src/protocol/schema.ts';

const limits = message({
  name: 'Limits',
  versions: '0',
  flexible: 'none',
  fields: { limit: int64(), text: string() },
});

test('2^63 - 1 is a number in the text of a message, and a string of the same digits stays a string', () => {
  const value = { limit: NO_LIMIT, text: '9223372036854775807' };
  assert.deepEqual(toJson(limits, 0, value), { limit: '9223372036854775807', text: '9223372036854775807' });
  assert.equal(toJsonText(limits, 0, value), '{"limit":9223372036854775807,"text":"9223372036854775807"}');
  assert.deepEqual(fromJson(limits, 0, toJson(limits, 0, value)), value);
});

test('a record of the metadata log prints as Kafka prints it', () => {
  const value = { resourceType: 2, resourceName: 'orders', name: 'retention.ms', value: '1000' };
  assert.equal(
    toJsonText(configRecord, 0, value),
    '{"resourceType":2,"resourceName":"orders","name":"retention.ms","value":"1000"}',
  );
});

test('the request log has the size of records, not the records', () => {
  const partitionData = [
    { index: 0, records: Buffer.alloc(61) },
    { index: 1, records: null },
    { index: 2, records: [Buffer.alloc(3), Buffer.alloc(4)] },
  ];
  const request = { acks: 1, timeoutMs: 5, topicData: [{ name: 't', topicId: ZERO_UUID, partitionData }] };
  assert.deepEqual(toJson(produce.request, 9, request, { records: 'size' }), {
    transactionalId: null,
    acks: 1,
    timeoutMs: 5,
    topicData: [
      {
        name: 't',
        partitionData: [
          { index: 0, recordsSizeInBytes: 61 },
          { index: 1, recordsSizeInBytes: 0 },
          { index: 2, recordsSizeInBytes: 7 },
        ],
      },
    ],
  });
});

test('a tagged field at its default is not printed, and is at its default when it was not', () => {
  const request = decode(fetch.request, 18, Buffer.from('00000000000000000000000000000000000000000001010100', 'hex'));
  const json = toJson(fetch.request, 18, request);
  assert.ok(typeof json === 'object' && json !== null && !('clusterId' in json) && !('replicaState' in json));
  assert.deepEqual(fromJson(fetch.request, 18, json), request);
});

test('the vote of a raft replica is read from the JSON of its file', () => {
  const text = '{"leaderId":-1,"leaderEpoch":4,"votedId":2,"votedDirectoryId":"EREiIjMzRERVVWZmd3eIiA","data_version":1}';
  const vote = fromJson(quorumStateData, 1, JSON.parse(text));
  assert.equal(vote.votedDirectoryId, 'EREiIjMzRERVVWZmd3eIiA');
  assert.equal(JSON.stringify({ ...(toJson(quorumStateData, 1, vote) as object), data_version: 1 }), text);
});

test('JSON that is not the message is refused, and the message says where', () => {
  const cases: readonly [unknown, RegExp][] = [
    [null, /Limits: not a JSON object/],
    [[], /not a JSON object/],
    [{ limit: 1 }, /Limits\.text: missing/],
    [{ limit: 1, text: null }, /Limits\.text: may not be null/],
    [{ limit: 1, text: 2 }, /Limits\.text: not a JSON string/],
    [{ limit: '9007199254740993', text: '' }, /Limits\.limit: .* beyond 2\^53/],
    [{ limit: true, text: '' }, /Limits\.limit: not a JSON number/],
  ];
  for (const [json, pattern] of cases) {
    const isThat = (error: unknown) => error instanceof ProtocolError && pattern.test(error.message);
    assert.throws(() => fromJson(limits, 0, json), isThat);
  }
});

test('a hash keeps all of its 64 bits, and text has it as a number', () => {
  const hashed = message({ name: 'Hashed', versions: '0', flexible: 'none', fields: { hash: hash64() } });
  const value = decode(hashed, 0, Buffer.from('cca44f2ee4bf8b4d', 'hex'));
  assert.deepEqual(value, { hash: -3700745930966856883n });
  assert.equal(encode(hashed, 0, value).toString('hex'), 'cca44f2ee4bf8b4d');
  assert.equal(toJsonText(hashed, 0, value), '{"hash":-3700745930966856883}');
  assert.deepEqual(fromJson(hashed, 0, toJson(hashed, 0, value)), value);
  assert.throws(() => encode(hashed, 0, { hash: 2n ** 63n }), ProtocolError);
});

test('text has doubles as Java prints them', () => {
  const measured = message({ name: 'Measured', versions: '0', flexible: 'none', fields: { value: float64() } });
  const texts = [0, -0, 1, 0.5, 1048576, 9999999, 1e7, 12345678.5, 0.001, 0.00099, -2.5e-10].map((value) =>
    toJsonText(measured, 0, { value }).slice('{"value":'.length, -1),
  );
  const java = ['0.0', '-0.0', '1.0', '0.5', '1048576.0', '9999999.0', '1.0E7', '1.23456785E7', '0.001', '9.9E-4', '-2.5E-10'];
  assert.deepEqual(texts, java);
});
