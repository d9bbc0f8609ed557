import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RequestSender } from '../../src/network/request-sender.ts';
import { codeOf } from '../../src/protocol/errors.ts';
import { metadata } from '../../src/protocol/messages/03-metadata.ts';
import { describeLogDirs } from '../../src/protocol/messages/35-describe-log-dirs.ts';
import { parseProperties } from '../../src/config/server-properties.ts';
import { SimulatedMachine } from '../../simulation/cluster/simulated-machine.ts';
import { SimulatedDisk } from '../../simulation/simulated-disk.ts';
import { readMetaProperties, writeMetaProperties } from '../../src/storage/meta-properties.ts';
import { append, type Asker, fetchFrom, makeTopic, readTexts } from './node-client.ts';
import { RecordingLogger } from './recording-logger.ts';

const DIRECTORIES = ['/disk-a', '/disk-b', '/disk-c'];
const PARTITIONS = 6;

/** The same disk, for one start after the other. */
class Disks {
  readonly disk = new SimulatedDisk();
  #starts = 0;
  readonly logger = new RecordingLogger();

  async start(properties: Readonly<Record<string, string>> = {}): Promise<SimulatedMachine> {
    const { disk } = this;
    const machine = new SimulatedMachine({
      seed: ++this.#starts,
      diskOf: () => disk,
      properties: { 'log.dirs': DIRECTORIES.join(','), ...properties },
      startMs: 1_795_000_000_000,
      logger: this.logger,
    });
    await machine.run(() => machine.start());
    return machine;
  }
}

const askerOf = (sender: RequestSender): Asker => ({
  ask: (api, version, request) => sender.send(api, version, request),
});

/** Connects a client, runs the work and gives its result. */
function asking<T>(machine: SimulatedMachine, work: (client: Asker) => Promise<T>): Promise<T> {
  return machine.run(async () => {
    const sender = await machine.connect();
    try {
      return await work(askerOf(sender));
    } finally {
      sender.close();
    }
  });
}

/** Which partitions of a topic lie in which directory; null for one that is offline. */
async function layout(client: Asker, topic: string): Promise<ReadonlyMap<string, readonly number[] | null>> {
  const { results } = await client.ask(describeLogDirs, 4, { topics: null });
  return new Map(
    results.map(({ logDir, errorCode, topics }) => {
      const found = topics.find(({ name }) => name === topic)?.partitions ?? [];
      return [logDir, errorCode === 0 ? found.map(({ partitionIndex }) => partitionIndex).sort((a, b) => a - b) : null];
    }),
  );
}

async function leaders(client: Asker, topic: string) {
  const topics = [{ name: topic, topicId: 'AAAAAAAAAAAAAAAAAAAAAA' }];
  const answer = await client.ask(metadata, 12, { topics, includeTopicAuthorizedOperations: false });
  return (answer.topics[0]?.partitions ?? [])
    .toSorted((a, b) => a.partitionIndex - b.partitionIndex)
    .map(({ leaderId, errorCode, isrNodes, offlineReplicas }) => ({ leaderId, errorCode, isrNodes, offlineReplicas }));
}

const failing = (disk: SimulatedDisk, directory: string): (() => void) =>
  disk.failWhen(({ path }) => (path === directory || path.startsWith(`${directory}/`) ? 'EIO' : null));

describe('a node with several log directories', () => {
  it('spreads replicas over them and finds them again', async () => {
    const disks = new Disks();
    let machine = await disks.start();
    const topicId = await asking(machine, (client) => makeTopic(client, 'spread', PARTITIONS));
    const before = await asking(machine, async (client) => {
      for (let index = 0; index < PARTITIONS; index++) await append(client, topicId, [`of ${index}`], index);
      return layout(client, 'spread');
    });
    assert.deepEqual(
      [...before.values()].map((partitions) => partitions?.length),
      [2, 2, 2],
    );
    await machine.run(() => machine.stop());
    machine = await disks.start();
    await asking(machine, async (client) => {
      assert.deepEqual(await layout(client, 'spread'), before);
      for (let index = 0; index < PARTITIONS; index++) assert.deepEqual(await readTexts(client, topicId, index), [`of ${index}`]);
    });
    await machine.run(() => machine.stop());
  });

  it('tells the controller which directory a replica is in, so that the loss of one costs its replicas alone', async () => {
    const disks = new Disks();
    const machine = await disks.start();
    const topicId = await asking(machine, (client) => makeTopic(client, 'partly-lost', PARTITIONS));
    // Whoever chose the directories tells the controller in the background.
    await machine.run(() => machine.pause(100));
    const lost = await asking(machine, async (client) => {
      for (let index = 0; index < PARTITIONS; index++) await append(client, topicId, [`of ${index}`], index);
      return new Set((await layout(client, 'partly-lost')).get('/disk-b'));
    });
    assert.equal(lost.size, 2);
    failing(disks.disk, '/disk-b');
    const [first = 0] = lost;
    await asking(machine, async (client) => {
      assert.equal(await append(client, topicId, ['more'], first), codeOf('KAFKA_STORAGE_ERROR'));
    });
    await machine.run(() => machine.pause(100));
    await asking(machine, async (client) => {
      assert.deepEqual((await layout(client, 'partly-lost')).get('/disk-b'), null);
      for (const [index, partition] of (await leaders(client, 'partly-lost')).entries()) {
        const isLost = lost.has(index);
        assert.equal(partition.leaderId, isLost ? -1 : 1, `partition ${index}`);
        assert.equal(partition.errorCode, isLost ? codeOf('LEADER_NOT_AVAILABLE') : 0);
        assert.deepEqual(partition.offlineReplicas, isLost ? [1] : []);
        if (isLost) assert.notEqual((await fetchFrom(client, topicId, { partition: index })).errorCode, 0);
        else assert.deepEqual(await readTexts(client, topicId, index), [`of ${index}`]);
      }
      // New replicas go where they can be kept.
      const other = await makeTopic(client, 'afterwards', 4);
      for (let index = 0; index < 4; index++) assert.equal(await append(client, other, ['x'], index), 0);
    });
    await machine.run(() => machine.stop());
  });

  it('makes no empty log in place of one that lies in a directory that is offline at the start', async () => {
    const disks = new Disks();
    let machine = await disks.start();
    const topicId = await asking(machine, (client) => makeTopic(client, 'kept', PARTITIONS));
    await asking(machine, async (client) => {
      for (let index = 0; index < PARTITIONS; index++) await append(client, topicId, [`of ${index}`], index);
    });
    const before = await asking(machine, (client) => layout(client, 'kept'));
    await machine.run(() => machine.stop());

    const mend = failing(disks.disk, '/disk-c');
    machine = await disks.start();
    const lost = new Set(before.get('/disk-c'));
    await asking(machine, async (client) => {
      assert.deepEqual((await layout(client, 'kept')).get('/disk-c'), null);
      for (const [index, { leaderId }] of (await leaders(client, 'kept')).entries()) {
        assert.equal(leaderId, lost.has(index) ? -1 : 1, `partition ${index}`);
      }
    });
    await machine.run(() => machine.stop());

    mend();
    machine = await disks.start();
    await asking(machine, async (client) => {
      assert.deepEqual(await layout(client, 'kept'), before);
      for (let index = 0; index < PARTITIONS; index++) assert.deepEqual(await readTexts(client, topicId, index), [`of ${index}`]);
    });
    await machine.run(() => machine.stop());
  });

  it('takes a directory that was added when it is formatted for this node, and not before', async () => {
    const disks = new Disks();
    let machine = await disks.start({ 'log.dirs': '/disk-a' });
    await machine.run(() => machine.stop());
    const added = /No meta\.properties found in \/disk-b, although other.*--ignore-formatted --cluster-id/;
    await assert.rejects(disks.start(), added);
    await assert.rejects(disks.start(), added, 'nothing was formatted on the way');
    const { clusterId, nodeId } = readMetaProperties(disks.disk, '/disk-a') ?? assert.fail();
    for (const [path, directoryId] of [
      ['/disk-b', 'LohucB2WTN-J3kL5U3YRwg'],
      ['/disk-c', '88qKL7-CQMKvxLbuzeIjZQ'],
    ] as const) {
      writeMetaProperties(disks.disk, path, { properties: { clusterId, nodeId, directoryId }, now: 0 });
    }
    machine = await disks.start();
    await asking(machine, async (client) => {
      await makeTopic(client, 'wide', 3);
      assert.deepEqual(
        [...(await layout(client, 'wide')).values()].map((partitions) => partitions?.length),
        [1, 1, 1],
      );
    });
    await machine.run(() => machine.stop());
  });

  it('stops with the reason when the directory of the metadata log fails', async () => {
    const disks = new Disks();
    const machine = await disks.start();
    failing(disks.disk, '/disk-a');
    const { failed } = machine.node;
    await asking(machine, (client) => makeTopic(client, 'too-late').catch(() => undefined)).catch(() => undefined);
    const reason = await machine.run(() => failed);
    assert.ok(reason instanceof Error);
    assert.match(reason.message, /__cluster_metadata-0 failed: EIO/);
    assert.ok(disks.logger.at('error').includes('The node cannot go on and stops'));
  });

  it('stops with the reason when its last log directory fails', async () => {
    const disks = new Disks();
    const properties = { 'metadata.log.dir': '/metadata', 'log.dirs': '/disk-a,/disk-b' };
    const machine = await disks.start(properties);
    const topicId = await asking(machine, (client) => makeTopic(client, 'doomed', 2));
    const { failed } = machine.node;
    failing(disks.disk, '/disk-a');
    failing(disks.disk, '/disk-b');
    await asking(machine, async (client) => {
      for (let index = 0; index < 2; index++) await append(client, topicId, ['x'], index);
    }).catch(() => undefined);
    const reason = await machine.run(() => failed);
    assert.ok(reason instanceof Error);
    assert.match(reason.message, /^The last usable log directory, \/disk-[ab], has failed: /);
  });

  it('does not start when no directory can be used, or that of the metadata log cannot', async () => {
    const disks = new Disks();
    failing(disks.disk, '/disk-a');
    await assert.rejects(disks.start(), {
      name: 'StorageError',
      message: '/disk-a cannot be used. Its disk fails. The system log may say more.',
    });
    const others = new Disks();
    for (const directory of ['/disk-a', '/disk-b', '/disk-c']) failing(others.disk, directory);
    await assert.rejects(others.start({ 'metadata.log.dir': '/metadata' }), {
      name: 'StorageError',
      message: /cannot be used|disk-c/,
    });
  });

  it('says that a full disk is full, at the first start and at a later one', async () => {
    const disks = new Disks();
    disks.disk.capacityBytes = 1000;
    const full = { name: 'StorageError', message: /cannot be used\. There is no space left on its disk\. Make room/ };
    await assert.rejects(disks.start(), full);
    disks.disk.capacityBytes = 2 ** 40;
    const machine = await disks.start();
    await asking(machine, (client) => makeTopic(client, 'x', 3));
    await machine.run(() => machine.stop());
    disks.disk.capacityBytes = 0;
    await assert.rejects(disks.start(), full);
    disks.disk.capacityBytes = 2 ** 40;
    const again = await disks.start();
    await again.run(() => again.stop());
  });
});

describe('cordoned.log.dirs', () => {
  it('names directories that take no new replicas', async () => {
    const disks = new Disks();
    const properties = Object.fromEntries(parseProperties('cordoned.log.dirs=/disk-b'));
    const machine = await disks.start(properties);
    await asking(machine, async (client) => {
      const { results } = await client.ask(describeLogDirs, 5, { topics: null });
      assert.deepEqual(
        results.map(({ logDir, isCordoned }) => [logDir, isCordoned]),
        DIRECTORIES.map((logDir) => [logDir, logDir === '/disk-b']),
      );
    });
    await machine.run(() => machine.stop());
  });

  it('tells clients where directories are from the root, as Kafka does, for such that begin where the process runs', async () => {
    const disks = new Disks();
    const machine = await disks.start({ 'log.dirs': 'disk-a,./disk-b/,/disk-a', 'cordoned.log.dirs': './disk-b/' });
    await asking(machine, async (client) => {
      const { results } = await client.ask(describeLogDirs, 5, { topics: null });
      assert.deepEqual(
        results.map(({ logDir, isCordoned }) => [logDir, isCordoned]),
        [
          ['/disk-a', false],
          ['/./disk-b', true],
        ],
      );
    });
    await machine.run(() => machine.stop());
  });
});
