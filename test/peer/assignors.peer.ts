import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AssignmentCase, assertSameAssignments } from '../coordinator/group/assignors/assignment-cases.ts';
import { runJava } from './java-program.ts';

const seed = Number(process.env['PEER_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const groups = Number(process.env['PEER_GROUPS'] ?? 2000);

test('groups that come by chance get the assignments of Kafka', async () => {
  const cases = (await runJava('AssignmentCases', [String(seed), String(groups)])) as AssignmentCase[];
  assert.equal(cases.length, groups);
  for (const [index, each] of cases.entries()) assertSameAssignments(each, `seed ${seed}, group ${index}`);
});
