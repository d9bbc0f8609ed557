import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { KafkaError } from '../../../src/protocol/errors.ts';
import { countersWorld, sorted } from './counters.ts';

type Step =
  | { readonly kind: 'write'; readonly name: string; readonly by: number }
  | { readonly kind: 'transaction'; readonly name: string; readonly by: number; readonly outcome: 'commit' | 'abort' }
  | { readonly kind: 'turn' | 'commit' | 'fail' | 'mend' };

const name = fc.constantFrom('a', 'b', 'c');
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('write' as const), name, by: fc.integer({ min: 1, max: 9 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('transaction' as const),
      name,
      by: fc.integer({ min: 1, max: 9 }),
      outcome: fc.constantFrom('commit' as const, 'abort' as const),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constantFrom('turn' as const, 'commit' as const, 'fail' as const, 'mend' as const) }),
  },
);

describe('Whatever is written and fails to be written', () => {
  it('the state is what the log says, and what was acknowledged is in it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const { environment, log, runtime, restarted } = countersWorld();
        await runtime.becomeLeader(0, 1);
        log.isReplicated = false;
        const acknowledged = new Map<string, number>();
        const settled: Promise<void>[] = [];
        for (const each of steps) {
          if (each.kind === 'write') {
            const answer = runtime.write(0, (shard) => shard.increment(each.name, each.by));
            settled.push(answer.then((value) => void acknowledged.set(each.name, value), ignoreRefusal));
          } else if (each.kind === 'transaction') {
            const producer = { producerId: 1, producerEpoch: 0 };
            // A value that nothing is added to: what another operation sees meanwhile is not this one's.
            const record = { name: `${each.name}-transactional`, value: each.by };
            settled.push(
              runtime.writeTransactional(0, producer, () => ({ records: [record], response: undefined })).catch(ignoreRefusal),
            );
            settled.push(
              runtime
                .endTransaction(0, { ...producer, coordinatorEpoch: 0, outcome: each.outcome, transactionVersion: 0 })
                .catch(ignoreRefusal),
            );
          } else if (each.kind === 'turn') environment.clock.advance(0);
          else if (each.kind === 'commit') log.commit();
          else log.failure = each.kind === 'fail' ? new KafkaError('NOT_ENOUGH_REPLICAS') : null;
        }
        log.failure = null;
        environment.clock.advance(0);
        const read = restarted();
        await read.becomeLeader(0, 2);
        const ofLog = read.read(0, ({ values }) => sorted(values));
        assert.deepEqual(
          runtime.read(0, ({ values }) => sorted(values)),
          ofLog,
        );
        log.commit();
        await Promise.all(settled);
        const final = new Map(ofLog);
        for (const [counter, value] of acknowledged) assert.ok((final.get(counter) ?? 0) >= value);
        assert.deepEqual(
          runtime.read(0, ({ values }, committed) => sorted(values.entriesAt(committed))),
          ofLog,
        );
      }),
      { numRuns: 500 },
    );
  });
});

const ignoreRefusal = (error: unknown): void => assert.ok(error instanceof KafkaError);
