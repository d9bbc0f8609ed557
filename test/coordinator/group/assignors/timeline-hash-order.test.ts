import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timelineHashOrder } from '../../../../src/coordinator/group/assignors/timeline-hash-order.ts';
import { readGoldenLines } from '../../../golden-lines.ts';

test("members stand in the order of Kafka's TimelineHashMap", () => {
  const cases = readGoldenLines('coordinator/timeline-order.jsonl.gz') as (readonly [readonly string[], readonly string[]])[];
  assert.ok(cases.length > 50);
  for (const [ids, order] of cases) assert.deepEqual(timelineHashOrder(ids), order);
});
