import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InvalidArgumentError } from 'commander';
import { escapes } from '../../src/cli/escapes.ts';
import { byteSize, duration, header, keyValue, nameList, partitionList, wholeNumber } from '../../src/cli/option-values.ts';
import { placeOf } from '../../src/cli/start-position.ts';
import { matchesSpec, parseTopicPartitions } from '../../src/cli/topic-partitions.ts';
import { timeOf } from '../../src/cli/commands/offsets.ts';
import { parseAssignment } from '../../src/cli/commands/topics-change.ts';

const refused = (read: () => unknown): void => assert.throws(read, InvalidArgumentError);

test('sizes are read in powers of 1024', () => {
  assert.deepEqual(
    ['0', '1000', '16k', '16K', '1.5kb', '2MiB', '1g'].map(byteSize),
    [0, 1000, 16_384, 16_384, 1536, 2_097_152, 1_073_741_824],
  );
  for (const text of ['', 'k', '-1', '1x', '1 k b']) refused(() => byteSize(text));
});

test('times are read with and without units', () => {
  assert.deepEqual(['5', '250ms', '1.5s', '2m', '1h', '7d'].map(duration), [5, 250, 1500, 120_000, 3_600_000, 604_800_000]);
  for (const text of ['', 's', '1y', '-5s']) refused(() => duration(text));
});

test('numbers have limits', () => {
  assert.equal(wholeNumber(0, 10)('10'), 10);
  assert.equal(wholeNumber(1)('1_000_000'), 1_000_000);
  for (const text of ['', ' ', '1.5', 'x', '-1', '11']) refused(() => wholeNumber(0, 10)(text));
});

test('lists of partitions may have ranges and repetitions', () => {
  assert.deepEqual(partitionList('3,0-2,2,7'), [0, 1, 2, 3, 7]);
  for (const text of ['', 'a', '1-', '-1', '3-1', '0-9999999']) refused(() => partitionList(text));
});

test('pairs keep everything after the first equals sign, and a later one wins', () => {
  assert.deepEqual(keyValue('a=b=c', keyValue('a=1', { z: '2' })), { a: 'b=c', z: '2' });
  refused(() => keyValue('=x'));
  refused(() => keyValue('x'));
  assert.deepEqual(header('h=1:2', header('g:x=y')), [
    { key: 'g', value: 'x=y' },
    { key: 'h', value: '1:2' },
  ]);
  assert.deepEqual(nameList(' a, b,,c ', ['z']), ['z', 'a', 'b', 'c']);
});

test('escapes stand for their bytes', () => {
  assert.deepEqual(escapes('a\\tb\\n\\x00\\xfFé\\\\'), Buffer.from([0x61, 9, 0x62, 10, 0, 0xff, 0xc3, 0xa9, 0x5c]));
  for (const text of ['\\q', '\\', '\\xg0']) assert.throws(() => escapes(text), /is no escape/);
});

test('places to start reading from', () => {
  assert.deepEqual(placeOf('earliest'), { kind: 'earliest' });
  assert.deepEqual(placeOf('END'), { kind: 'latest' });
  assert.deepEqual(placeOf('42'), { kind: 'offset', offset: 42 });
  assert.deepEqual(placeOf('-10'), { kind: 'before-end', count: 10 });
  assert.deepEqual(placeOf('@1700000000000'), { kind: 'time', timestamp: 1_700_000_000_000 });
  assert.deepEqual(placeOf('2026-11-30T12:00:00Z'), { kind: 'time', timestamp: Date.UTC(2026, 10, 30, 12) });
  for (const text of ['', 'soon', '2026-13-45', '--1']) refused(() => placeOf(text));
});

test('offsets are asked for by name, number and date', () => {
  assert.deepEqual(
    ['latest', 'earliest', 'max-timestamp', '-4', '1700000003000', '2023-11-14T22:13:23Z'].map(timeOf),
    [-1, -2, -3, -4, 1_700_000_003_000, 1_700_000_003_000],
  );
  for (const text of ['', 'later', '-7']) refused(() => timeOf(text));
});

test('patterns of topics and partitions are those of kafka-get-offsets', () => {
  const specs = parseTopicPartitions('orders:1,__.*:0,:5-,a:-2,b:3-5,c:');
  const matches = (topic: string, partition: number): boolean => specs.some((spec) => matchesSpec(spec, topic, partition));
  for (const [topic, partition] of [
    ['orders', 1],
    ['__consumer_offsets', 0],
    ['x', 5],
    ['x', 900],
    ['a', 1],
    ['b', 4],
    ['c', 2],
  ] as const)
    assert.ok(matches(topic, partition), `${topic}:${partition}`);
  for (const [topic, partition] of [
    ['orders', 0],
    ['__x', 1],
    ['x', 4],
    ['a', 2],
    ['b', 2],
  ] as const)
    assert.ok(!matches(topic, partition), `${topic}:${partition}`);
  for (const text of ['a:b', 'a:1:2', '[:0']) assert.throws(() => parseTopicPartitions(text));
});

test('replica assignments name different brokers, as many for each partition', () => {
  assert.deepEqual(parseAssignment('1:2,2:3'), [
    [1, 2],
    [2, 3],
  ]);
  for (const text of ['', '1:1', '1:2,3', 'a', '1:']) assert.throws(() => parseAssignment(text));
});
