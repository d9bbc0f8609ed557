import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Acceptor } from '../../src/network/acceptor.ts';
import { ConnectionRates, type ConnectionRateSettings } from '../../src/network/connection-rates.ts';
import { framed, RawClient } from './raw-client.ts';
import { simulatedWorld } from './worlds.ts';

const sampling = { samples: 11, sampleMs: 1000 };
const settings = (change: Partial<ConnectionRateSettings>): ConnectionRateSettings => ({
  perSecond: 2 ** 31 - 1,
  perSecondOfListener: new Map(),
  interBrokerListener: null,
  ...change,
});

const delays = (rates: ConnectionRates, count: number, listener = 'A', now = 0): number[] =>
  Array.from({ length: count }, () => rates.record(listener, now));

describe('the rate of connections', () => {
  it('holds back the one that is too much, until the rate is what is allowed but no longer than a sample', () => {
    const rates = new ConnectionRates(settings({ perSecond: 2 }), sampling);
    assert.deepEqual(delays(rates, 22), [...Array.from({ length: 20 }, () => 0), 500, 1000]);
    assert.deepEqual(delays(rates, 1, 'A', 60_000), [0]);
  });

  it('is that of all listeners together, and of each by itself', () => {
    const rates = new ConnectionRates(settings({ perSecond: 2, perSecondOfListener: new Map([['B', 1]]) }), sampling);
    assert.deepEqual(delays(rates, 11, 'B').slice(9), [0, 1000]);
    assert.deepEqual(delays(rates, 10, 'A').slice(8), [0, 500]);
  });

  it('of the listener between brokers is its own only', () => {
    const own = settings({ perSecond: 1, perSecondOfListener: new Map([['A', 2]]), interBrokerListener: 'A' });
    const rates = new ConnectionRates(own, sampling);
    assert.deepEqual(delays(rates, 21, 'A').slice(19), [0, 500]);
    assert.deepEqual(delays(rates, 11, 'B').slice(9), [0, 1000]);
  });

  it('of none lets in one in each sample', () => {
    const rates = new ConnectionRates(settings({ perSecond: 0 }), sampling);
    assert.deepEqual(delays(rates, 2), [1000, 1000]);
  });
});

describe('an acceptor with a rate', () => {
  it('lets clients in one after the other, in their order, and those of other listeners at once', async () => {
    const world = simulatedWorld();
    const { clock } = world.environment;
    const rates = new ConnectionRates(settings({ perSecondOfListener: new Map([['A', 1]]) }), sampling);
    const listener = (name: string) => ({
      name,
      endpoint: { host: '', port: 0 },
      serve: (connection: { respond: (parts: readonly Uint8Array[]) => void }) => (frame: Buffer) =>
        connection.respond([framed(frame)]),
    });
    const acceptor = new Acceptor(world.environment, {
      listeners: [listener('A'), listener('B')],
      maxIdleMs: 600_000,
      maxRequestBytes: 1_000,
      admissionRate: (name) => rates.record(name, clock.monotonic()),
    });
    await acceptor.listen();
    const came: (readonly [client: number, afterMs: number])[] = [];
    const started = clock.monotonic();
    const clients: RawClient[] = [];
    for (let index = 0; index < 13; index++) clients.push(await RawClient.connect(world, acceptor.addressOf('A')));
    const other = await RawClient.connect(world, acceptor.addressOf('B'));
    for (const client of [...clients, other]) client.send(framed('x'));
    await world.until(() => other.frames.length === 1 && clients[9]?.frames.length === 1);
    assert.deepEqual(clients.map(({ frames }) => frames.length).slice(9), [1, 0, 0, 0]);
    await world.until(() => {
      for (const [index, { frames }] of clients.entries()) {
        if (frames.length === 1 && !came.some(([seen]) => seen === index)) came.push([index, clock.monotonic() - started]);
      }
      return came.length === clients.length;
    });
    assert.deepEqual(
      came.map(([index]) => index),
      clients.map((_, index) => index),
    );
    const waits = came.slice(10).map(([, afterMs]) => Math.round(afterMs / 500) * 500);
    assert.deepEqual(waits, [1000, 2000, 3000]);
    await acceptor.close();
  });

  it('that is closed sends away who waits', async () => {
    const world = simulatedWorld();
    const acceptor = new Acceptor(world.environment, {
      listeners: [{ name: 'A', endpoint: { host: '', port: 0 }, serve: () => () => undefined }],
      maxIdleMs: 600_000,
      maxRequestBytes: 1_000,
      admissionRate: () => 60_000,
    });
    await acceptor.listen();
    const clients = [
      await RawClient.connect(world, acceptor.addressOf('A')),
      await RawClient.connect(world, acceptor.addressOf('A')),
    ];
    await acceptor.close();
    await world.until(() => clients.every(({ closed, hasServerEnded }) => closed !== undefined || hasServerEnded));
    assert.equal(acceptor.connectionCount, 0);
  });
});
