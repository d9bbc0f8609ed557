import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Acceptor } from '../../src/network/acceptor.ts';
import { ConnectionLimits, NO_CONNECTION_LIMITS } from '../../src/network/connection-limits.ts';
import { framed, RawClient } from './raw-client.ts';
import { simulatedWorld } from './worlds.ts';

describe('connection limits', () => {
  it('count by listener and address, and an override beats the limit of all addresses', () => {
    const limits = new ConnectionLimits({
      ...NO_CONNECTION_LIMITS,
      maxConnections: 3,
      maxConnectionsPerIp: 1,
      maxConnectionsPerIpOverrides: new Map([['10.0.0.1', 2]]),
      maxConnectionsOfListener: new Map([['B', 1]]),
    });
    limits.add('A', '10.0.0.1');
    assert.equal(limits.isAddressFull('10.0.0.1'), false);
    limits.add('B', '10.0.0.1');
    assert.deepEqual([limits.isAddressFull('10.0.0.1'), limits.isAddressFull('10.0.0.2')], [true, false]);
    assert.deepEqual([limits.hasRoom('A'), limits.hasRoom('B')], [true, false]);
    limits.add('A', '10.0.0.2');
    assert.deepEqual([limits.hasRoom('A'), limits.isAddressFull('10.0.0.2'), limits.total], [false, true, 3]);
    limits.remove('B', '10.0.0.1');
    assert.deepEqual([limits.hasRoom('A'), limits.hasRoom('B'), limits.countOf('B')], [true, true, 0]);
  });

  it('are obeyed anew when they are raised', async () => {
    const world = simulatedWorld();
    const limits = new ConnectionLimits({ ...NO_CONNECTION_LIMITS, maxConnections: 0 });
    const { acceptor, client } = await waiting(world, { limits });
    await world.scheduler.run(100);
    assert.equal(client.frames.length, 0);
    limits.settings = NO_CONNECTION_LIMITS;
    acceptor.limitsChanged();
    await world.until(() => client.frames.length === 1);
  });

  it('hold back who comes too fast', async () => {
    const world = simulatedWorld();
    const asked: string[] = [];
    const { client } = await waiting(world, {
      admissionRate: (listener, address) => {
        asked.push(`${listener} ${address}`);
        return 250;
      },
    });
    await world.scheduler.run(240);
    assert.equal(client.frames.length, 0);
    await world.scheduler.run(20);
    assert.deepEqual([client.frames.length, asked], [1, ['PLAINTEXT node']]);
  });
});

async function waiting(
  world: ReturnType<typeof simulatedWorld>,
  options: Partial<ConstructorParameters<typeof Acceptor>[1]>,
): Promise<{ acceptor: Acceptor; client: RawClient }> {
  const acceptor = new Acceptor(world.environment, {
    listeners: [
      {
        name: 'PLAINTEXT',
        endpoint: { host: '', port: 0 },
        serve: (connection) => (frame) => connection.respond([framed(frame)]),
      },
    ],
    maxIdleMs: 600_000,
    maxRequestBytes: 1_000,
    ...options,
  });
  await acceptor.listen();
  const client = await RawClient.connect(world, acceptor.addressOf('PLAINTEXT'));
  client.send(framed('x'));
  return { acceptor, client };
}
