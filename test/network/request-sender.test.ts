import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Socket } from '../../src/base/network.ts';
import { FrameSplitter } from '../../src/network/frame.ts';
import { RequestSender } from '../../src/network/request-sender.ts';
import { KafkaError } from '../../src/protocol/errors.ts';
import { decodeRequestHeader, encodeResponse } from '../../src/protocol/header.ts';
import { describeCluster } from '../../src/protocol/messages/60-describe-cluster.ts';
import { ProtocolError } from '../../src/protocol/protocol-error.ts';
import { realWorld, simulatedWorld, type World } from './worlds.ts';

const request = { includeClusterAuthorizedOperations: false, includeFencedBrokers: false };
const answer = (correlationId: number) =>
  encodeResponse(describeCluster, 1, correlationId, { clusterId: `c${correlationId}`, brokers: [] });

const isKafkaError = (name: string) => (error: unknown) => error instanceof KafkaError && error.errorName === name;

interface Server {
  readonly sender: RequestSender;
  /** Correlation ids of the requests that came. */
  readonly asked: number[];
  readonly socket: Socket;
}

async function connected(world: World, requestTimeoutMs = 5_000): Promise<Server> {
  const { network, clock } = world.environment;
  const asked: number[] = [];
  const sockets: Socket[] = [];
  const accept = (socket: Socket): void => {
    sockets.push(socket);
    const splitter = new FrameSplitter(1_000);
    socket.start({
      data: (chunk) => {
        splitter.push(chunk);
        for (let frame = splitter.next(); frame !== null; frame = splitter.next()) {
          asked.push(decodeRequestHeader(frame).correlationId);
        }
      },
      ended: () => socket.end(),
      drained: () => undefined,
      closed: () => undefined,
    });
  };
  const listener = await network.listen({ host: '127.0.0.1', port: 0 }, { accept });
  const options = { network, clock, clientId: 'me', requestTimeoutMs, connectTimeoutMs: 5_000 };
  const sender = await world.resolve(RequestSender.connect(listener.address, options));
  await world.until(() => sockets.length === 1);
  await listener.close();
  return { sender, asked, socket: sockets[0] ?? assert.fail() };
}

for (const make of [realWorld, () => simulatedWorld({ isFragmenting: true })]) {
  describe(`the request sender (${make().name})`, () => {
    it('gives each of several requests its own answer', async () => {
      const world = make();
      const { sender, asked, socket } = await connected(world);
      const answers = Array.from({ length: 5 }, () => sender.send(describeCluster, 1, request));
      await world.until(() => asked.length === 5);
      assert.equal(sender.inFlightCount, 5);
      for (const correlationId of asked) socket.write(answer(correlationId));
      const received = await world.resolve(Promise.all(answers));
      assert.deepEqual(
        received.map(({ clusterId }) => clusterId),
        asked.map((correlationId) => `c${correlationId}`),
      );
      assert.equal(sender.inFlightCount, 0);
      sender.end();
    });

    it('fails what is under way when an answer does not come in time, and closes', async () => {
      const world = make();
      const { sender } = await connected(world);
      let closed = 0;
      sender.onClosed(() => closed++);
      const late = sender.send(describeCluster, 1, request, { timeoutMs: 20 });
      const behind = sender.send(describeCluster, 1, request);
      const settled = await world.resolve(Promise.allSettled([late, behind]));
      for (const outcome of settled) {
        assert.ok(outcome.status === 'rejected' && isKafkaError('REQUEST_TIMED_OUT')(outcome.reason));
      }
      assert.deepEqual([closed, sender.isClosed], [1, true]);
      await assert.rejects(sender.send(describeCluster, 1, request), isKafkaError('NETWORK_EXCEPTION'));
    });

    it('fails what is under way when the peer goes away', async () => {
      const world = make();
      const { sender, asked, socket } = await connected(world);
      const lost = sender.send(describeCluster, 1, request);
      await world.until(() => asked.length === 1);
      socket.destroy();
      await assert.rejects(world.resolve(lost), isKafkaError('NETWORK_EXCEPTION'));
    });

    it('takes no answer for another request’s, and no garbage', async () => {
      const world = make();
      for (const bytes of [answer(77), [Buffer.from('7fffffff', 'hex')], [Buffer.from('0000000400000000', 'hex')]]) {
        const { sender, asked, socket } = await connected(world);
        const wrong = sender.send(describeCluster, 1, request);
        await world.until(() => asked.length === 1);
        socket.write(bytes);
        await assert.rejects(world.resolve(wrong), ProtocolError);
        assert.equal(sender.isClosed, true);
      }
    });

    it('sends what gets no answer', async () => {
      const world = make();
      const { sender, asked, socket } = await connected(world);
      sender.sendUnanswered(describeCluster, 1, request);
      const answered = sender.send(describeCluster, 1, request);
      await world.until(() => asked.length === 2);
      socket.write(answer(asked[1] ?? 0));
      assert.equal((await world.resolve(answered)).clusterId, 'c1');
      sender.close();
    });

    it('says that nobody can be reached', async () => {
      const world = make();
      const { network, clock } = world.environment;
      const listener = await network.listen({ host: '127.0.0.1', port: 0 }, { accept: () => undefined });
      await listener.close();
      const options = { network, clock, clientId: null, requestTimeoutMs: 100, connectTimeoutMs: 100 };
      await assert.rejects(world.resolve(RequestSender.connect(listener.address, options)), isKafkaError('NETWORK_EXCEPTION'));
    });
  });
}
