import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Timeline } from '../../../src/base/timeline-map.ts';
import type { CoordinatorResult } from '../../../src/coordinator/runtime/coordinator-shard.ts';
import type { TransactionRecord } from '../../../src/coordinator/transaction/transaction-record.ts';
import { Transactions } from '../../../src/coordinator/transaction/transactions.ts';
import { ConfigStore } from '../../../src/config/config-store.ts';
import { EMPTY_METADATA_IMAGE } from '../../../src/metadata/metadata-image.ts';
import { KafkaError } from '../../../src/protocol/errors.ts';
import { simulatedEnvironment } from '../../../simulation/simulated-environment.ts';

type Operation = () => CoordinatorResult<TransactionRecord>;

/** A shard whose operations the test does by hand. */
function makeShard() {
  const enqueued: Operation[] = [];
  const timers = new Map<string, Operation>();
  const timer = {
    schedule: (key: string, _delayMs: number, operation: Operation) => void timers.set(key, operation),
    scheduleIfAbsent: () => undefined,
    cancel: (key: string) => void timers.delete(key),
    isScheduled: (key: string) => timers.has(key),
  };
  const configs = new ConfigStore({ nodeId: 1, fromFile: new Map() });
  const shard = new Transactions(
    {
      environment: simulatedEnvironment({ seed: 1 }),
      partition: 0,
      leaderEpoch: () => 0,
      timeline: new Timeline(),
      timer,
      metadata: () => EMPTY_METADATA_IMAGE,
      enqueue: (_name, operation) => void enqueued.push(operation),
    },
    {
      config: () => configs.broker(),
      markers: { write: () => Promise.resolve() },
      newProducerId: () => Promise.resolve(0),
      transactionVersion: () => 2,
    },
  );
  return { shard, enqueued, timers };
}

type Written<Response> = CoordinatorResult<TransactionRecord, Response>;

function written<Response>(shard: Transactions, { records, response, settled }: Written<Response>): Response | Promise<Response> {
  for (const record of records) shard.replay(record);
  settled?.(null);
  return response;
}

test('the end of a transaction is completed without a timer, and by one when it could not be written', async () => {
  const { shard, enqueued, timers } = makeShard();
  const id = 'transfer-1';
  const producer = { producerId: 7, producerEpoch: 0 };
  written(shard, shard.initProducerId(id, { timeoutMs: 1000, expected: null, newProducerId: producer.producerId }));
  written(shard, shard.addPartitions(id, producer, { partitions: new Map([['t', new Set([0])]]), version: 2 }));
  written(shard, shard.end(id, { ...producer, outcome: 'commit', version: 2, newProducerId: -1 }));
  assert.equal(enqueued.length, 0, 'the markers come first');
  await new Promise(setImmediate);
  const [completion] = enqueued;
  assert.ok(completion !== undefined && timers.size === 0);
  completion().settled?.(new KafkaError('NOT_ENOUGH_REPLICAS'));
  const [again] = timers.values();
  assert.ok(again !== undefined, 'a timer tries again until it is written');
  const { records } = again();
  assert.deepEqual(
    records.map(({ key }) => key.transactionalId),
    [id],
  );
  written(shard, { records, response: undefined });
  assert.deepEqual(again().records, [], 'once');
});
