import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SimulatedRandom } from '../../../simulation/simulated-random.ts';
import { simulatedEnvironment } from '../../../simulation/simulated-environment.ts';
import type { TestBroker } from '../../broker/test-broker.ts';
import { knowProducer, startTransactingBroker, valuesIn } from '../../broker/transacting.ts';
import { type Attempt, ChaoticClient } from './chaotic-client.ts';
import { ChaoticTransport } from './chaotic-transport.ts';

/** How many seeds, from which on: more of them by `OTTLA_SEEDS=5000 OTTLA_SEED=1`. */
const seeds = Number(process.env['OTTLA_SEEDS'] ?? 60);
const firstSeed = Number(process.env['OTTLA_SEED'] ?? 1);

const LOAD_MS = 6_000;
const STEP_MS = 100;
const PLACES = [
  ['a', 0],
  ['a', 1],
  ['b', 0],
] as const;

describe('Transactions on a bad line', () => {
  it(`are whole or nothing, for seeds ${firstSeed} to ${firstSeed + seeds - 1}`, async () => {
    for (let seed = firstSeed; seed < firstSeed + seeds; seed++) {
      try {
        await runChaos(seed);
      } catch (error) {
        throw new Error(`seed ${seed} (OTTLA_SEED=${seed} OTTLA_SEEDS=1)`, { cause: error });
      }
    }
  });
});

async function runChaos(seed: number): Promise<void> {
  const random = new SimulatedRandom(seed);
  const environment = simulatedEnvironment({ seed });
  const transport = new ChaoticTransport(environment.clock, random);
  const broker = await startTransactingBroker({ environment, between: (channel) => transport.between(channel) });
  if (random.oneIn(2)) {
    for (const [index, id] of ['t', 'u'].entries()) await knowProducer(broker, id, 32_750 + random.integer(16), 5_000 + index);
  }
  const attempts: Attempt[] = [];
  // Two of the clients think that they are the only one with their id.
  const clients = (['t', 't', 'u'] as const).map(
    (transactionalId, index) =>
      new ChaoticClient({
        broker,
        transport,
        random,
        transactionalId,
        speech: random.pick(['old', 'new']),
        name: `${transactionalId}${index}`,
        attempts,
      }),
  );
  const runs = Promise.all(clients.map((client) => client.run()));
  const seen = PLACES.map((): readonly string[] => []);
  for (let elapsed = 0; elapsed < LOAD_MS; elapsed += STEP_MS) {
    await broker.advance(STEP_MS);
    await checkViews(broker, attempts, seen);
  }
  transport.isCalm = true;
  for (const client of clients) client.isStopped = true;
  await broker.advance(120_000);
  await runs;
  await checkViews(broker, attempts, seen);
  checkEnd(broker, attempts, seen.flat());
}

/** What readers of committed records see only grows, and nothing of what was aborted is in it. */
async function checkViews(broker: TestBroker, attempts: readonly Attempt[], seen: (readonly string[])[]): Promise<void> {
  const aborted = new Set(attempts.flatMap(({ fate, values }) => (fate === 'aborted' ? values.map(({ value }) => value) : [])));
  for (const [index, [topic, partition]] of PLACES.entries()) {
    const view = await valuesIn(broker, topic, partition);
    const before = seen[index] ?? [];
    assert.deepEqual(view.slice(0, before.length), before, 'what was seen stays');
    assert.deepEqual(
      view.filter((value) => aborted.has(value)),
      [],
      'nothing aborted is seen',
    );
    assert.equal(new Set(view).size, view.length, 'nothing is seen twice');
    seen[index] = view;
  }
}

function checkEnd(broker: TestBroker, attempts: readonly Attempt[], visible: readonly string[]): void {
  const all = new Set(visible);
  for (const { fate, values } of attempts) {
    const present = values.filter(({ value }) => all.has(value));
    if (fate === 'committed') assert.equal(present.length, values.length, 'all of what was committed is there');
    else if (fate === 'unknown') assert.ok(present.length === 0 || present.length === values.length, 'all or nothing');
  }
  for (const transaction of broker.coordinators.transactions.list()) {
    assert.ok(['Empty', 'CompleteCommit', 'CompleteAbort'].includes(transaction.state), `${transaction.state} hangs`);
  }
  for (const [topic, partition] of PLACES) {
    const { lastStableOffset, logEndOffset, producers } = broker.replicaManager.byName(topic, partition).leaderLog;
    assert.equal(lastStableOffset, logEndOffset, 'no transaction is open');
    assert.equal(producers.verifications.size <= attempts.length, true);
  }
}
