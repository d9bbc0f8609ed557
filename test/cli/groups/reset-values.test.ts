import assert from 'node:assert/strict';
import { test } from 'node:test';
import { topicArgument } from '../../../src/cli/groups/partition-arguments.ts';
import { parseResetCsv, resetCsv } from '../../../src/cli/groups/reset-csv.ts';
import { dateTime, isoDuration } from '../../../src/cli/groups/reset-times.ts';

test('a date and time is in UTC unless it says otherwise', () => {
  const noon = Date.UTC(2026, 10, 30, 12);
  const cases: readonly (readonly [string, number])[] = [
    ['2026-11-30T12:00:00.000', noon],
    ['2026-11-30T12:00:00', noon],
    ['2026-11-30T12:00:00.250Z', noon + 250],
    ['2026-11-30T13:30:00.000+01:30', noon],
    ['2026-11-30T13:00:00.000+01', noon],
    ['2026-11-30T05:30:00.000-0630', noon],
  ];
  for (const [text, expected] of cases) assert.equal(dateTime(text), expected, text);
  for (const text of ['', '2026-11-30', 'yesterday', '2026-11-30 12:00:00', '2026-13-01T00:00:00.000', '2026-11-30T25:00:00']) {
    assert.throws(() => dateTime(text), /YYYY-MM-DD|no such day/, text);
  }
});

test('a duration has days, hours, minutes and seconds, or is one of the short ones', () => {
  const cases: readonly (readonly [string, number])[] = [
    ['P7D', 7 * 86_400_000],
    ['PT1H30M', 5_400_000],
    ['P1DT0.25S', 86_400_250],
    ['pt-6h3m', -6 * 3_600_000 + 180_000],
    ['-PT6H', -6 * 3_600_000],
    ['PT0S', 0],
    ['90s', 90_000],
  ];
  for (const [text, expected] of cases) assert.equal(isoDuration(text), expected, text);
  for (const text of ['P', 'PT', 'P1Y', '1h30m', 'PT1.5H', '']) assert.throws(() => isoDuration(text), /PnDTnHnMnS/, text);
});

test('lines of offsets are read as they were written, with and without groups', () => {
  const lines = [
    { group: null, topic: 'orders', partition: 0, offset: 7 },
    { group: 'a "quoted", long group', topic: 'a-topic-with-a-rather-long-name', partition: 1, offset: 0 },
  ];
  const text = lines.map(resetCsv).join('\n');
  assert.equal(text, 'orders,0,7\n"a ""quoted"", long group","a-topic-with-a-rather-long-name",1,0');
  assert.deepEqual(parseResetCsv(`${text}\r\n\n`, 'file'), lines);
  for (const wrong of ['orders,0', 'orders,x,1', 'orders,0,x', 'a,b,c,1,2', ',0,1']) {
    assert.throws(() => parseResetCsv(`orders,0,1\n${wrong}`, 'some.csv'), /some\.csv, line 2: ".*" is not an offset/, wrong);
  }
});

test('a topic is named with its partitions or without', () => {
  assert.deepEqual(topicArgument('orders'), { topic: 'orders', partitions: null });
  assert.deepEqual(topicArgument('orders:0,12'), { topic: 'orders', partitions: [0, 12] });
  for (const wrong of ['orders:', 'orders:0:1', 'orders:a', 'orders:0,', 'orders:-1']) {
    assert.throws(() => topicArgument(wrong), /Invalid (topic arg|partition)/, wrong);
  }
});
