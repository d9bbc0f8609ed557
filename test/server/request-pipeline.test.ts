import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CLOSE_CONNECTION, defineHandler, NO_RESPONSE } from '../../src/broker/handler.ts';
import type { RequestContext } from '../../src/broker/request-context.ts';
import { ZERO_UUID } from '../../src/base/uuid.ts';
import { KafkaError } from '../../src/protocol/errors.ts';
import { encodeRequest } from '../../src/protocol/header.ts';
import { produce } from '../../src/protocol/messages/00-produce.ts';
import { metadata } from '../../src/protocol/messages/03-metadata.ts';
import { describeCluster } from '../../src/protocol/messages/60-describe-cluster.ts';
import type { RequestOf } from '../../src/protocol/schema.ts';
import { realWorld, simulatedWorld } from '../network/worlds.ts';
import { acceptors, CLUSTER, clusterHandler, describeIt, logged, OverwritingMemory, serving } from './serving.ts';

for (const make of [realWorld, simulatedWorld]) {
  describe(`the request pipeline (${make().name})`, () => {
    it('gives the handler the decoded request with what is known about it, and the client its answer', async () => {
      const world = make();
      const seen: [RequestOf<typeof describeCluster>, RequestContext][] = [];
      const handler = clusterHandler((request, context) => {
        seen.push([request, context]);
        return { ...CLUSTER, clusterId: 'here', brokers: [{ brokerId: 1, host: 'h', port: 9, isFenced: false }] };
      });
      const { sender } = await serving(world, [handler], { isPrivilegedListener: true });
      const client = await sender();
      const answer = await world.resolve(client.send(describeCluster, 1, describeIt(true)));
      assert.deepEqual([answer.clusterId, answer.brokers[0]?.host], ['here', 'h']);
      const [request, context] = seen[0] ?? assert.fail();
      assert.equal(request.includeClusterAuthorizedOperations, true);
      const { apiKey, apiVersion, clientId, listenerName, principal, isPrivilegedListener } = context;
      assert.deepEqual([apiKey, apiVersion, clientId, listenerName, isPrivilegedListener], [60, 1, 'test', 'PLAINTEXT', true]);
      assert.deepEqual(principal, { type: 'User', name: 'ANONYMOUS' });
      client.close();
    });

    it('uses the memory of a request again when its answer is sent, and only where the handler is done with it', async () => {
      const world = make();
      const frameMemory = new OverwritingMemory();
      const kept: Buffer[] = [];
      const produceIt = (isDoneWithRequest: boolean) =>
        defineHandler<typeof produce>({
          api: produce,
          isDoneWithRequest,
          handle: ({ acks, topicData }) => {
            kept.push(topicData[0]?.partitionData[0]?.records ?? assert.fail());
            return acks === 0 ? NO_RESPONSE : { responses: [] };
          },
          failed: () => CLOSE_CONNECTION,
        });
      const records = Buffer.alloc(50_000, 1);
      const request = {
        acks: -1,
        timeoutMs: 1000,
        topicData: [{ name: 'a', topicId: ZERO_UUID, partitionData: [{ index: 0, records }] }],
      };
      const sizeGivenBack = encodeRequest(produce, 12, { correlationId: 0, clientId: 'test' }, request).length - 4;
      const givenBack = () => frameMemory.sizes.filter((size) => size === sizeGivenBack).length;
      for (const isDone of [true, false]) {
        kept.length = 0;
        const client = await (await serving(world, [produceIt(isDone)], { frameMemory })).sender();
        await world.resolve(client.send(produce, 12, request));
        client.sendUnanswered(produce, 12, { ...request, acks: 0 });
        await world.resolve(client.send(produce, 12, request));
        if (isDone) await world.until(() => givenBack() === 3);
        const expected = isDone ? Buffer.alloc(50_000, 0xdb) : records;
        assert.deepEqual(
          kept.map((bytes) => bytes.equals(expected)),
          [true, true, true],
        );
        client.close();
      }
      assert.equal(givenBack(), 3);
    });

    it('answers in the order of the requests although a later one is ready first', async () => {
      const world = make();
      let count = 0;
      const handler = clusterHandler(() => {
        const number = count++;
        const answer = { ...CLUSTER, clusterId: String(number) };
        if (number % 2 === 1) return answer;
        return new Promise((resolve) => void world.environment.clock.schedule(2, () => resolve(answer)));
      });
      const { sender } = await serving(world, [handler]);
      const client = await sender();
      const answers = await world.resolve(
        Promise.all(Array.from({ length: 9 }, () => client.send(describeCluster, 1, describeIt()))),
      );
      assert.deepEqual(
        answers.map(({ clusterId }) => clusterId),
        ['0', '1', '2', '3', '4', '5', '6', '7', '8'],
      );
      client.close();
    });

    it('answers an ApiVersions of an unknown version with version 0 and goes on', async () => {
      const world = make();
      const { raw } = await serving(world, []);
      const client = await raw();
      client.send(
        '0000001e0012006300000007000570726f6265000670726f6265023100ffffffff00',
        '0000000f0012ffff00000007000570726f6265',
      );
      client.send('0000000f0012000000000008000570726f6265');
      await world.until(() => client.frames.length === 3);
      assert.deepEqual(
        client.frames.map((frame) => frame.toString('hex')),
        ['00000007002300000001001200000005', '00000007002300000001001200000005', '00000008000000000001001200000005'],
      );
    });

    for (const [what, hex] of [
      ['an API that does not exist', '0000000f03e7000000000007000570726f6265'],
      ['an API that is not served here', '0000001b0000000300000007000570726f6265ffff0001000003e800000000'],
      ['a version that does not exist', '00000015003c000900000007000570726f626500000000'],
      ['a body that is none', '0000000f003c000000000007000570726f6265'],
      ['a header that is none', '0000000300 1200'.replace(' ', '')],
      ['an empty frame', '00000000'],
      ['ApiVersions of an unknown version without its tags', '0000000f0012006300000007000570726f6265'],
    ] as const) {
      it(`ends the connection in an orderly way at ${what}, after earlier answers`, async () => {
        const world = make();
        const { raw } = await serving(world, [clusterHandler(() => CLUSTER)]);
        const client = await raw();
        client.send('0000000f0012000000000008000570726f6265', hex, '0000000f0012000000000009000570726f6265');
        await world.until(() => client.hasServerEnded);
        assert.equal(client.frames.length, 1);
      });
    }

    it('tells a KafkaError, thrown now or later, in the words of the handler', async () => {
      const world = make();
      const handler = clusterHandler(({ includeClusterAuthorizedOperations }) => {
        const error = new KafkaError('CLUSTER_AUTHORIZATION_FAILED', 'no');
        if (includeClusterAuthorizedOperations) throw error;
        return Promise.reject(error);
      });
      const { sender } = await serving(world, [handler]);
      const client = await sender();
      for (const includeClusterAuthorizedOperations of [true, false]) {
        const answer = await world.resolve(client.send(describeCluster, 1, describeIt(includeClusterAuthorizedOperations)));
        assert.deepEqual([answer.errorCode, answer.errorMessage], [31, 'no']);
      }
      client.close();
    });

    it('tells nothing of a bug but that there was one, and logs its stack', async () => {
      const { world, errors } = logged(make());
      const handler = clusterHandler(() => {
        throw new TypeError('secret');
      });
      const { sender } = await serving(world, [handler]);
      const client = await sender();
      const answer = await world.resolve(client.send(describeCluster, 1, describeIt()));
      assert.equal(answer.errorCode, -1);
      assert.doesNotMatch(answer.errorMessage ?? '', /secret/);
      assert.equal(errors.length, 1);
      assert.ok(errors[0]?.facts?.['error'] instanceof TypeError);
      client.close();
    });

    it('closes the connection when telling an error fails too, or the answer cannot be written', async () => {
      const { world, errors } = logged(make());
      const handler = clusterHandler(
        ({ includeClusterAuthorizedOperations }) => {
          if (includeClusterAuthorizedOperations) throw new KafkaError('NOT_CONTROLLER');
          return { ...CLUSTER, controllerId: 2 ** 40 };
        },
        () => {
          throw new Error('again');
        },
      );
      const { sender } = await serving(world, [handler]);
      for (const includeClusterAuthorizedOperations of [true, false]) {
        const client = await sender();
        const failure = client.send(describeCluster, 1, describeIt(includeClusterAuthorizedOperations));
        await assert.rejects(world.resolve(failure), /ended the connection/);
      }
      assert.equal(errors.length, 2);
    });

    it('sends nothing for NO_RESPONSE and goes on; CLOSE_CONNECTION closes', async () => {
      const world = make();
      const handler = defineHandler({
        api: produce,
        handle: ({ timeoutMs }) => (timeoutMs === 1 ? NO_RESPONSE : CLOSE_CONNECTION),
        failed: () => CLOSE_CONNECTION,
      });
      const { raw } = await serving(world, [handler]);
      const client = await raw();
      const request = (timeoutMs: number) =>
        encodeRequest(produce, 9, { correlationId: 1, clientId: null }, { acks: 0, timeoutMs, topicData: [] });
      client.send(request(1), request(1), '0000000f0012000000000008000570726f6265');
      await world.until(() => client.frames.length === 1);
      assert.equal(client.frames[0]?.readInt32BE(0), 8);
      client.send(request(2));
      await world.until(() => client.hasServerEnded);
      assert.equal(client.frames.length, 1);
    });

    it('holds a client back and tells it for how long', async () => {
      const world = make();
      const { sender } = await serving(world, [clusterHandler(() => CLUSTER)], {
        throttle: ({ handler }) => (handler.api === describeCluster ? 24.2 : 0),
      });
      const client = await sender();
      const start = world.environment.clock.monotonic();
      const first = await world.resolve(client.send(describeCluster, 1, describeIt()));
      assert.equal(first.throttleTimeMs, 25);
      await world.resolve(client.send(describeCluster, 1, describeIt()));
      assert.ok(world.environment.clock.monotonic() - start >= 24);
      client.close();
    });

    it('tells the handler when the client is gone', async () => {
      const world = make();
      let isGone = false;
      let isAsked = false;
      const handler = clusterHandler((_, context) => {
        isAsked = true;
        context.onDisconnected?.(() => (isGone = true));
        return new Promise(() => undefined);
      });
      const { raw } = await serving(world, [handler]);
      const client = await raw();
      client.send(encodeRequest(describeCluster, 1, { correlationId: 1, clientId: null }, describeIt()));
      await world.until(() => isAsked);
      for (const acceptor of acceptors) await acceptor.close();
      await world.until(() => isGone);
    });

    it('counts requests by version and errors by name, and splits their time', async () => {
      const world = make();
      let count = 0;
      const handler = clusterHandler(() => {
        if (count++ === 2) throw new KafkaError('NOT_CONTROLLER');
        return new Promise((resolve) => void world.environment.clock.schedule(5, () => resolve(CLUSTER)));
      });
      const metadataHandler = defineHandler({
        api: metadata,
        handle: () => ({
          brokers: [],
          topics: [3, 3, 0].map((errorCode) => ({ errorCode, name: 't', topicId: ZERO_UUID, partitions: [] })),
        }),
        failed: () => CLOSE_CONNECTION,
      });
      const { sender } = await serving(world, [handler, metadataHandler]);
      const client = await sender();
      for (let round = 0; round < 3; round++) await world.resolve(client.send(describeCluster, 1, describeIt()));
      await world.resolve(client.send(metadata, 9, { topics: [], includeTopicAuthorizedOperations: false }));
      const { metrics } = world.environment;
      const histogram = (name: string) =>
        metrics.histogram(`kafka.network:type=RequestMetrics,name=${name},request=DescribeCluster`);
      await world.until(() => histogram('TotalTimeMs').count === 3);
      const counters = Object.fromEntries(
        [...metrics.counters]
          .filter(([name]) => name.includes('RequestMetrics'))
          .map(([name, { value }]) => [name.split('name=')[1], value]),
      );
      assert.deepEqual(counters, {
        'RequestsPerSec,request=DescribeCluster,version=1': 3,
        'ErrorsPerSec,request=DescribeCluster,error=NONE': 2,
        'ErrorsPerSec,request=DescribeCluster,error=NOT_CONTROLLER': 1,
        'RequestsPerSec,request=Metadata,version=9': 1,
        'ErrorsPerSec,request=Metadata,error=UNKNOWN_TOPIC_OR_PARTITION': 2,
        'ErrorsPerSec,request=Metadata,error=NONE': 2,
      });
      assert.ok(histogram('RemoteTimeMs').sum >= 10, 'two requests waited 5 ms each');
      assert.ok(histogram('LocalTimeMs').sum < 10);
      assert.equal(histogram('RequestBytes').count, 3);
      client.close();
    });

    it('logs both messages as JSON when the request logger is at debug', async () => {
      const { world, debugs, setDebug } = logged(make());
      const { sender } = await serving(world, [clusterHandler(() => CLUSTER)]);
      setDebug(true);
      const client = await sender();
      await world.resolve(client.send(describeCluster, 1, describeIt()));
      await world.until(() => debugs.some(({ message }) => message === 'Completed request'));
      const facts = debugs.find(({ message }) => message === 'Completed request')?.facts ?? {};
      const text = JSON.parse(JSON.stringify(facts));
      assert.equal(text.requestHeader.apiName, 'DescribeCluster');
      assert.equal(text.request.includeClusterAuthorizedOperations, false);
      assert.equal(text.response.clusterId, 'c');
      assert.equal(text.principal, 'User:ANONYMOUS');
      for (const name of ['totalTimeMs', 'localTimeMs', 'remoteTimeMs', 'sendTimeMs']) assert.ok(text[name] >= 0, name);
      client.close();
    });
  });
}
