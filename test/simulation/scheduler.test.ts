import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Scheduler } from '../../simulation/scheduler.ts';
import { SimulatedClock } from '../../simulation/simulated-clock.ts';
import { SimulatedRandom } from '../../simulation/simulated-random.ts';

describe('the scheduler', () => {
  it('runs events in order of time, and those of one time as they came', () => {
    const random = new SimulatedRandom(7);
    const scheduler = new Scheduler();
    const ran: [number, number][] = [];
    for (let order = 0; order < 500; order++) {
      const at = random.integer(50);
      scheduler.after(at, () => ran.push([at, order]));
    }
    scheduler.advance(49);
    assert.equal(ran.length, 500);
    assert.deepEqual(
      ran,
      ran.toSorted(([a, x], [b, y]) => a - b || x - y),
    );
    assert.equal(scheduler.pendingEvents, 0);
  });

  it('lets promises go on between two events', async () => {
    const scheduler = new Scheduler();
    const order: string[] = [];
    scheduler.after(1, () => {
      order.push('first');
      void Promise.resolve()
        .then(() => undefined)
        .then(() => order.push('its promise'));
    });
    scheduler.after(1, () => order.push('second'));
    await scheduler.run(1);
    assert.deepEqual(order, ['first', 'its promise', 'second']);
  });

  it('fails when what it waits for does not come', async () => {
    const scheduler = new Scheduler();
    await assert.rejects(
      scheduler.runUntil(() => false, 10),
      /does not hold after 10 simulated ms/,
    );
    assert.equal(await scheduler.resolve(new Promise((resolve) => void scheduler.after(5, () => resolve('done')))), 'done');
    assert.equal(scheduler.time, 5);
  });
});

describe('the simulated clock', () => {
  it('does not run what was cancelled, nor anything of a stopped node', () => {
    const scheduler = new Scheduler();
    const [one, two] = [new SimulatedClock(scheduler), new SimulatedClock(scheduler, 500)];
    const ran: string[] = [];
    one.schedule(1, () => ran.push('cancelled')).cancel();
    one.schedule(2, () => ran.push('stopped'));
    two.schedule(2, () => ran.push(`at ${two.now()}`));
    one.stop();
    scheduler.advance(2);
    assert.deepEqual(ran, ['at 502']);
  });

  it('lets the wall clock jump and durations go on', () => {
    const clock = new SimulatedClock(new Scheduler(), 1000);
    clock.advance(5);
    clock.jump(-100);
    assert.deepEqual([clock.now(), clock.monotonic()], [905, 5]);
  });
});
