import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { codeOf } from '../../src/protocol/errors.ts';
import { listOffsets } from '../../src/protocol/messages/02-list-offsets.ts';
import { describeConfigs } from '../../src/protocol/messages/32-describe-configs.ts';
import { incrementalAlterConfigs } from '../../src/protocol/messages/44-incremental-alter-configs.ts';
import { describeProducers } from '../../src/protocol/messages/61-describe-producers.ts';
import { TestBroker } from './test-broker.ts';

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index));

/** What takes a square of the time needs ten times as long for these, and more. */
async function inSeconds(limit: number, work: () => Promise<void>): Promise<void> {
  const start = performance.now();
  await work();
  assert.ok(performance.now() - start < limit * 1000, `${performance.now() - start} ms`);
}

describe('A request with very many parts', () => {
  it('may name one topic again and again for ListOffsets', async () => {
    const broker = await TestBroker.start();
    await inSeconds(2, async () => {
      const partition = (partitionIndex: number) => ({ partitionIndex, currentLeaderEpoch: -1, timestamp: -1 });
      const topics = times(60_000, (index) => ({ name: 'a', partitions: [partition(index)] }));
      const answer = await broker.call(listOffsets, 7, { replicaId: -1, isolationLevel: 0, topics, timeoutMs: 0 });
      assert.deepEqual([answer.topics.length, answer.topics[0]?.partitions.length], [1, 60_000]);
    });
  });

  it('may name many resources for IncrementalAlterConfigs', async () => {
    const broker = await TestBroker.start();
    await inSeconds(2, async () => {
      const resources = times(20_000, (index) => ({ resourceType: 5, resourceName: `r${index}`, configs: [] }));
      const { responses } = await broker.call(incrementalAlterConfigs, 1, { resources, validateOnly: false });
      assert.deepEqual([responses.length, responses[0]?.errorCode], [20_000, codeOf('INVALID_REQUEST')]);
    });
  });

  it('is told of the producers of a partition once', async () => {
    const broker = await TestBroker.start();
    broker.createTopic('a');
    const answer = await broker.call(describeProducers, 0, { topics: [{ name: 'a', partitionIndexes: times(1000, () => 0) }] });
    assert.deepEqual(answer.topics[0]?.partitions.length, 1);
  });

  it('names what it is refused for as far as there is room', async () => {
    const broker = await TestBroker.start();
    for (const name of ['x'.repeat(32_767), '€'.repeat(10_922)]) {
      const answer = await broker.call(describeProducers, 0, { topics: [{ name, partitionIndexes: [0] }] });
      const [partition] = answer.topics[0]?.partitions ?? [];
      assert.equal(partition?.errorCode, codeOf('INVALID_TOPIC_EXCEPTION'));
      assert.ok((partition.errorMessage?.length ?? 0) < 700);
    }
  });

  it('is refused where each part takes kilobytes of the answer', async () => {
    const broker = await TestBroker.start();
    const ask = (count: number) =>
      broker.call(describeConfigs, 4, {
        resources: times(count, (index) => ({ resourceType: 2, resourceName: `r${index}`, configurationKeys: null })),
        includeSynonyms: false,
        includeDocumentation: false,
      });
    const codes = async (count: number) => [...new Set((await ask(count)).results.map(({ errorCode }) => errorCode))];
    assert.deepEqual(await codes(20_000), [codeOf('UNKNOWN_TOPIC_OR_PARTITION')]);
    assert.deepEqual(await codes(20_001), [codeOf('INVALID_REQUEST')]);
  });
});
