import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { type ClusterView, type PartitionView, viewCluster } from '../conformance/cluster-view.ts';
import { WireClient } from '../conformance/wire-client.ts';
import { createLoadTopics, LoadProducer, viewConfigs } from './directory-load.ts';
import { KafkaPeer } from './kafka-peer.ts';
import { inspectWithKafkaTools } from './kafka-tools.ts';
import { OttlaProcess } from './ottla-process.ts';

/** A restart moves the epoch on, and with it the epoch that is told for the end of a log. */
const withoutEndEpochs = (view: ClusterView): unknown =>
  mapPartitions(view, (partition) => {
    const { earliest, latest, latestReadCommitted } = partition;
    const isEmpty = earliest.offset === latest.offset;
    return {
      ...partition,
      earliest: isEmpty ? earliest.offset : earliest,
      latest: latest.offset,
      latestReadCommitted: latestReadCommitted.offset,
    };
  });

const mapPartitions = (view: ClusterView, change: (partition: PartitionView) => unknown): unknown =>
  Object.fromEntries(
    Object.entries(view).map(([name, topic]) => {
      const partitions = Object.entries(topic.partitions).map(([index, partition]) => [index, change(partition)]);
      return [name, { ...topic, partitions: Object.fromEntries(partitions) }];
    }),
  );

interface Seen {
  readonly topics: unknown;
  readonly configs: unknown;
}

async function withClient<T>(port: number, use: (client: WireClient) => Promise<T>): Promise<T> {
  const client = await WireClient.open(port);
  try {
    return await use(client);
  } finally {
    client.close();
  }
}

const look = (port: number): Promise<Seen> =>
  withClient(port, async (client) => ({
    topics: withoutEndEpochs(await viewCluster(client)),
    configs: await viewConfigs(client),
  }));

const clusterIdIn = (data: string): string | undefined =>
  /^cluster\.id=(.+)$/m.exec(readFileSync(join(data, 'meta.properties'), 'utf8'))?.[1];

for (const ending of ['stopped', 'killed'] as const) {
  describe(`a directory of ours that was ${ending}`, () => {
    it('passes every check of the tools of Apache Kafka', { timeout: 300_000 }, async () => {
      const root = mkdtempSync(join(tmpdir(), 'ottla-peer-'));
      const data = join(root, 'data');
      await loadOurs(data, new LoadProducer(), ending);
      assert.ok((await inspectWithKafkaTools(data)) > 80);
      rmSync(root, { recursive: true, force: true });
    });

    it('serves under Apache Kafka what it served here, and here what Kafka added', { timeout: 300_000 }, async () => {
      const root = mkdtempSync(join(tmpdir(), 'ottla-peer-'));
      const data = join(root, 'kafka', 'data');
      const producer = new LoadProducer();
      let kafka: KafkaPeer | null = null;
      try {
        const ours = await loadOurs(data, producer, ending);
        cpSync(data, join(root, 'before'), { recursive: true });
        kafka = await KafkaPeer.start({ directory: join(root, 'kafka') });
        assert.deepEqual(await look(kafka.port), ours, 'Kafka shows what was there');
        assert.equal(kafka.complaints, '');
        await withClient(kafka.port, (client) => fill(client, producer, { round: 9, trims: ending === 'stopped' }));
        const theirs = await look(kafka.port);
        if (ending === 'stopped') await kafka.stop();
        else kafka.kill();
        kafka = null;
        const again = await OttlaProcess.start({ directory: data });
        assert.deepEqual(await look(again.port), theirs, 'Ottla shows what Kafka left');
        await withClient(again.port, (client) => fill(client, producer, { round: 10, trims: true }));
        assert.equal(clusterIdIn(data), clusterIdIn(join(root, 'before')));
        await again.stop();
      } finally {
        await kafka?.stop();
        rmSync(root, { recursive: true, force: true });
      }
    });
  });
}

async function fill(
  client: WireClient,
  producer: LoadProducer,
  { round, trims }: { readonly round: number; readonly trims: boolean },
): Promise<void> {
  await producer.fill(client, round);
  if (trims) await producer.trim(client, round);
}

/** Four starts of ours, the last ended as asked, and what a client saw at last. */
async function loadOurs(directory: string, producer: LoadProducer, ending: 'stopped' | 'killed'): Promise<Seen> {
  let seen: Seen | null = null;
  for (let round = 0; round < 4; round++) {
    const isStopped = round === 3 ? ending === 'stopped' : round % 2 === 0;
    const node = await OttlaProcess.start({ directory });
    await withClient(node.port, async (client) => {
      if (round === 0) {
        await createLoadTopics(client);
        await producer.init(client);
      }
      await fill(client, producer, { round, trims: isStopped });
      await fill(client, producer, { round: round + 4, trims: isStopped });
    });
    seen = await look(node.port);
    if (isStopped) await node.stop();
    else await node.kill();
  }
  assert.ok(seen !== null);
  return seen;
}
