import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Metrics } from '../../src/base/metrics.ts';
import type { Timer } from '../../src/base/clock.ts';
import { TimerQueue } from '../../src/base/timer-queue.ts';
import { DelayedOperation, Purgatory } from '../../src/replication/purgatory.ts';

class Countdown extends DelayedOperation {
  readonly log: string[] = [];
  triesNeeded: number;
  constructor(delayMs: number, triesNeeded: number) {
    super(delayMs);
    this.triesNeeded = triesNeeded;
  }
  tryComplete(): boolean {
    this.log.push('try');
    return --this.triesNeeded <= 0 && this.forceComplete();
  }
  protected override onExpiration(): void {
    this.log.push('expired');
  }
  protected onComplete(): void {
    this.log.push('complete');
  }
}

const setUp = () => {
  let time = 0;
  const timers: { at: number; callback: () => void }[] = [];
  const clock = {
    now: () => time,
    monotonic: () => time,
    defer: () => undefined,
    schedule: (delayMs: number, callback: () => void): Timer => {
      const timer = { at: time + delayMs, callback };
      timers.push(timer);
      return { cancel: () => void timers.splice(timers.indexOf(timer), 1) };
    },
  };
  const advance = (to: number) => {
    time = to;
    for (const timer of timers.filter(({ at }) => at <= to)) {
      timers.splice(timers.indexOf(timer), 1);
      timer.callback();
    }
  };
  const gauges = new Map<string, () => number>();
  const metrics: Metrics = {
    gauge: (name, read) => void gauges.set(name, read),
    counter: () => ({ add: () => undefined, value: 0 }),
    histogram: () => ({ record: () => undefined, count: 0 }),
    removeCounter: () => undefined,
  };
  const purgatory = new Purgatory<object, Countdown>({ name: 'Fetch', timers: new TimerQueue(clock), metrics });
  const gauge = (name: string) =>
    gauges.get(`kafka.server:type=DelayedOperationPurgatory,name=${name},delayedOperation=Fetch`)?.();
  return { purgatory, advance, gauge };
};
const a = { topic: 'a' };
const b = { topic: 'b' };

describe('Purgatory', () => {
  it('does not keep an operation that can be completed at once', () => {
    const { purgatory, gauge } = setUp();
    const operation = new Countdown(100, 1);
    assert.equal(purgatory.tryCompleteElseWatch(operation, [a]), true);
    assert.deepEqual(operation.log, ['try', 'complete']);
    assert.equal(gauge('NumDelayedOperations'), 0);
  });

  it('completes an operation by an event of any of its keys, once, and forgets it under all of them', () => {
    const { purgatory, advance, gauge } = setUp();
    const operation = new Countdown(100, 3);
    assert.equal(purgatory.tryCompleteElseWatch(operation, [a, b]), false);
    assert.deepEqual([gauge('NumDelayedOperations'), gauge('PurgatorySize')], [1, 2]);
    assert.equal(purgatory.checkAndComplete(b), 0);
    assert.equal(purgatory.checkAndComplete(a), 1);
    assert.deepEqual([gauge('NumDelayedOperations'), gauge('PurgatorySize')], [0, 0]);
    assert.equal(purgatory.checkAndComplete(b), 0);
    advance(1000);
    assert.deepEqual(operation.log, ['try', 'try', 'try', 'complete']);
  });

  it('completes an operation at its deadline, telling it that it expired', () => {
    const { purgatory, advance, gauge } = setUp();
    const operation = new Countdown(100, 99);
    purgatory.tryCompleteElseWatch(operation, [a]);
    advance(99);
    assert.equal(operation.isCompleted, false);
    advance(100);
    assert.deepEqual(operation.log, ['try', 'expired', 'complete']);
    assert.deepEqual([gauge('NumDelayedOperations'), gauge('PurgatorySize')], [0, 0]);
  });

  it('counts a key once when an operation names it twice', () => {
    const { purgatory, gauge } = setUp();
    const operation = new Countdown(100, 2);
    purgatory.tryCompleteElseWatch(operation, [a, a]);
    assert.equal(gauge('PurgatorySize'), 1);
    assert.equal(purgatory.checkAndComplete(a), 1);
    assert.deepEqual([gauge('NumDelayedOperations'), gauge('PurgatorySize')], [0, 0]);
  });

  it('tells which of its keys something happened to, unless that is several', () => {
    const { purgatory } = setUp();
    const places: (number | undefined)[] = [];
    class Placed extends Countdown {
      override tryComplete(changed?: number): boolean {
        places.push(changed);
        return super.tryComplete();
      }
    }
    const c = { topic: 'c' };
    purgatory.tryCompleteElseWatch(new Placed(100, 99), [a, b, c, a]);
    for (const key of [c, b, a]) purgatory.checkAndComplete(key);
    assert.deepEqual(places, [undefined, 2, 1, undefined]);
  });

  it('does not try what a completion adds under the same key before the next event', () => {
    const { purgatory } = setUp();
    const late = new Countdown(100, 99);
    class Adding extends Countdown {
      protected override onComplete(): void {
        purgatory.tryCompleteElseWatch(late, [a]);
      }
    }
    purgatory.tryCompleteElseWatch(new Adding(100, 2), [a]);
    purgatory.checkAndComplete(a);
    assert.deepEqual(late.log, ['try']);
    purgatory.checkAndComplete(a);
    assert.deepEqual(late.log, ['try', 'try']);
  });

  it('completes all that waits when the node stops', () => {
    const { purgatory, gauge } = setUp();
    const operations = [new Countdown(100, 99), new Countdown(100, 99)];
    for (const operation of operations) purgatory.tryCompleteElseWatch(operation, [a, b]);
    purgatory.completeAll();
    assert.ok(operations.every(({ isCompleted }) => isCompleted));
    assert.deepEqual([gauge('NumDelayedOperations'), gauge('PurgatorySize')], [0, 0]);
  });
});
