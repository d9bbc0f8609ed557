import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { Acceptor } from '../../src/network/acceptor.ts';
import { ConnectionLimits, type ConnectionLimitSettings, NO_CONNECTION_LIMITS } from '../../src/network/connection-limits.ts';
import type { Connection } from '../../src/network/connection.ts';
import { framed, RawClient } from './raw-client.ts';
import { realWorld, simulatedWorld, type World } from './worlds.ts';

type Take = (connection: Connection, frame: Buffer) => void;

const acceptors: Acceptor[] = [];
afterEach(async () => {
  for (const acceptor of acceptors.splice(0)) await acceptor.close();
});

interface Settings {
  readonly socketsMax?: number;
  readonly maxRequestBytes?: number;
  readonly maxIdleMs?: number;
  readonly limits?: Partial<ConnectionLimitSettings>;
  readonly listeners?: readonly string[];
}

async function listening(world: World, take: Take, settings: Settings = {}) {
  const acceptor = new Acceptor(world.environment, {
    listeners: (settings.listeners ?? ['PLAINTEXT']).map((name) => ({
      name,
      endpoint: { host: '127.0.0.1', port: 0 },
      serve: (connection) => (frame) => take(connection, frame),
    })),
    maxIdleMs: settings.maxIdleMs ?? 600_000,
    maxRequestBytes: settings.maxRequestBytes ?? 104_857_600,
    limits: new ConnectionLimits({ ...NO_CONNECTION_LIMITS, ...settings.limits }),
    ...(settings.socketsMax === undefined ? {} : { socketsMax: settings.socketsMax }),
  });
  acceptors.push(acceptor);
  await world.resolve(acceptor.listen());
  const connect = (listener = 'PLAINTEXT') => RawClient.connect(world, acceptor.addressOf(listener));
  return { acceptor, connect };
}

const echo: Take = (connection, frame) => connection.respond([framed(frame)]);

const texts = (client: RawClient): string[] => client.frames.map((frame) => frame.toString());

for (const make of [realWorld, simulatedWorld, () => simulatedWorld({ isFragmenting: true })]) {
  const { name } = make();
  describe(`a connection (${name})`, () => {
    it('answers pipelined requests in order, one at a time', async () => {
      const world = make();
      let isServed = false;
      const { connect } = await listening(world, (connection, frame) => {
        assert.equal(isServed, false);
        isServed = true;
        const answer = () => {
          isServed = false;
          connection.respond([framed(frame)]);
        };
        const number = Number(frame.toString());
        if (number % 3 === 0) answer();
        else world.environment.clock.schedule(number % 5, answer);
      });
      const client = await connect();
      const numbers = Array.from({ length: 200 }, (_, at) => String(at));
      client.send(Buffer.concat(numbers.map((number) => framed(number))));
      await world.until(() => client.frames.length === 200);
      assert.deepEqual(texts(client), numbers);
    });

    it('lets others have their turn while one client has thousands of requests waiting', async () => {
      const world = make();
      let inTurn = 0;
      let mostInTurn = 0;
      const { connect } = await listening(world, (connection, frame) => {
        if (inTurn++ === 0) setImmediate(() => (inTurn = 0));
        mostInTurn = Math.max(mostInTurn, inTurn);
        echo(connection, frame);
      });
      const [greedy, modest] = [await connect(), await connect()];
      greedy.send(Buffer.concat(Array.from({ length: 5_000 }, () => framed('x'))));
      modest.send(framed('y'));
      await world.until(() => modest.frames.length === 1);
      await world.until(() => greedy.frames.length === 5_000);
      assert.ok(mostInTurn < 200, `${mostInTurn} requests in one turn of the event loop`);
    });

    it('takes in little of what a client sends while its first request is served', async () => {
      const world = make();
      const held: Connection[] = [];
      let isHolding = true;
      const { connect } = await listening(world, (connection, frame) => {
        if (isHolding) held.push(connection);
        else connection.respond([framed(frame.subarray(0, 1))]);
      });
      const [client, other] = [await connect(), await connect()];
      client.send(...Array.from({ length: 64 }, () => framed(Buffer.alloc(1_000_000))));
      await world.until(() => held.length === 1);
      isHolding = false;
      for (let count = 1; count <= 300; count++) {
        other.send(framed(Buffer.alloc(100_000)));
        await world.until(() => other.frames.length === count);
      }
      assert.ok(client.socket.pendingBytes > 30_000_000, `${client.socket.pendingBytes} bytes wait at the client`);
      held[0]?.respond([framed('x')]);
      await world.until(() => client.frames.length === 64);
    });

    it('answers what was asked before the client ended, and then ends itself', async () => {
      const world = make();
      const { connect } = await listening(world, (connection, frame) => {
        world.environment.clock.schedule(1, () => connection.respond([framed(frame)]));
      });
      const client = await connect();
      client.send(framed('one'), framed('two'), '0000');
      client.socket.end();
      await world.until(() => client.hasServerEnded);
      assert.deepEqual(texts(client), ['one', 'two']);
      await world.until(() => client.closed !== undefined);
      assert.equal(client.closed, null);
    });

    for (const [what, hex] of [
      ['a negative length', 'ffffffff'],
      ['a length over the limit', '06400001'],
      ['an HTTP request', '474554202f20485454502f312e310d0a'],
    ] as const) {
      it(`ends in an orderly way at ${what}, after the answers that are due`, async () => {
        const world = make();
        const { connect } = await listening(world, echo);
        const client = await connect();
        client.send(framed('good'), hex);
        await world.until(() => client.hasServerEnded);
        assert.deepEqual(texts(client), ['good']);
        client.socket.end();
        await world.until(() => client.closed !== undefined);
        assert.equal(client.closed, null, 'an end, not a reset');
      });
    }

    it('takes the largest length that is allowed and waits for the bytes', async () => {
      const world = make();
      const { connect, acceptor } = await listening(world, echo, { maxRequestBytes: 1_000 });
      const client = await connect();
      client.send('000003e8', Buffer.alloc(999));
      const other = await connect();
      other.send(framed('meanwhile'));
      await world.until(() => other.frames.length === 1);
      assert.equal(acceptor.connectionCount, 2);
      client.send(Buffer.alloc(1));
      await world.until(() => client.frames[0]?.length === 1_000);
    });

    it('serves no further request while the client does not take the answers', async () => {
      const world = make();
      let served = 0;
      const { connect } = await listening(world, (connection) => {
        served++;
        connection.respond([Buffer.alloc(1_000_000)]);
      });
      const [client, other] = [await connect(), await connect()];
      client.socket.pause();
      client.send(Buffer.concat(Array.from({ length: 100 }, () => framed('more'))));
      // Another client’s exchanges show that time goes on.
      for (let count = 1; count <= 20; count++) {
        other.send(framed('x'));
        await world.until(() => other.receivedBytes === count * 1_000_000);
      }
      const servedToClient = served - 20;
      assert.ok(servedToClient < 15, `${servedToClient} of 100 served`);
      client.socket.resume();
      await world.until(() => client.receivedBytes === 100_000_000);
    });

    it('tells when the client goes away while its request waits, and lets the answer go', async () => {
      const world = make();
      let isGone = false;
      let waiting: Connection | undefined;
      const { connect, acceptor } = await listening(world, (connection) => {
        waiting = connection;
        const withdraw = connection.onClosed(() => assert.fail('withdrawn'));
        withdraw();
        connection.onClosed(() => (isGone = true));
      });
      const client = await connect();
      client.send(framed('wait'));
      await world.until(() => waiting !== undefined);
      client.socket.destroy();
      await world.until(() => client.closed !== undefined);
      // The end of a client that only ends its own direction looks the same, and that one wants its answer.
      waiting?.respond([framed('late')]);
      await world.until(() => isGone);
      assert.deepEqual([acceptor.limits.total, acceptor.connectionCount], [0, 0]);
    });

    it('tells when a client has ended its own direction while its request waits, and that one may still be answered', async () => {
      const world = make();
      let waiting: Connection | undefined;
      const told: string[] = [];
      const { connect, acceptor } = await listening(world, (connection) => {
        waiting = connection;
        const withdraw = connection.onEnded(() => assert.fail('withdrawn'));
        withdraw();
        connection.onEnded(() => told.push('ended'));
        connection.onClosed(() => told.push('closed'));
      });
      const client = await connect();
      client.send(framed('wait'));
      await world.until(() => waiting !== undefined);
      client.socket.end();
      await world.until(() => told.length === 1);
      waiting?.onEnded(() => told.push('told at once'));
      waiting?.respond([framed('late')]);
      await world.until(() => client.closed !== undefined);
      await world.until(() => acceptor.connectionCount === 0);
      assert.deepEqual(texts(client), ['late']);
      assert.deepEqual(told, ['ended', 'told at once', 'closed']);
    });

    it('mutes a client for as long as it is told', async () => {
      const world = make();
      const { connect } = await listening(world, (connection, frame) => connection.respond([framed(frame)], { muteMs: 30 }));
      const client = await connect();
      const start = world.environment.clock.monotonic();
      client.send(framed('one'), framed('two'));
      await world.until(() => client.frames.length === 1);
      await world.until(() => client.frames.length === 2);
      assert.ok(world.environment.clock.monotonic() - start >= 30);
    });

    it('tells when an answer has been sent', async () => {
      const world = make();
      let sent = 0;
      const { connect } = await listening(world, (connection, frame) => {
        connection.respond([framed(frame)], { onSent: () => sent++ });
      });
      const client = await connect();
      client.send(framed('one'), framed('two'));
      await world.until(() => sent === 2);
      assert.equal(client.frames.length <= 2, true);
    });

    it('is refused when its address has too many, and waits when the listener is full', async () => {
      const world = make();
      const perIp = await listening(world, echo, { limits: { maxConnectionsPerIp: 1 } });
      const first = await perIp.connect();
      first.send(framed('x'));
      await world.until(() => first.frames.length === 1);
      const second = await perIp.connect();
      await world.until(() => second.hasServerEnded || second.closed !== undefined);

      const full = await listening(world, echo, { limits: { maxConnections: 1 } });
      const inside = await full.connect();
      inside.send(framed('x'));
      await world.until(() => inside.frames.length === 1);
      const waiting = await full.connect();
      waiting.send(framed('patience'));
      inside.send(framed('y'));
      await world.until(() => inside.frames.length === 2);
      assert.deepEqual([waiting.frames.length, full.acceptor.connectionCount], [0, 1]);
      inside.socket.end();
      await world.until(() => waiting.frames.length === 1);
    });

    it('is closed at once where the process needs the rest of its descriptors for files, unless it is between brokers', async () => {
      const world = make();
      const { acceptor, connect } = await listening(world, echo, {
        socketsMax: 3,
        listeners: ['PLAINTEXT', 'INTERNAL'],
        limits: { maxConnections: 2, interBrokerListener: 'INTERNAL' },
      });
      const clients = [await connect(), await connect(), await connect()];
      await world.until(() => acceptor.connectionCount === 2);
      const refused = await connect();
      await world.until(() => refused.closed !== undefined || refused.hasServerEnded);
      const peer = await connect('INTERNAL');
      peer.send(framed('peer'));
      await world.until(() => peer.frames.length === 1);
      // The one that waited comes in when another has left.
      for (const client of clients.slice(0, 2)) client.socket.destroy();
      clients[2]?.send(framed('at last'));
      await world.until(() => clients[2]?.frames.length === 1);
    });

    it('between brokers comes in even when the node is full, and the longest idle other one goes', async () => {
      const world = make();
      const limits = { maxConnections: 2, interBrokerListener: 'INTERNAL' };
      const { connect, acceptor } = await listening(world, echo, { limits, listeners: ['PLAINTEXT', 'INTERNAL'] });
      const [old, recent] = [await connect(), await connect()];
      old.send(framed('x'));
      await world.until(() => old.frames.length === 1);
      await world.resolve(new Promise<void>((resolve) => void world.environment.clock.schedule(5, resolve)));
      recent.send(framed('x'));
      await world.until(() => recent.frames.length === 1);
      const peer = await connect('INTERNAL');
      peer.send(framed('x'));
      await world.until(() => peer.frames.length === 1 && old.hasServerEnded);
      assert.equal(recent.hasServerEnded, false);
      old.socket.end();
      await world.until(() => acceptor.connectionCount === 2);
    });
  });
}

describe('an idle connection (simulated sockets)', () => {
  it('is closed after the time, but not while its request is served', async () => {
    const world = simulatedWorld();
    const held: Connection[] = [];
    const { connect, acceptor } = await listening(world, (connection) => held.push(connection), { maxIdleMs: 1_000 });
    const [idle, busy] = [await connect(), await connect()];
    busy.send(framed('takes long'));
    await world.scheduler.run(990);
    assert.equal(idle.hasServerEnded, false);
    await world.scheduler.run(20);
    assert.equal(idle.hasServerEnded, true);
    await world.scheduler.run(5_000);
    assert.equal(acceptor.connectionCount, 1);
    held[0]?.respond([framed('done')]);
    await world.scheduler.run(1_100);
    assert.deepEqual([busy.frames.length, busy.hasServerEnded], [1, true]);
    const killed = world.environment.metrics.counter('kafka.network:type=SocketServer,name=ExpiredConnectionsKilledCount');
    await world.scheduler.run(2_000);
    assert.deepEqual([killed.value, acceptor.connectionCount], [2, 0]);
  });

  it('is one that reads nothing of what was sent, not one that reads slowly', async () => {
    const world = simulatedWorld();
    const big = (connection: Connection) => connection.respond([Buffer.alloc(10_000_000)]);
    const { connect, acceptor } = await listening(world, big, { maxIdleMs: 1_000 });
    const [stuck, slow] = [await connect(), await connect()];
    for (const client of [stuck, slow]) {
      client.socket.pause();
      client.send(framed('x'));
    }
    let rounds = 0;
    for (; slow.receivedBytes < 10_000_000; rounds++) {
      slow.socket.resume();
      await world.scheduler.run(3);
      slow.socket.pause();
      await world.scheduler.run(400);
    }
    slow.socket.resume();
    slow.send(framed('again'));
    await world.until(() => slow.receivedBytes > 10_000_000);
    assert.ok(rounds > 5, `${rounds} rounds take longer than an idle connection lives`);
    assert.ok(acceptor.connectionCount <= 1);
    stuck.socket.resume();
    await world.until(() => stuck.closed !== undefined || stuck.hasServerEnded);
    assert.ok(stuck.receivedBytes < 10_000_000);
  });

  it('that is half a frame and then silence is closed like any other', async () => {
    const world = simulatedWorld();
    const { connect, acceptor } = await listening(world, echo, { maxIdleMs: 1_000 });
    const client = await connect();
    client.send('000003e8', Buffer.alloc(10));
    await world.scheduler.run(3_100);
    assert.deepEqual([client.hasServerEnded, acceptor.connectionCount], [true, 0]);
  });
});
