import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkFault, countOperations, type FaultOutcome, faultKinds } from '../../simulation/faults/fault-sweep.ts';

const SMALL = { phases: 1, steps: 3 };
/** A different one for each kind of fault and node, so that many operations have their turn. */
const STRIDE = 17;

for (const flushes of [true, false]) {
  describe(`a node ${flushes ? 'with' : 'without'} flush.messages=1 whose disk fails`, () => {
    for (const [first, kind] of faultKinds.entries()) {
      it(`tells clients, stops in order and starts again with all that it acknowledged (${kind}; the long form: npm run simulate)`, async () => {
        const options = { ...SMALL, seed: 31, flushes };
        const operations = await countOperations(options);
        const outcomes: FaultOutcome[] = [];
        for (let at = first; at < operations; at += STRIDE) outcomes.push(await checkFault(options, { at, kind }));
        assert.ok(outcomes.some(({ nodeFailed }) => nodeFailed));
        assert.ok(outcomes.some(({ callsFailed }) => callsFailed > 0));
        assert.ok(outcomes.some(({ wasRefused }) => wasRefused));
        const unmet = outcomes.filter(({ operation }) => operation === null).length;
        assert.ok(unmet < outcomes.length / 4, `${unmet} of ${outcomes.length} faults were never met`);
      });
    }
  });
}
