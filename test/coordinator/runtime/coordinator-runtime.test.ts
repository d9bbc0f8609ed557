import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { KafkaError } from '../../../src/protocol/errors.ts';
import { batchesOf } from '../../../src/protocol/records/batches.ts';
import { type Counters, type CountersRuntime, countersWorld, sorted } from './counters.ts';

const P = 0;
const value = (runtime: CountersRuntime, name: string): number | undefined => runtime.read(P, ({ values }) => values.get(name));
const committedValue = (runtime: CountersRuntime, name: string): number | undefined =>
  runtime.read(P, ({ values }, committed) => values.getAt(name, committed));
const increment =
  (name: string, by = 1) =>
  (shard: Counters) =>
    shard.increment(name, by);
const refused = (errorName: string) => (error: unknown) => error instanceof KafkaError && error.errorName === errorName;

describe('A coordinator runtime', () => {
  it('refuses what is asked of a partition that it does not serve, or does not serve yet', async () => {
    const { runtime } = countersWorld();
    await assert.rejects(runtime.write(P, increment('a')), refused('NOT_COORDINATOR'));
    const loading = runtime.becomeLeader(P, 1);
    assert.throws(() => runtime.read(P, () => 0), refused('COORDINATOR_LOAD_IN_PROGRESS'));
    await assert.rejects(runtime.write(P, increment('a')), refused('COORDINATOR_LOAD_IN_PROGRESS'));
    await loading;
    assert.deepEqual(runtime.activePartitions, [P]);
    runtime.resign(P);
    await assert.rejects(runtime.write(P, increment('a')), refused('NOT_COORDINATOR'));
  });

  it('writes what is asked for in one turn as one batch, and shows each operation what those before it did', async () => {
    const { environment, log, runtime } = countersWorld();
    await runtime.becomeLeader(P, 1);
    const answers = ['a', 'b', 'a'].map((name) => runtime.write(P, increment(name)));
    assert.equal(log.batchesWritten.length, 0);
    environment.clock.advance(0);
    assert.deepEqual(await Promise.all(answers), [1, 1, 2]);
    assert.equal(log.batchesWritten.length, 1);
    assert.equal([...batchesOf(log.batchesWritten[0] as Buffer)][0]?.recordsCount, 3);
  });

  it('writes at once without linger, and after the linger with one', async () => {
    const { environment, log, runtime, settings } = countersWorld();
    await runtime.becomeLeader(P, 1);
    settings.lingerMs = 0;
    assert.equal(await runtime.write(P, increment('a')), 1);
    settings.lingerMs = 5;
    const answers = [runtime.write(P, increment('a')), runtime.write(P, increment('a'))];
    environment.clock.advance(4);
    assert.equal(log.batchesWritten.length, 1);
    environment.clock.advance(1);
    assert.equal(log.batchesWritten.length, 2);
    assert.deepEqual(await Promise.all(answers), [2, 3]);
  });

  it('answers when the high watermark has passed, and until then reads what is committed', async () => {
    const { environment, log, runtime, settings } = countersWorld();
    await runtime.becomeLeader(P, 1);
    settings.lingerMs = 0;
    log.isReplicated = false;
    const seen: string[] = [];
    const first = runtime.write(P, increment('a')).then(() => seen.push('first'));
    const second = runtime.write(P, increment('a')).then(() => seen.push('second'));
    // It has nothing to write but saw what is not committed.
    const reader = runtime.write(P, ({ values }) => ({ records: [], response: values.get('a') })).then(() => seen.push('reader'));
    assert.deepEqual([value(runtime, 'a'), committedValue(runtime, 'a')], [2, undefined]);
    log.commit(1);
    await first;
    assert.deepEqual([seen, committedValue(runtime, 'a')], [['first'], 1]);
    log.commit(2);
    await Promise.all([second, reader]);
    assert.deepEqual([seen, committedValue(runtime, 'a')], [['first', 'second', 'reader'], 2]);
    environment.clock.advance(10_000);
  });

  it('tells those who wait too long, and keeps what is written', async () => {
    const { environment, log, runtime, settings } = countersWorld();
    await runtime.becomeLeader(P, 1);
    settings.lingerMs = 0;
    log.isReplicated = false;
    const answer = runtime.write(P, increment('a'));
    environment.clock.advance(5_000);
    await assert.rejects(answer, refused('REQUEST_TIMED_OUT'));
    log.commit();
    assert.equal(committedValue(runtime, 'a'), 1);
  });

  it('leaves nothing behind of a batch that was not written, and tells all who were in it', async () => {
    const { environment, log, runtime } = countersWorld();
    await runtime.becomeLeader(P, 1);
    const before = runtime.write(P, increment('a'));
    environment.clock.advance(0);
    await before;
    log.failure = new KafkaError('NOT_ENOUGH_REPLICAS');
    const settled: (string | null)[] = [];
    const answers = [
      runtime.write(P, increment('a', 10)),
      runtime.write(P, () => ({
        records: [{ name: 'b', value: 7 }],
        response: 0,
        settled: (error) => void settled.push(error?.errorName ?? null),
      })),
      runtime.write(P, ({ values }) => ({ records: [], response: values.get('a') })),
    ];
    assert.equal(value(runtime, 'a'), 11);
    environment.clock.advance(0);
    for (const answer of answers) await assert.rejects(answer, refused('NOT_ENOUGH_REPLICAS'));
    assert.deepEqual(settled, ['NOT_ENOUGH_REPLICAS']);
    assert.deepEqual([value(runtime, 'a'), value(runtime, 'b')], [1, undefined]);
    log.failure = null;
    const after = runtime.write(P, increment('a'));
    environment.clock.advance(0);
    assert.equal(await after, 2);
  });

  it('takes back an operation whose replay has a bug, with the batch that it was in', async () => {
    const { environment, log, runtime } = countersWorld();
    await runtime.becomeLeader(P, 1);
    const innocent = runtime.write(P, increment('a'));
    const faulty = runtime.write(P, () => ({
      records: [
        { name: 'b', value: 1 },
        { name: 'poison', value: 1 },
      ],
      response: 0,
    }));
    await assert.rejects(innocent, refused('UNKNOWN_SERVER_ERROR'));
    await assert.rejects(faulty, /a bug in replay/);
    environment.clock.advance(0);
    assert.equal(log.batchesWritten.length, 0);
    assert.deepEqual([value(runtime, 'a'), value(runtime, 'b')], [undefined, undefined]);
  });

  it('keeps records together that belong together, and spreads others over batches', async () => {
    const { environment, log, runtime } = countersWorld();
    await runtime.becomeLeader(P, 1);
    log.maxBytes = 200;
    const many = Array.from({ length: 20 }, (_, index) => ({ name: `counter-${index}`, value: index }));
    await assert.rejects(
      runtime.write(P, () => ({ records: many, response: 0 })),
      refused('MESSAGE_TOO_LARGE'),
    );
    assert.equal(value(runtime, 'counter-0'), undefined);
    const spread = runtime.write(P, () => ({ records: many, response: 'done', isAtomic: false }));
    environment.clock.advance(0);
    assert.equal(await spread, 'done');
    assert.ok(log.batchesWritten.length >= 4);
    assert.ok(log.batchesWritten.every(({ length }) => length <= 200));
    assert.equal(value(runtime, 'counter-19'), 19);
  });

  it('tells of a part that was not written, though others were', async () => {
    const { log, runtime, settings } = countersWorld();
    await runtime.becomeLeader(P, 1);
    settings.lingerMs = 0;
    log.maxBytes = 200;
    log.isReplicated = false;
    const append = log.append.bind(log);
    log.append = (partition, batch) => {
      if (log.batchesWritten.length === 2) throw new KafkaError('NOT_ENOUGH_REPLICAS');
      return append(partition, batch);
    };
    const many = Array.from({ length: 20 }, (_, index) => ({ name: `counter-${index}`, value: index }));
    const spread = runtime.write(P, () => ({ records: many, response: 'done', isAtomic: false }));
    log.commit();
    await assert.rejects(spread, refused('NOT_ENOUGH_REPLICAS'));
    assert.equal(log.batchesWritten.length, 2);
    assert.deepEqual([value(runtime, 'counter-0'), value(runtime, 'counter-19')], [0, undefined]);
  });

  it('answers only when the response is there as well', async () => {
    const { environment, runtime } = countersWorld();
    await runtime.becomeLeader(P, 1);
    const { promise, resolve } = Promise.withResolvers<string>();
    const answer = runtime.write(P, () => ({ records: [{ name: 'a', value: 1 }], response: promise }));
    environment.clock.advance(0);
    resolve('later');
    assert.equal(await answer, 'later');
  });

  it('comes back with what was written, and passes over kinds of records that it does not know', async () => {
    const { environment, runtime, restarted } = countersWorld();
    await runtime.becomeLeader(P, 1);
    const answers = ['a', 'b', 'a'].map((name) => runtime.write(P, increment(name)));
    void runtime.write(P, () => ({ records: [{ name: 'unknown', value: 1 }], response: 0, isReplayed: false }));
    environment.clock.advance(0);
    await Promise.all(answers);
    runtime.close();
    const next = restarted();
    await next.becomeLeader(P, 2);
    assert.deepEqual(
      next.read(P, ({ values }) => sorted(values)),
      [
        ['a', 2],
        ['b', 1],
      ],
    );
    assert.deepEqual(
      next.read(P, ({ events }) => events),
      ['loaded'],
    );
  });

  it('tells those who wait when the partition goes elsewhere, and runs no timer any more', async () => {
    const { environment, log, runtime, settings } = countersWorld();
    await runtime.becomeLeader(P, 1);
    log.isReplicated = false;
    settings.lingerMs = 0;
    const waiting = runtime.write(P, increment('a'));
    settings.lingerMs = 100;
    const gathered = runtime.write(P, increment('a'));
    const shard = runtime.read(P, (counters) => counters);
    let runs = 0;
    shard.context.timer.schedule('tick', 10, () => {
      runs++;
      return { records: [], response: undefined };
    });
    runtime.resign(P);
    await assert.rejects(waiting, refused('NOT_COORDINATOR'));
    await assert.rejects(gathered, refused('NOT_COORDINATOR'));
    environment.clock.advance(1_000);
    assert.equal(runs, 0);
    assert.deepEqual(shard.events, ['loaded', 'unloaded']);
  });

  it('goes on serving, without reading the log again, when it leads with a newer epoch', async () => {
    const { runtime } = countersWorld();
    await runtime.becomeLeader(P, 1);
    const shard = runtime.read(P, (counters) => counters);
    await runtime.becomeLeader(P, 2);
    assert.equal(
      runtime.read(P, (counters) => counters),
      shard,
    );
  });

  it('runs timers as operations, and tries again those whose records were not written', async () => {
    const { environment, log, runtime, settings } = countersWorld();
    await runtime.becomeLeader(P, 1);
    settings.lingerMs = 0;
    const shard = runtime.read(P, (counters) => counters);
    const { timer } = shard.context;
    timer.schedule('once', 10, () => ({ records: [{ name: 'a', value: 5 }], response: undefined }));
    timer.schedule('replaced', 10, () => ({ records: [{ name: 'b', value: 5 }], response: undefined }));
    timer.schedule('replaced', 20, () => ({ records: [{ name: 'b', value: 6 }], response: undefined }));
    timer.schedule('cancelled', 10, () => ({ records: [{ name: 'c', value: 5 }], response: undefined }));
    timer.cancel('cancelled');
    log.failure = new KafkaError('NOT_ENOUGH_REPLICAS');
    environment.clock.advance(10);
    assert.equal(value(runtime, 'a'), undefined);
    log.failure = null;
    await new Promise(setImmediate);
    environment.clock.advance(500);
    assert.deepEqual(
      ['a', 'b', 'c'].map((name) => value(runtime, name)),
      [5, 6, undefined],
    );
    assert.equal(timer.isScheduled('once'), false);
  });

  it('lets the records of a transaction count when it is committed, here and after a restart', async () => {
    const { environment, log, runtime, restarted } = countersWorld();
    await runtime.becomeLeader(P, 1);
    const producer = { producerId: 7, producerEpoch: 1 };
    const gathered = runtime.write(P, increment('b'));
    await runtime.writeTransactional(P, producer, increment('a', 3));
    assert.equal(await gathered, 1);
    assert.equal(value(runtime, 'a'), undefined);
    assert.equal([...batchesOf(log.batchesWritten[1] as Buffer)][0]?.isTransactional, true);
    await runtime.endTransaction(P, { ...producer, coordinatorEpoch: 0, outcome: 'commit', transactionVersion: 0 });
    assert.equal(value(runtime, 'a'), 3);
    await runtime.writeTransactional(P, producer, increment('a', 100));
    await runtime.endTransaction(P, { ...producer, coordinatorEpoch: 0, outcome: 'abort', transactionVersion: 0 });
    environment.clock.advance(0);
    const next = restarted();
    await next.becomeLeader(P, 2);
    assert.deepEqual([value(next, 'a'), value(next, 'b')], [3, 1]);
  });

  it('serves what was asked of each shard although another is not there', async () => {
    const { environment, runtime } = countersWorld();
    await runtime.becomeLeader(0, 1);
    await runtime.becomeLeader(1, 1);
    const all = runtime.writeAll(increment('a'));
    environment.clock.advance(0);
    assert.deepEqual(
      (await all).map(({ status }) => status),
      ['fulfilled', 'fulfilled'],
    );
    assert.deepEqual(
      runtime.readAll(({ values }) => values.get('a')),
      [1, 1],
    );
  });
});
