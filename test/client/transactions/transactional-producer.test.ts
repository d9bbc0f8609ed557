import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { listGroupOffsets } from '../../../src/client/admin-group-offsets.ts';
import { Client } from '../../../src/client/client.ts';
import { Consumer } from '../../../src/client/consumer.ts';
import { noMember } from '../../../src/client/groups/membership.ts';
import { Producer } from '../../../src/client/producer.ts';
import { KafkaError } from '../../../src/protocol/errors.ts';
import { createTopics } from '../../../src/protocol/messages/19-create-topics.ts';
import { updateFeatures } from '../../../src/protocol/messages/57-update-features.ts';
import { systemEnvironment } from '../../../src/platform/system-environment.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { startTestNode, type TestNode } from '../../server/test-node.ts';

const SAFE_DOWNGRADE = 2;

/** Levels of transaction.version: with 0 clients add partitions by themselves, with 2 brokers do. */
for (const level of [0, 2]) {
  describe(`A transactional producer where transaction.version is ${level}`, () => {
    let node: TestNode;
    let client: Client;
    before(async () => {
      node = await startTestNode();
      client = new Client(systemEnvironment({ logger: silentLogger }), {
        bootstrapServers: `127.0.0.1:${node.port}`,
        retryBackoffMs: 10,
      });
      if (level === 0) {
        const update = { feature: 'transaction.version', maxVersionLevel: 0, upgradeType: SAFE_DOWNGRADE };
        const { errorCode } = await client.sendToAny(updateFeatures, { featureUpdates: [update] });
        assert.equal(errorCode, 0);
      }
    });
    after(async () => {
      client.close();
      await node.stop();
    });

    const topicOf = async (name: string): Promise<string> => {
      const topic = { name: `${name}-${level}`, numPartitions: 2, replicationFactor: 1, assignments: [], configs: [] };
      await client.sendToAny(createTopics, { topics: [topic], timeoutMs: 10_000 });
      return topic.name;
    };

    const producerOf = async (transactionalId: string): Promise<Producer> => {
      const producer = new Producer(client, { transactionalId, lingerMs: 0 });
      await producer.initTransactions();
      return producer;
    };

    /** All that a reader of committed records sees, in order of partitions. */
    const committed = async (topic: string): Promise<string[]> => {
      const consumer = new Consumer(client, { isolationLevel: 'read_committed' });
      const assignments = [0, 1].map((partition) => ({ topic, partition, start: 'earliest' as const }));
      await consumer.assign(assignments);
      const values: string[] = [];
      for (;;) {
        const chunks = await consumer.poll(50);
        for (const chunk of chunks) for (const { value } of chunk.records()) values.push(Buffer.from(value ?? []).toString());
        const isAtEnd = assignments.every(
          (place) => consumer.endOffset(place) >= 0 && consumer.position(place) === consumer.endOffset(place),
        );
        if (chunks.length === 0 && isAtEnd) break;
      }
      await consumer.close();
      return values;
    };

    it('commits and aborts, one transaction after the other', async () => {
      const topic = await topicOf('plain');
      const producer = await producerOf('plain');
      for (let index = 0; index < 6; index++) {
        producer.beginTransaction();
        const sent = [0, 1].map((partition) => producer.send({ topic, partition, value: `${index}.${partition}` }));
        if (index % 2 === 0) await producer.commitTransaction();
        else {
          await Promise.all(sent);
          await producer.abortTransaction();
        }
        await Promise.all(sent);
      }
      assert.deepEqual(await committed(topic), ['0.0', '2.0', '4.0', '0.1', '2.1', '4.1']);
      await producer.close();
    });

    it('gives up what it has not sent yet when it aborts, and what it sent is not seen', async () => {
      const topic = await topicOf('unsent');
      const producer = new Producer(client, { transactionalId: 'unsent', lingerMs: 60_000 });
      await producer.initTransactions();
      producer.beginTransaction();
      const lost = producer.send({ topic, partition: 0, value: 'lost' });
      const told = assert.rejects(lost, /was aborted/);
      await new Promise(setImmediate);
      await producer.abortTransaction();
      await told;
      producer.beginTransaction();
      const kept = producer.send({ topic, partition: 0, value: 'kept' });
      await producer.commitTransaction();
      await kept;
      assert.deepEqual(await committed(topic), ['kept']);
      await producer.close();
    });

    it('takes no records outside of a transaction, and commits and aborts nothing', async () => {
      const topic = await topicOf('outside');
      const producer = await producerOf('outside');
      await assert.rejects(producer.send({ topic, value: 'x' }), /not in a transaction/);
      producer.beginTransaction();
      await producer.commitTransaction();
      producer.beginTransaction();
      await producer.abortTransaction();
      await producer.abortTransaction();
      await assert.rejects(producer.commitTransaction(), /cannot commit while it is ready/);
      await producer.close();
    });

    it('is fenced by the next one with its id, in the middle of a transaction', async () => {
      const topic = await topicOf('fenced');
      const old = await producerOf('fenced');
      old.beginTransaction();
      await old.send({ topic, partition: 0, value: 'lost' });
      const next = await producerOf('fenced');
      const late = old.send({ topic, partition: 0, value: 'late' });
      await assert.rejects(late, KafkaError);
      await assert.rejects(old.commitTransaction(), KafkaError);
      next.beginTransaction();
      const kept = next.send({ topic, partition: 0, value: 'kept' });
      await next.commitTransaction();
      await kept;
      assert.deepEqual(await committed(topic), ['kept']);
      await Promise.all([old.close(), next.close()]);
    });

    it('commits offsets of a group with the transaction, or not at all', async () => {
      const topic = await topicOf('offsets');
      const producer = await producerOf('offsets');
      const groupId = `group-${level}`;
      for (const [offset, commits] of [
        [3, true],
        [9, false],
      ] as const) {
        producer.beginTransaction();
        await producer.send({ topic, partition: 0, value: String(offset) });
        await producer.sendOffsetsToTransaction([{ topic, partition: 1, offset }], { groupId, identity: noMember });
        await (commits ? producer.commitTransaction() : producer.abortTransaction());
      }
      const offsets = (await listGroupOffsets(client, [groupId])).get(groupId);
      assert.ok(offsets !== undefined && !(offsets instanceof KafkaError));
      assert.deepEqual(
        [...offsets.values()].map(({ partition, offset }) => [partition, offset]),
        [[1, 3]],
      );
      assert.deepEqual(await committed(topic), ['3']);
      await producer.close();
    });
  });
}
