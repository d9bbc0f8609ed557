import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { LatencyHistogram } from '../../src/cli/latency-histogram.ts';
import { linesOf } from '../../src/cli/line-source.ts';
import { parseFormat, printJson, printValue } from '../../src/cli/record-format.ts';
import { recordOfJson, recordOfLine } from '../../src/cli/record-input.ts';
import { tableLines } from '../../src/cli/table.ts';
import { producedText } from '../../src/cli/bench-report.ts';
import { kafkaLines, partitionTest } from '../../src/cli/commands/topics-show.ts';
import type { ConsumerRecord } from '../../src/client/fetched-chunk.ts';

const record: ConsumerRecord = {
  topic: 'orders',
  partition: 2,
  offset: 7,
  timestamp: 1_700_000_000_000,
  timestampType: 'create-time',
  sequence: 0,
  leaderEpoch: 3,
  key: Buffer.from('k'),
  value: Buffer.from('välue'),
  headers: [
    { key: 'a', value: Buffer.from('1') },
    { key: 'b', value: null },
  ],
};

test('formats have the tokens of kcat', () => {
  const print = parseFormat('%t/%p@%o e%e %k(%K)=%s(%S) %h %T %D%%\\n');
  assert.equal(
    Buffer.from(print(record) as Uint8Array).toString(),
    'orders/2@7 e3 k(1)=välue(6) a=1,b=NULL 1700000000000 2023-11-14T22:13:20.000Z%\n',
  );
  const framed = parseFormat('%R%s');
  assert.deepEqual(Buffer.from(framed(record) as Uint8Array), Buffer.concat([Buffer.of(0, 0, 0, 6), Buffer.from('välue')]));
  assert.equal(Buffer.from(parseFormat('%K %S')({ ...record, key: null, value: null }) as Uint8Array).toString(), '-1 -1');
  assert.throws(() => parseFormat('%q'), /is no token/);
  assert.throws(() => parseFormat('100%'), /is no token/);
});

test('a value is printed as its bytes', () => {
  const bytes = Buffer.of(0xff, 0x00, 0x61);
  assert.deepEqual(Buffer.from(printValue({ ...record, value: bytes }) as Uint8Array), Buffer.of(0xff, 0x00, 0x61, 0x0a));
});

test('what consume prints as JSON, produce reads back, whatever the bytes', () => {
  const data = fc.option(fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)));
  fc.assert(
    fc.property(
      data,
      data,
      fc.array(fc.record({ key: fc.string({ maxLength: 5 }), value: data }, { noNullPrototype: true }), { maxLength: 3 }),
      (key, value, headers) => {
        const line = Buffer.from(printJson({ ...record, key, value, headers }) as string);
        const read = recordOfJson(line.subarray(0, -1), 1);
        const bytes = (given: Uint8Array | string | null | undefined): Buffer | null =>
          given === null || given === undefined ? null : Buffer.from(given as Uint8Array);
        assert.deepEqual([bytes(read.key), bytes(read.value)], [key, value]);
        assert.deepEqual(
          read.headers?.map((header) => ({ key: header.key, value: bytes(header.value) })),
          headers,
        );
        assert.deepEqual([read.partition, read.timestamp], [2, 1_700_000_000_000]);
      },
    ),
  );
});

test('lines are values, or keys and values', () => {
  const format = { keySeparator: Buffer.from(':'), nullMarker: Buffer.from('NULL') };
  assert.deepEqual(recordOfLine(Buffer.from('a:b:c'), format, 1), { key: Buffer.from('a'), value: Buffer.from('b:c') });
  assert.deepEqual(recordOfLine(Buffer.from('NULL:NULL'), format, 1), { key: null, value: null });
  assert.deepEqual(recordOfLine(Buffer.from('a'), { keySeparator: null, nullMarker: null }, 1), { value: Buffer.from('a') });
  assert.throws(() => recordOfLine(Buffer.from('abc'), format, 17), /Line 17 has no key separator ":": abc/);
});

test('a line that is no record is told with its number', () => {
  for (const [line, reason] of [
    ['x', 'JSON'],
    ['[1]', 'no JSON object'],
    ['{"valeu":1}', 'no field "valeu"'],
    ['{"partition":"x","value":1}', 'partition'],
  ] as const) {
    assert.throws(
      () => recordOfJson(Buffer.from(line), 4),
      (error) => error instanceof Error && error.message.startsWith('Line 4') && error.message.includes(reason),
    );
  }
});

test('lines are cut at their delimiter, wherever chunks end', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.stringMatching(/^[a-c\r;]{0,6}$/), { maxLength: 8 }),
      fc.integer({ min: 1, max: 5 }),
      fc.constantFrom('\n', ';;'),
      async (texts, size, delimiter) => {
        const lines = texts.map((text) => text.replaceAll(';', 'd').replace(/\r+$/, ''));
        const bytes = Buffer.from(lines.map((line) => line + delimiter).join(''));
        const chunks = async function* (): AsyncGenerator<Uint8Array, void> {
          for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
        };
        const read: string[] = [];
        for await (const some of linesOf(chunks(), Buffer.from(delimiter))) read.push(...some.map((line) => line.toString()));
        assert.deepEqual(read, lines);
      },
    ),
  );
});

test('tables stand in columns and have no spaces at line ends', () => {
  const lines = tableLines(
    [{ title: 'NAME' }, { title: 'COUNT', align: 'right' }, { title: 'WHY' }],
    [
      ['a', '1', ''],
      ['longer', '1000', '\u001b[31mred\u001b[39m'],
    ],
  );
  assert.deepEqual(lines, ['NAME    COUNT  WHY', 'a           1', 'longer   1000  \u001b[31mred\u001b[39m']);
});

test('percentiles are right to within a hundredth', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0.001, max: 100_000, noNaN: true }), { minLength: 1, maxLength: 200 }), (values) => {
      const histogram = new LatencyHistogram();
      for (const value of values) histogram.record(value);
      const sorted = values.toSorted((a, b) => a - b);
      for (const share of [0.5, 0.95, 0.99, 1]) {
        const exact = sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
        const told = histogram.percentile(share);
        assert.ok(told >= exact - 0.001 && told <= exact * 1.01 + 0.001, `${share}: ${told} for ${exact}`);
      }
      assert.equal(histogram.max, sorted.at(-1));
    }),
  );
});

test('the report of a run has the form of kafka-producer-perf-test', () => {
  const latency = new LatencyHistogram();
  for (let ms = 1; ms <= 100; ms++) latency.record(ms);
  const text = producedText({ records: 2000, bytes: 200_000, seconds: 0.5 }, latency, true);
  assert.equal(
    text,
    '2000 records sent, 4000.0 records/sec (0.38 MB/sec), 50.50 ms avg latency, 100.00 ms max latency, 50 ms 50th, 95 ms 95th, 99 ms 99th, 100 ms 99.9th.',
  );
});

const partition = {
  partition: 1,
  leader: 1,
  leaderEpoch: 4,
  replicas: [1, 2, 3],
  isr: [1, 2],
  offlineReplicas: [],
  error: 'NONE',
  eligibleLeaderReplicas: [],
  lastKnownElr: null,
} as const;

test('a topic is described in the lines of kafka-topics', () => {
  const topic = {
    name: 'orders',
    id: 'aifr8DclSWmIoFsVwbCWTw',
    isInternal: false,
    partitions: [partition, { ...partition, partition: 2, leader: -1 }],
  };
  const configs = [
    { name: 'retention.ms', value: '-1', source: 'topic', isReadOnly: false, isSensitive: false, synonyms: [] },
  ] as const;
  assert.deepEqual(kafkaLines({ topic, configs, partitions: topic.partitions }, { heading: true, partitions: true }), [
    'Topic: orders\tTopicId: aifr8DclSWmIoFsVwbCWTw\tPartitionCount: 2\tReplicationFactor: 3\tConfigs: retention.ms=-1',
    '\tTopic: orders\tPartition: 1\tLeader: 1\tReplicas: 1,2,3\tIsr: 1,2\tElr: \tLastKnownElr: N/A',
    '\tTopic: orders\tPartition: 2\tLeader: none\tReplicas: 1,2,3\tIsr: 1,2\tElr: \tLastKnownElr: N/A',
  ]);
});

test('partitions are filtered by what is wrong with them', () => {
  const facts = { minIsr: 2, live: new Set([1]) };
  const shows = (options: Parameters<typeof partitionTest>[0], one = {}): boolean =>
    partitionTest(options)?.({ ...partition, ...one }, facts) ?? assert.fail();
  assert.equal(partitionTest({}), null);
  assert.equal(shows({ underReplicatedPartitions: true }), true);
  assert.equal(shows({ underReplicatedPartitions: true }, { isr: [1, 2, 3] }), false);
  assert.equal(shows({ underMinIsrPartitions: true }), false);
  assert.equal(shows({ underMinIsrPartitions: true }, { isr: [1] }), true);
  assert.equal(shows({ atMinIsrPartitions: true }), true);
  assert.equal(shows({ atMinIsrPartitions: true }, { isr: [1] }), false);
  assert.equal(shows({ unavailablePartitions: true }), false);
  assert.equal(shows({ unavailablePartitions: true }, { leader: 2 }), true);
  assert.equal(shows({ unavailablePartitions: true }, { leader: -1 }), true);
});
