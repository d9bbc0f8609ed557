import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { silentLogger } from '../../src/base/logger.ts';
import { createTopic } from '../../src/client/admin-topics.ts';
import { Client } from '../../src/client/client.ts';
import { Producer } from '../../src/client/producer.ts';
import { systemEnvironment } from '../../src/platform/system-environment.ts';
import type { Codec } from '../../src/protocol/compression/codec.ts';
import { produce } from '../../src/protocol/messages/00-produce.ts';
import { buildBatch } from '../../src/protocol/records/record-batch-builder.ts';
import { RecordBatch } from '../../src/protocol/records/record-batch.ts';
import { recordsOf } from '../../src/protocol/records/record-iterator.ts';
import { WireClient } from '../conformance/wire-client.ts';
import { startTestNode } from '../server/test-node.ts';
import { storedBatches } from './stored-batches.ts';

const PRODUCE_VERSION = 12;

const node = await startTestNode();
const client = new Client(systemEnvironment({ logger: silentLogger }), { bootstrapServers: `127.0.0.1:${node.port}` });
const wire = await WireClient.open(node.port);
after(async () => {
  wire.close();
  client.close();
  await node.stop();
});

describe('E4: a gzip batch of three records', () => {
  const timestamp = Date.now();
  const values = [0, 1, 2].map((index) => `raw-${index}`);
  const sent = buildBatch({ records: values.map((value) => ({ timestamp, value: Buffer.from(value) })), codec: 'gzip' });
  const { crc, sizeInBytes } = new RecordBatch(Buffer.from(sent));

  /** What lies on disk after the batch was sent to a topic with this compression.type. */
  async function stored(topic: string, configs: Readonly<Record<string, string>>): Promise<RecordBatch> {
    await createTopic(client, { name: topic, partitions: 1, configs });
    const partitionData = [{ index: 0, records: Buffer.from(sent) }];
    const topicData = [{ name: topic, topicId: 'AAAAAAAAAAAAAAAAAAAAAA', partitionData }];
    const answer = await wire.ask(produce, PRODUCE_VERSION, { transactionalId: null, acks: 1, timeoutMs: 5_000, topicData });
    const result = answer.responses[0]?.partitionResponses[0];
    assert.deepEqual([result?.errorCode, result?.baseOffset], [0, 0]);
    const [batch, ...others] = storedBatches(node.directory, topic);
    assert.ok(batch !== undefined && others.length === 0);
    assert.deepEqual(
      [...recordsOf(batch)].map(({ value }) => Buffer.from(value ?? []).toString()),
      values,
    );
    batch.ensureValid();
    return batch;
  }

  it('lies on disk as it was sent where compression.type=producer', async () => {
    const batch = await stored('kept', {});
    assert.deepEqual([batch.codec, batch.crc, batch.sizeInBytes], ['gzip', crc, sizeInBytes]);
  });

  it('is compressed again where compression.type=lz4, and the answer is the same', async () => {
    const batch = await stored('changed', { 'compression.type': 'lz4' });
    assert.equal(batch.codec, 'lz4');
    assert.notEqual(batch.crc, crc);
    assert.notEqual(batch.sizeInBytes, sizeInBytes);
  });
});

describe('E5: 2,000 records that look alike', () => {
  const sizes = new Map<Codec, number>();
  for (const compression of ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const) {
    it(`are one batch on disk as their producer compressed them (${compression})`, async () => {
      const topic = `alike-${compression}`;
      await createTopic(client, { name: topic, partitions: 1 });
      const producer = new Producer(client, { compression, batchSize: 1024 * 1024, lingerMs: 60_000 });
      await producer.prepare(topic);
      for (let index = 0; index < 2_000; index++) {
        const value = JSON.stringify({ id: index, user: `user-${index % 50}`, event: 'page_view', path: `/item/${index % 20}` });
        producer.enqueue({ topic, value, timestamp: 1_700_000_000_000 });
      }
      await producer.close();
      const [batch, ...others] = storedBatches(node.directory, topic);
      assert.ok(batch !== undefined && others.length === 0);
      assert.deepEqual([batch.codec, batch.recordsCount, batch.baseOffset], [compression, 2_000, 0]);
      sizes.set(compression, batch.sizeInBytes);
      assert.ok(compression === 'none' || batch.sizeInBytes < (sizes.get('none') ?? 0) / 4);
    });
  }
});
