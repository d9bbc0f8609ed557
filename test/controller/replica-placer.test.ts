import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { SimulatedRandom } from '../../simulation/simulated-random.ts';
import { placeReplicas, type UsableBroker } from '../../src/controller/replica-placer.ts';
import { KafkaError } from '../../src/protocol/errors.ts';

const brokers: fc.Arbitrary<UsableBroker[]> = fc
  .array(fc.record({ rack: fc.constantFrom(null, 'a', 'b', 'c'), fenced: fc.boolean() }), { minLength: 1, maxLength: 9 })
  .map((list) => list.map((broker, id) => ({ id, ...broker })));

const place = (usable: readonly UsableBroker[], partitions: number, replicationFactor: number, seed = 1): number[][] =>
  placeReplicas(usable, { partitions, replicationFactor, random: new SimulatedRandom(seed) });

test('every partition has its replicas on different brokers, the first of them alive', () => {
  fc.assert(
    fc.property(brokers, fc.integer({ min: 1, max: 40 }), fc.nat(), fc.nat(), (usable, partitions, factorSeed, seed) => {
      fc.pre(usable.some(({ fenced }) => !fenced));
      const factor = 1 + (factorSeed % usable.length);
      const placed = place(usable, partitions, factor, seed + 1);
      assert.equal(placed.length, partitions);
      for (const replicas of placed) {
        assert.equal(replicas.length, factor);
        assert.equal(new Set(replicas).size, factor);
        assert.equal(usable.find(({ id }) => id === replicas[0])?.fenced, false);
      }
    }),
  );
});

test('no rack holds two replicas of a partition while another one holds none', () => {
  fc.assert(
    fc.property(brokers, fc.nat(), fc.nat(), (usable, factorSeed, seed) => {
      fc.pre(usable.some(({ fenced }) => !fenced));
      const factor = 1 + (factorSeed % usable.length);
      const racks = new Set(usable.map(({ rack }) => rack));
      for (const replicas of place(usable, 20, factor, seed + 1)) {
        const used = new Set(replicas.map((id) => usable.find((broker) => broker.id === id)?.rack));
        assert.equal(used.size, Math.min(factor, racks.size));
      }
    }),
  );
});

test('leaders are spread evenly over like brokers', () => {
  const usable = Array.from({ length: 6 }, (_, id) => ({ id, rack: `rack ${id % 3}`, fenced: false }));
  const leaders = new Map<number, number>();
  for (const [leader = -1] of place(usable, 60, 3)) leaders.set(leader, (leaders.get(leader) ?? 0) + 1);
  assert.deepEqual([...leaders.values()], [10, 10, 10, 10, 10, 10]);
});

test('what cannot be placed is refused in the words of Kafka', () => {
  const alive = [{ id: 1, rack: null, fenced: false }];
  const refused = (message: string) => (error: unknown) =>
    error instanceof KafkaError && error.errorName === 'INVALID_REPLICATION_FACTOR' && error.message === message;
  assert.throws(() => place(alive, 1, 0), refused('Invalid replication factor 0: the replication factor must be positive.'));
  assert.throws(
    () => place([{ id: 1, rack: null, fenced: true }], 1, 1),
    refused('All brokers are currently fenced, or have all their log directories cordoned.'),
  );
  assert.throws(
    () => place(alive, 1, 2),
    refused(
      'The target replication factor of 2 cannot be reached because only 1 broker(s) are registered or some brokers have all their log directories cordoned.',
    ),
  );
});
