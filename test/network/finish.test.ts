import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Acceptor } from '../../src/network/acceptor.ts';
import type { Connection } from '../../src/network/connection.ts';
import { framed, RawClient } from './raw-client.ts';
import { realWorld, simulatedWorld, type World } from './worlds.ts';

const FINISHING_MS = 5_000;

/** Keeps requests until the test answers them. */
class HeldRequests {
  readonly frames: string[] = [];
  #connections: Connection[] = [];

  readonly serve = (connection: Connection) => (frame: Buffer) => {
    this.frames.push(frame.toString());
    this.#connections.push(connection);
  };

  answer(parts: readonly Buffer[]): void {
    for (const connection of this.#connections.splice(0)) connection.respond(parts);
  }
}

async function listening(world: World): Promise<{ acceptor: Acceptor; held: HeldRequests }> {
  const held = new HeldRequests();
  const acceptor = new Acceptor(world.environment, {
    listeners: [{ name: 'PLAINTEXT', endpoint: { host: '127.0.0.1', port: 0 }, serve: held.serve }],
    maxIdleMs: 1e9,
    maxRequestBytes: 1e6,
  });
  await world.resolve(acceptor.listen());
  return { acceptor, held };
}

for (const makeWorld of [realWorld, simulatedWorld] as const) {
  const world = makeWorld();
  describe(`an acceptor that finishes (${world.name})`, () => {
    it('lets the request under way be answered, serves no other one, and then ends the connection', async () => {
      const { acceptor, held } = await listening(world);
      const client = await RawClient.connect(world, acceptor.addressOf('PLAINTEXT'));
      client.send(framed('first'), framed('second'));
      await world.until(() => held.frames.length === 1);
      const finished = acceptor.finish(FINISHING_MS);
      held.answer([framed('the answer')]);
      await world.until(() => client.hasServerEnded);
      client.socket.end();
      await world.resolve(finished);
      assert.deepEqual(client.frames.map(String), ['the answer']);
      assert.deepEqual(held.frames, ['first']);
    });

    it('ends a connection without a request at once', async () => {
      const { acceptor } = await listening(world);
      const client = await RawClient.connect(world, acceptor.addressOf('PLAINTEXT'));
      await world.until(() => acceptor.connectionCount === 1);
      const finished = acceptor.finish(FINISHING_MS);
      await world.until(() => client.hasServerEnded);
      client.socket.end();
      await world.resolve(finished);
      assert.equal(acceptor.connectionCount, 0);
    });
  });
}

it('an acceptor that finishes cuts what is not done in time', async () => {
  const world = simulatedWorld();
  const { acceptor, held } = await listening(world);
  const client = await RawClient.connect(world, acceptor.addressOf('PLAINTEXT'));
  client.send(framed('never answered'));
  await world.until(() => held.frames.length === 1);
  const startedAt = world.environment.clock.monotonic();
  await world.resolve(acceptor.finish(FINISHING_MS));
  assert.equal(world.environment.clock.monotonic() - startedAt, FINISHING_MS);
  await world.until(() => client.hasServerEnded || client.closed !== undefined);
});

it('an acceptor that cannot listen says which listener it is about', async () => {
  const world = realWorld();
  const { acceptor, held } = await listening(world);
  const endpoint = acceptor.addressOf('PLAINTEXT');
  const second = new Acceptor(world.environment, {
    listeners: [
      { name: 'FREE', endpoint: { host: '127.0.0.1', port: 0 }, serve: held.serve },
      { name: 'TAKEN', endpoint, serve: held.serve },
    ],
    maxIdleMs: 1e9,
    maxRequestBytes: 1e6,
  });
  await assert.rejects(second.listen(), { name: 'ListenError', code: 'EADDRINUSE', listenerName: 'TAKEN', endpoint });
  await assert.rejects(world.environment.network.connect(second.addressOf('FREE'), { timeoutMs: 1000 }));
  await acceptor.close();
});
