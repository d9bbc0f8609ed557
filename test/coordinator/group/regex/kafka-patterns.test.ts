import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readGoldenLines } from '../../../golden-lines.ts';
import { askPattern } from './ask-pattern.ts';

const [texts, ...cases] = readGoldenLines('coordinator/topic-patterns.jsonl.gz') as [
  readonly string[],
  ...(readonly [string, readonly number[] | string])[],
];

test("patterns match what they match in Kafka's library, and are refused in its words", () => {
  assert.ok(cases.length > 2000);
  assert.ok(cases.filter(([, answer]) => typeof answer === 'string').length > 500);
  for (const [pattern, answer] of cases) assert.deepEqual(askPattern(pattern, texts), answer, JSON.stringify(pattern));
});
