import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import type { FileRegion } from '../../src/base/disk.ts';
import { CLOSE_CONNECTION, defineHandler } from '../../src/broker/handler.ts';
import { ZERO_UUID } from '../../src/base/uuid.ts';
import { decodeResponse, encodeRequest } from '../../src/protocol/header.ts';
import { fetch } from '../../src/protocol/messages/01-fetch.ts';
import { metadata } from '../../src/protocol/messages/03-metadata.ts';
import { describeCluster } from '../../src/protocol/messages/60-describe-cluster.ts';
import { releaseRegions } from '../../src/server/release-regions.ts';
import { REQUEST_ELEMENTS_MAX } from '../../src/server/request-pipeline.ts';
import { realWorld, simulatedWorld } from '../network/worlds.ts';
import { CLUSTER, clusterHandler, describeIt, logged, serving } from './serving.ts';

for (const make of [realWorld, simulatedWorld]) {
  describe(`a request that is too much (${make().name})`, () => {
    it('costs nobody but its client anything when it makes a mistake of its own', async () => {
      const { world, errors } = logged(make());
      const handler = clusterHandler((request) =>
        request.includeClusterAuthorizedOperations ? Promise.resolve(CLUSTER) : CLUSTER,
      );
      const { raw, sender } = await serving(world, [handler], {
        throttle: ({ context }) => {
          if (context.clientId === 'unlucky') throw new TypeError('a mistake');
          return 0;
        },
      });
      for (const includeClusterAuthorizedOperations of [false, true]) {
        const client = await raw();
        const asked = describeIt(includeClusterAuthorizedOperations);
        client.send(encodeRequest(describeCluster, 1, { correlationId: 1, clientId: 'unlucky' }, asked));
        await world.until(() => client.closed !== undefined || client.hasServerEnded);
      }
      assert.deepEqual(
        errors.map(({ message }) => message),
        ['A request could not be finished', 'A request could not be finished'],
      );
      const other = await sender();
      assert.equal((await world.resolve(other.send(describeCluster, 1, describeIt()))).clusterId, 'c');
      other.close();
    });

    it('takes no request whose arrays have more elements than one can answer in time', async () => {
      const world = make();
      let asked = 0;
      const handler = defineHandler({
        api: metadata,
        handle: (request) => {
          asked += request.topics?.length ?? 0;
          return { brokers: [], topics: [] };
        },
        failed: () => ({ brokers: [], topics: [] }),
      });
      const { raw } = await serving(world, [handler]);
      const topic = { topicId: ZERO_UUID, name: null };
      const ask = (count: number) =>
        encodeRequest(
          metadata,
          12,
          { correlationId: 1, clientId: null },
          {
            topics: Array.from({ length: count }, () => topic),
            allowAutoTopicCreation: false,
            includeTopicAuthorizedOperations: false,
          },
        );
      const client = await raw();
      client.send(ask(REQUEST_ELEMENTS_MAX));
      await world.until(() => client.frames.length === 1);
      client.send(ask(REQUEST_ELEMENTS_MAX + 1));
      await world.until(() => client.hasServerEnded);
      assert.deepEqual([asked, client.frames.length], [REQUEST_ELEMENTS_MAX, 1]);
    });
  });
}

test('the files of an answer that is not sent are let go once each, whatever else is in it', () => {
  let released = 0;
  const region = { file: {}, position: 0, length: 1, release: () => released++, readFailed: () => undefined };
  const first: { next?: object; records: unknown[] } = { records: [region] };
  const second = { previous: first, records: Array.from({ length: 300_000 }, (_, index) => ({ index })) };
  first.next = second;
  releaseRegions({ responses: [{ partitions: [first, second, first] }] });
  assert.equal(released, 1);
});

describe('an answer with records in a file', () => {
  it('is sent from the file, which is released once, also when nobody can be answered any more', async () => {
    const world = simulatedWorld();
    const content = Buffer.from('records of a segment');
    world.environment.disk.makeDirectory('/log');
    const file = world.environment.disk.open('/log/0', { create: true });
    file.write([content], 0);
    const regions: (FileRegion & { released: number })[] = [];
    let highWatermark = 1;
    let isHeld = false;
    let answer = (): void => undefined;
    const handler = defineHandler({
      api: fetch,
      handle: () => {
        const region = {
          file,
          position: 8,
          length: 12,
          released: 0,
          release() {
            region.released++;
          },
          readFailed: () => assert.fail('the disk is well'),
        };
        regions.push(region);
        const partition = { partitionIndex: 0, highWatermark, abortedTransactions: null, records: [region] };
        const response = { responses: [{ topic: 't', topicId: ZERO_UUID, partitions: [partition] }] };
        if (!isHeld) return response;
        return new Promise<typeof response>((resolve) => (answer = () => resolve(response)));
      },
      failed: () => CLOSE_CONNECTION,
    });
    const { raw } = await serving(world, [handler]);
    const client = await raw();
    const request = encodeRequest(
      fetch,
      11,
      { correlationId: 5, clientId: null },
      {
        maxWaitMs: 0,
        minBytes: 0,
        topics: [],
        forgottenTopicsData: [],
        rackId: '',
      },
    );
    client.send(request);
    await world.until(() => client.frames.length === 1);
    const { response } = decodeResponse(fetch, 11, client.frames[0] ?? assert.fail());
    assert.equal(response.responses[0]?.partitions[0]?.records?.toString(), 'of a segment');
    isHeld = true;
    client.send(request);
    await world.until(() => regions.length === 2);
    client.socket.destroy();
    world.simulatedNetwork.dropConnections('node');
    await world.scheduler.run(100);
    answer();
    await world.scheduler.run(100);
    // An answer that cannot be written.
    [isHeld, highWatermark] = [false, 0.5];
    const next = await raw();
    next.send(request);
    await world.until(() => next.hasServerEnded);
    assert.deepEqual(
      regions.map(({ released }) => released),
      [1, 1, 1],
    );
  });
});
