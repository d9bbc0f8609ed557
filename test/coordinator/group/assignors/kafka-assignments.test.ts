import assert from 'node:assert/strict';
import { test } from 'node:test';
import { consumerAssignors } from '../../../../src/coordinator/group/assignors/consumer-assignors.ts';
import { readGoldenLines } from '../../../golden-lines.ts';
import { type AssignmentCase, assertSameAssignments } from './assignment-cases.ts';

const cases = readGoldenLines('coordinator/assignments.jsonl.gz') as AssignmentCase[];

for (const name of consumerAssignors.keys()) {
  test(`the ${name} assignor gives what Kafka's gives, in its order, as a group changes`, () => {
    const ownCases = cases.filter((each) => each.assignor === name);
    assert.ok(ownCases.length > 200);
    for (const [index, each] of ownCases.entries()) assertSameAssignments(each, `group ${index}`);
  });
}
