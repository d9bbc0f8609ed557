import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ModelRun } from './model/model-run.ts';

const SEEDS = Number(process.env['MODEL_SEEDS'] ?? 120);
const FIRST_SEED = Number(process.env['MODEL_FIRST_SEED'] ?? 1);
const STEPS = 80;

test('Whatever happens to a consumer group, no partition has two readers at one epoch, and when it is calm all are read', async () => {
  const counts: Record<string, number> = {};
  for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
    const run = await ModelRun.start(seed);
    try {
      await run.live(STEPS);
    } catch (error) {
      throw new Error(`seed ${seed}`, { cause: error });
    }
    for (const [what, count] of Object.entries(run.counts)) counts[what] = (counts[what] ?? 0) + count;
  }
  if (SEEDS >= 100)
    assert.ok(
      Object.values(counts).every((count) => count > 20),
      'everything happened',
    );
});
