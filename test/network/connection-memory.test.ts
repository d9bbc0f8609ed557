import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { Acceptor } from '../../src/network/acceptor.ts';
import type { Connection } from '../../src/network/connection.ts';
import { framed, RawClient } from './raw-client.ts';
import { realWorld, simulatedWorld, type World } from './worlds.ts';

const MiB = 2 ** 20;
/** All requests together, and one of them. */
const LIMIT = 8 * MiB;
const REQUEST_MAX = 4 * MiB;

const acceptors: Acceptor[] = [];
afterEach(async () => {
  for (const acceptor of acceptors.splice(0)) await acceptor.close();
});

async function listening(world: World, take: (connection: Connection, frame: Buffer) => void) {
  const acceptor = new Acceptor(world.environment, {
    listeners: [
      {
        name: 'PLAINTEXT',
        endpoint: { host: '127.0.0.1', port: 0 },
        serve: (connection) => (frame) => take(connection, frame),
      },
    ],
    maxIdleMs: 600_000,
    maxRequestBytes: REQUEST_MAX,
    maxQueuedRequestBytes: LIMIT,
  });
  acceptors.push(acceptor);
  await world.resolve(acceptor.listen());
  const connect = () => RawClient.connect(world, acceptor.addressOf('PLAINTEXT'));
  const connectMany = (count: number) => Promise.all(Array.from({ length: count }, connect));
  return { acceptor, connect, connectMany, requests: acceptor.sharedMemory.requests };
}

/** A claim of so many bytes, some of which come with it. */
function begun(claimed: number, sent: number): Buffer {
  const bytes = Buffer.alloc(4 + sent);
  bytes.writeInt32BE(claimed);
  return bytes;
}

const worlds: (() => World)[] = [realWorld, () => simulatedWorld({}), () => simulatedWorld({ isFragmenting: true, seed: 5 })];

for (const make of worlds) {
  describe(`memory that connections share (${make().name})`, () => {
    it('is not exceeded by more than the large requests of one moment: the others wait, and all of them come to their end', async () => {
      const world = make();
      let most = 0;
      let answered = 0;
      const server = await listening(world, (connection, frame) => {
        most = Math.max(most, server.requests.bytes);
        world.environment.clock.schedule(2, () => {
          answered++;
          connection.respond([framed(`${frame.byteLength}`)]);
        });
      });
      const clients = await server.connectMany(12);
      // Everybody is in the middle of a request before anybody ends one.
      for (const client of clients) client.send(begun(REQUEST_MAX, MiB));
      await world.until(() => server.requests.bytes >= LIMIT);
      for (const client of clients) client.send(Buffer.alloc(REQUEST_MAX - MiB));
      await world.until(() => clients.every(({ frames }) => frames.length === 1));
      assert.equal(answered, 12);
      await world.until(() => server.requests.bytes === 0 && server.requests.waitingCount === 0);
      // One request is read, twice there for a moment, in pieces and as a whole; the one before it counts until it is answered; each connection may be lent one read more.
      assert.ok(most <= LIMIT + 3 * REQUEST_MAX + 12 * 256 * 1024, `${most}`);
    });

    it('is not needed for small requests, however short it is', async () => {
      const world = make();
      const server = await listening(world, (connection, frame) => connection.respond([framed(frame)]));
      const clients = await server.connectMany(12);
      for (const client of clients) client.send(begun(REQUEST_MAX, MiB));
      await world.until(() => server.requests.bytes >= LIMIT && server.requests.waitingCount > 0);
      const other = await server.connect();
      for (let count = 1; count <= 20; count++) {
        other.send(framed(Buffer.alloc(10_000)));
        await world.until(() => other.frames.length === count);
      }
      assert.ok(server.requests.bytes >= LIMIT);
    });

    it('is free again when clients are gone, and counts what is still served', async () => {
      const world = make();
      const held: Connection[] = [];
      const server = await listening(world, (connection) => held.push(connection));
      const clients = await server.connectMany(4);
      const [first, ...others] = clients;
      first?.send(framed(Buffer.alloc(MiB)));
      for (const other of others) other.send(begun(REQUEST_MAX, MiB));
      await world.until(() => held.length === 1 && server.requests.bytes >= 4 * MiB);
      for (const client of clients) client.socket.destroy();
      await world.until(() => clients.every(({ closed }) => closed !== undefined));
      held[0]?.destroy('the test ends');
      await world.until(() => server.requests.bytes === 0);
      assert.equal(server.requests.waitingCount, 0);
    });

    it('tells a request that waits when so much is unread that the end of its client could not be seen', async () => {
      const world = make();
      let waiting: Connection | undefined;
      let told = 0;
      const server = await listening(world, (connection) => {
        waiting ??= connection;
        if (told === 0) connection.onEnded(() => told++);
        else connection.respond([framed('x')]);
      });
      const client = await server.connect();
      client.send(framed('wait'));
      await world.until(() => waiting !== undefined);
      client.send(...Array.from({ length: 10 }, () => framed(Buffer.alloc(10_000))));
      assert.equal(told, 0);
      client.send(...Array.from({ length: 10 }, () => framed(Buffer.alloc(10_000))));
      client.socket.end();
      await world.until(() => told === 1);
      waiting?.onEnded(() => told++);
      assert.equal(told, 2);
      waiting?.respond([framed('late')]);
      await world.until(() => client.frames.length === 21);
    });
  });
}

describe('memory that connections share', () => {
  it('is taken from requests that could come and do not, while others wait for it', async () => {
    const world = simulatedWorld();
    const server = await listening(world, (connection) => connection.respond([framed('done')]));
    const idle = await server.connectMany(9);
    for (const client of idle) client.send(begun(REQUEST_MAX, MiB));
    await world.until(() => server.requests.bytes >= LIMIT);
    const good = await server.connectMany(2);
    const start = world.environment.clock.monotonic();
    for (const client of good) client.send(framed(Buffer.alloc(REQUEST_MAX)));
    await world.until(() => good.every(({ frames }) => frames.length === 1));
    const waited = world.environment.clock.monotonic() - start;
    // Ten seconds for each of those that had begun to wait, because more of them was on its way.
    assert.ok(waited < 60_000, `${waited} ms`);
    await world.until(() => server.requests.bytes < LIMIT);
  });

  it('is not kept by one that has its turn and sends a byte now and then', async () => {
    const world = simulatedWorld();
    const server = await listening(world, (connection) => connection.respond([framed('done')]));
    const slow = await server.connectMany(9);
    for (const client of slow) client.send(begun(REQUEST_MAX, MiB));
    await world.until(() => server.requests.bytes >= LIMIT);
    const trickle = () => {
      for (const client of slow) if (client.closed === undefined) client.send(Buffer.alloc(1));
      world.environment.clock.schedule(1000, trickle);
    };
    trickle();
    await world.until(() => server.requests.waitingCount > 0);
    const good = await server.connect();
    const start = world.environment.clock.monotonic();
    good.send(framed(Buffer.alloc(REQUEST_MAX)));
    await world.until(() => good.frames.length === 1);
    assert.ok(world.environment.clock.monotonic() - start < 130_000);
  });

  it('is taken from the client that has left the most answers unread', async () => {
    const world = simulatedWorld();
    const server = await listening(world, (connection, frame) => connection.respond([Buffer.alloc(frame.readInt32BE(0))]));
    const ask = (megabytes: number): Buffer => {
      const request = Buffer.alloc(4);
      request.writeInt32BE(megabytes * MiB);
      return framed(request);
    };
    const [most, some] = [await server.connect(), await server.connect()];
    for (const client of [most, some]) client.socket.pause();
    most.send(ask(150));
    some.send(ask(90));
    await world.until(() => server.acceptor.sharedMemory.answers.bytes > 200 * MiB);
    const reader = await server.connect();
    reader.send(ask(60));
    await world.until(() => reader.receivedBytes === 60 * MiB && server.acceptor.connectionCount === 2);
    some.socket.resume();
    await world.until(() => some.receivedBytes === 90 * MiB);
    await world.until(() => server.acceptor.sharedMemory.answers.bytes === 0);
    most.socket.resume();
    await world.until(() => most.hasServerEnded);
    assert.ok(most.receivedBytes < 150 * MiB);
  });
});
