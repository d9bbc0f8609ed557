import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ModelGroup } from './model-group.ts';

const runs = Number(process.env['CLASSIC_RUNS'] ?? 300);
const firstSeed = Number(process.env['CLASSIC_SEED'] ?? 1);
const STEPS = 40;

describe('classic groups, whatever happens to their members and their coordinator', () => {
  it(`never give a partition to two in one generation, and share everything out in the end: ${runs} runs from seed ${firstSeed}`, async () => {
    let generations = 0;
    for (let seed = firstSeed; seed < firstSeed + runs; seed++) {
      const group = await ModelGroup.start(seed);
      try {
        await group.happen(STEPS);
        await group.calm();
      } catch (error) {
        throw new Error(`seed ${seed} after ${group.events.slice(-20).join('; ')}`, { cause: error });
      }
      generations += group.events.length;
    }
    assert.ok(generations > runs, 'partitions were shared out');
  });
});
