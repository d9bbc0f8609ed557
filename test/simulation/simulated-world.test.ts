import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import type { Socket } from '../../src/base/network.ts';
import { Acceptor } from '../../src/network/acceptor.ts';
import { RequestSender } from '../../src/network/request-sender.ts';
import { defineHandler } from '../../src/broker/handler.ts';
import { describeCluster } from '../../src/protocol/messages/60-describe-cluster.ts';
import type { ResponseInput } from '../../src/protocol/schema.ts';
import { RequestPipeline } from '../../src/server/request-pipeline.ts';
import { type SimulatedHost, SimulatedWorld } from '../../simulation/simulated-host.ts';

const PORT = 9092;

class Peer {
  readonly socket: Socket;
  text = '';
  closed: Error | null | undefined;
  hasEnded = false;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.start({
      data: (chunk) => (this.text += Buffer.from(chunk).toString()),
      ended: () => (this.hasEnded = true),
      drained: () => undefined,
      closed: (error) => (this.closed = error),
    });
  }

  say(text: string): void {
    this.socket.write([Buffer.from(text)]);
  }
}

async function connected(world: SimulatedWorld, from: SimulatedHost, to: SimulatedHost): Promise<[Peer, Peer]> {
  const accepted: Peer[] = [];
  const accept = (socket: Socket) => void accepted.push(new Peer(socket));
  const listener = await to.environment.network.listen({ host: '', port: PORT }, { accept });
  const connecting = from.environment.network.connect({ host: to.name, port: PORT }, { timeoutMs: 1_000 });
  const client = new Peer(await world.scheduler.resolve(connecting));
  await listener.close();
  return [client, accepted[0] ?? assert.fail()];
}

describe('the simulated network', () => {
  it('keeps what is sent over a cut link and brings it in order when the link is mended', async () => {
    const world = new SimulatedWorld(1, { delayMs: [1, 9] });
    const [client, server] = await connected(world, world.host('a'), world.host('b'));
    world.network.cut('a', 'b', { isOneWay: true });
    for (const text of ['one ', 'two ', 'three']) {
      client.say(text);
      await world.scheduler.run(5);
    }
    server.say('I hear nothing');
    await world.scheduler.run(1_000);
    assert.deepEqual([server.text, client.text], ['', 'I hear nothing']);
    world.network.heal();
    await world.scheduler.run(10);
    assert.equal(server.text, 'one two three');
  });

  it('lets a connection attempt over a cut link time out', async () => {
    const world = new SimulatedWorld(1);
    const [a, b] = [world.host('a'), world.host('b')];
    await b.environment.network.listen({ host: '', port: PORT }, { accept: () => assert.fail('unreachable') });
    world.network.partition(['a'], ['b']);
    const start = world.scheduler.time;
    const attempt = a.environment.network.connect({ host: 'b', port: PORT }, { timeoutMs: 700 });
    await assert.rejects(world.scheduler.resolve(attempt), { code: 'ETIMEDOUT' });
    assert.equal(world.scheduler.time - start, 700);
  });

  it('resets connections when they are dropped', async () => {
    const world = new SimulatedWorld(1);
    const [client, server] = await connected(world, world.host('a'), world.host('b'));
    world.network.dropConnections('b', 'a');
    await world.scheduler.run(10);
    for (const { closed } of [client, server]) assert.match(String(closed), /connection reset/);
  });

  it('refuses a port that is taken or where nobody listens', async () => {
    const world = new SimulatedWorld(1);
    const { network } = world.host('a').environment;
    const listener = await network.listen({ host: 'localhost', port: 0 }, { accept: () => undefined });
    const taken = { host: '127.0.0.1', port: listener.address.port };
    await assert.rejects(network.listen(taken, { accept: () => undefined }), { code: 'EADDRINUSE' });
    await listener.close();
    await assert.rejects(world.scheduler.resolve(network.connect(taken, { timeoutMs: 50 })), { code: 'ECONNREFUSED' });
  });
});

describe('a simulated host that crashes', () => {
  for (const silently of [false, true]) {
    it(`stops everything that ran on it, and its peers see ${silently ? 'nothing' : 'a reset'}`, async () => {
      const world = new SimulatedWorld(1);
      const [a, b] = [world.host('a'), world.host('b')];
      const [client, server] = await connected(world, a, b);
      const before = b.environment;
      before.clock.schedule(5, () => assert.fail('a dead timer'));
      const file = before.disk.open('/f', { create: true });
      before.disk.syncDirectory('/');
      file.write([Buffer.from('kept')], 0);
      file.syncNow();
      file.write([Buffer.from('lost')], 4);
      const after = b.crash({ unsynced: 'lost' }, { silently });
      await world.scheduler.run(100);
      assert.equal(client.closed === undefined, silently);
      assert.equal(server.text, '');
      assert.equal(after.disk.contents('/f').toString(), 'kept');
      assert.throws(() => file.write([Buffer.from('late')], 0));
      const [again] = await connected(world, a, b);
      assert.equal(again.closed, undefined);
      // Whoever writes to a machine that has forgotten the connection learns that it is gone.
      client.say('hello?');
      await world.scheduler.run(100);
      assert.notEqual(client.closed, undefined);
    });
  }
});

describe('a run of a simulation', () => {
  /** Clients ask a server over a network with delays and cuts; gives a hash of what all saw and when. */
  async function run(seed: number): Promise<string> {
    const world = new SimulatedWorld(seed, { delayMs: [0, 20], isFragmenting: true });
    const seen = createHash('sha1');
    const server = world.host('server').environment;
    let count = 0;
    const handler = defineHandler({
      api: describeCluster,
      handle: () =>
        new Promise<ResponseInput<typeof describeCluster>>((resolve) => {
          const answer = { clusterId: String(count++), brokers: [] };
          server.clock.schedule(server.random.integer(10), () => resolve(answer));
        }),
      failed: () => assert.fail(),
    });
    const { serve } = new RequestPipeline(server, { handlers: [handler] });
    const listeners = [{ name: 'PLAINTEXT', endpoint: { host: '', port: PORT }, serve }];
    await new Acceptor(server, { listeners, maxIdleMs: 10_000, maxRequestBytes: 1_000 }).listen();
    let answers = 0;
    for (const name of ['a', 'b', 'c']) {
      const { clock, network } = world.host(name).environment;
      const options = { clock, network, clientId: name, requestTimeoutMs: 2_000, connectTimeoutMs: 500 };
      const sender = await world.scheduler.resolve(RequestSender.connect({ host: 'server', port: PORT }, options));
      const ask = async (): Promise<void> => {
        const request = { includeClusterAuthorizedOperations: true, includeFencedBrokers: false };
        for (let round = 0; round < 20; round++) {
          const { clusterId } = await sender.send(describeCluster, 1, request);
          seen.update(`${name} ${clusterId} ${clock.monotonic()}\n`);
          answers++;
        }
      };
      void ask();
    }
    await world.scheduler.run(100);
    world.network.cut('b', 'server');
    await world.scheduler.run(300);
    world.network.heal();
    await world.scheduler.runUntil(() => answers === 60);
    return seen.update(String(world.scheduler.eventsRun)).digest('hex');
  }

  it('is the same for the same seed and another for another', async () => {
    const [one, two, other] = [await run(7), await run(7), await run(8)];
    assert.equal(one, two);
    assert.notEqual(one, other);
  });
});
