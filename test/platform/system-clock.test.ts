import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { systemClock } from '../../src/platform/system-clock.ts';
import { systemRandom } from '../../src/platform/system-random.ts';

describe('the system clock', () => {
  it('never calls back before the delay has passed', async () => {
    const early = await Promise.all(
      Array.from({ length: 200 }, (_, at) => {
        const delayMs = (at % 7) + 0.3;
        const start = systemClock.monotonic();
        return new Promise<boolean>((resolve) => {
          systemClock.schedule(delayMs, () => resolve(systemClock.monotonic() - start < delayMs));
        });
      }),
    );
    assert.deepEqual(
      early.filter((isEarly) => isEarly),
      [],
    );
  });

  it('does not call back a cancelled timer, and takes delays that Node refuses', async () => {
    const called: string[] = [];
    const cancelled = systemClock.schedule(0, () => called.push('cancelled'));
    const far = systemClock.schedule(2 ** 40, () => called.push('far'));
    cancelled.cancel();
    cancelled.cancel();
    await new Promise<void>((resolve) => {
      systemClock.schedule(2, resolve);
    });
    far.cancel();
    assert.deepEqual(called, []);
  });

  it('defers to after the turn', async () => {
    const order: string[] = [];
    const deferred = new Promise<void>((resolve) => {
      systemClock.defer(() => {
        order.push('deferred');
        resolve();
      });
    });
    order.push('turn');
    await deferred;
    assert.deepEqual(order, ['turn', 'deferred']);
  });
});

describe('the system’s chance', () => {
  it('gives whole numbers below the bound up to 2^32, and bytes', () => {
    for (let round = 0; round < 100; round++) {
      const number = systemRandom.integer(2 ** 32);
      assert.ok(Number.isInteger(number) && number >= 0 && number < 2 ** 32);
      assert.equal(systemRandom.integer(1), 0);
    }
    assert.equal(systemRandom.bytes(16).byteLength, 16);
  });
});
