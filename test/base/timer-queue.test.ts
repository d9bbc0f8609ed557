import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { array, assert as assertProperty, nat, option, property, record } from 'fast-check';
import type { Clock, Timer } from '../../src/base/clock.ts';
import { TimerQueue } from '../../src/base/timer-queue.ts';

/** A clock whose time moves by `advance` only; counts how often a timer was armed. */
class ManualClock implements Clock {
  time = 0;
  armedCount = 0;
  #timers: { at: number; callback: () => void }[] = [];
  now(): number {
    return this.time;
  }
  monotonic(): number {
    return this.time;
  }
  schedule(delayMs: number, callback: () => void): Timer {
    this.armedCount++;
    const timer = { at: this.time + delayMs, callback };
    this.#timers.push(timer);
    return { cancel: () => void (this.#timers = this.#timers.filter((other) => other !== timer)) };
  }
  defer(callback: () => void): void {
    this.schedule(0, callback);
  }
  get pending(): number {
    return this.#timers.length;
  }
  advance(to: number): void {
    for (;;) {
      const next = this.#timers.filter((timer) => timer.at <= to).toSorted((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      this.time = Math.max(this.time, next.at);
      next.callback();
    }
    this.time = Math.max(this.time, to);
  }
}

describe('TimerQueue', () => {
  it('calls back in the order of deadlines, and of scheduling for equal ones, never before the time', () => {
    const clock = new ManualClock();
    const queue = new TimerQueue(clock);
    const calls: string[] = [];
    for (const [name, delay] of [
      ['c', 30],
      ['a', 10],
      ['b1', 20],
      ['b2', 20],
    ] as const) {
      queue.schedule(delay, () => calls.push(`${name}@${clock.time}`));
    }
    clock.advance(9);
    assert.deepEqual(calls, []);
    clock.advance(100);
    assert.deepEqual(calls, ['a@10', 'b1@20', 'b2@20', 'c@30']);
    assert.equal(queue.size, 0);
    assert.equal(clock.pending, 0);
  });

  it('arms one timer of the clock however many wait', () => {
    const clock = new ManualClock();
    const queue = new TimerQueue(clock);
    for (let delay = 1; delay <= 1000; delay++) queue.schedule(delay, () => undefined);
    assert.equal(clock.pending, 1);
    assert.equal(clock.armedCount, 1);
  });

  it('does not arm again for a timer that is scheduled and cancelled behind the earliest', () => {
    const clock = new ManualClock();
    const queue = new TimerQueue(clock);
    queue.schedule(1, () => undefined);
    for (let round = 0; round < 100; round++) queue.schedule(500, () => assert.fail('cancelled')).cancel();
    assert.equal(clock.armedCount, 1);
    clock.advance(1000);
    assert.equal(clock.pending, 0);
  });

  it('lets a callback schedule and cancel others, and keeps going when one throws', () => {
    const clock = new ManualClock();
    const queue = new TimerQueue(clock);
    const calls: string[] = [];
    queue.schedule(1, () => {
      victim.cancel();
      queue.schedule(0, () => calls.push('nested'));
    });
    const victim = queue.schedule(1, () => calls.push('victim'));
    queue.schedule(2, () => {
      throw new Error('a bug');
    });
    queue.schedule(2, () => calls.push('after the bug'));
    clock.advance(1);
    assert.throws(() => clock.advance(2), /a bug/);
    clock.advance(3);
    assert.deepEqual(calls, ['nested', 'after the bug']);
  });

  it('drops everything when it is closed', () => {
    const clock = new ManualClock();
    const queue = new TimerQueue(clock);
    const timer = queue.schedule(1, () => assert.fail('closed'));
    queue.close();
    timer.cancel();
    queue.schedule(1, () => assert.fail('closed'));
    clock.advance(10);
    assert.equal(clock.pending, 0);
  });

  it('agrees with a sorted list for any schedule, cancellations included', () => {
    const timers = array(record({ delay: nat(50), cancelAt: option(nat(60), { nil: null }) }), { maxLength: 60 });
    assertProperty(
      property(timers, (plan) => {
        const clock = new ManualClock();
        const queue = new TimerQueue(clock);
        const ran: number[] = [];
        const handles = plan.map(({ delay }, index) => queue.schedule(delay, () => ran.push(index)));
        for (let time = 0; time <= 60; time++) {
          plan.forEach(({ cancelAt }, index) => cancelAt === time && handles[index]?.cancel());
          clock.advance(time);
        }
        const expected = plan
          .map((timer, index) => ({ ...timer, index }))
          .filter(({ delay, cancelAt }) => cancelAt === null || cancelAt > delay)
          .toSorted((a, b) => a.delay - b.delay || a.index - b.index)
          .map(({ index }) => index);
        assert.deepEqual(ran, expected);
        assert.equal(queue.size, 0);
      }),
    );
  });
});
