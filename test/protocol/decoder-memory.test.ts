import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { decode, encode } from '../../src/protocol/codec.ts';
import { produce } from '../../src/protocol/messages/00-produce.ts';
import { fetch } from '../../src/protocol/messages/01-fetch.ts';
import { listOffsets } from '../../src/protocol/messages/02-list-offsets.ts';
import { metadata } from '../../src/protocol/messages/03-metadata.ts';
import { offsetFetch } from '../../src/protocol/messages/09-offset-fetch.ts';
import { createPartitions } from '../../src/protocol/messages/37-create-partitions.ts';
import type { Api, RequestInput } from '../../src/protocol/schema.ts';
import { ZERO_UUID } from '../../src/base/uuid.ts';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index));
const idOf = (index: number): string => Buffer.from(`${index}`.padStart(16, 'x')).toString('base64url');
const nameOf = (index: number): string => `some-topic-name-${index}`;

/** Bytes of heap that a decoded request takes: the average of several that are kept at once. */
function heapOf(api: Api, version: number, bytes: Buffer): number {
  const count = 8;
  const kept: unknown[] = [];
  // The decoder is compiled and known to the engine by then.
  for (let round = 0; round < 5; round++) decode(api.request, version, bytes);
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let round = 0; round < count; round++) kept.push(decode(api.request, version, bytes));
  collect();
  return (process.memoryUsage().heapUsed - before) / kept.length;
}

const partitionOf = (partition: number) => ({ partition, fetchOffset: 5_000_000, partitionMaxBytes: 1_048_576 });
const fetching = { maxWaitMs: 1, minBytes: 1, forgottenTopicsData: [], rackId: '' };

/** What large clients ask for. */
const large: readonly [string, () => readonly [Api, number, Buffer]][] = [
  [
    'Fetch of 10,000 partitions of 100 topics',
    () => {
      const topics = times(100, (index) => ({ topicId: idOf(index), partitions: times(100, partitionOf) }));
      return made(fetch, 17, { ...fetching, topics });
    },
  ],
  [
    'Fetch of 10,000 topics',
    () =>
      made(fetch, 17, {
        ...fetching,
        topics: times(10_000, (index) => ({ topicId: idOf(index), partitions: [partitionOf(0)] })),
      }),
  ],
  [
    'Metadata of 10,000 topics',
    () => {
      const topics = times(10_000, (index) => ({ topicId: ZERO_UUID, name: nameOf(index) }));
      return made(metadata, 13, { topics, allowAutoTopicCreation: false, includeTopicAuthorizedOperations: false });
    },
  ],
  [
    'OffsetFetch of 50,000 partitions',
    () => {
      const topics = times(500, (index) => ({
        name: nameOf(index),
        topicId: ZERO_UUID,
        partitionIndexes: times(100, (partition) => partition),
      }));
      return made(offsetFetch, 8, { groups: [{ groupId: 'g', topics }], requireStable: true });
    },
  ],
  [
    'ListOffsets of 10,000 topics',
    () => {
      const partitions = [{ partitionIndex: 0, currentLeaderEpoch: 3, timestamp: -1 }];
      const topics = times(10_000, (index) => ({ name: nameOf(index), partitions }));
      return made(listOffsets, 10, { replicaId: -1, isolationLevel: 0, topics, timeoutMs: 0 });
    },
  ],
  [
    'Produce of 5,000 partitions of 100 bytes',
    () => {
      const partitionData = times(10, (index) => ({ index, records: Buffer.alloc(100) }));
      const topicData = times(500, (index) => ({ topicId: idOf(index), partitionData }));
      return made(produce, 13, { transactionalId: null, acks: 1, timeoutMs: 1, topicData });
    },
  ],
];

const made = <const A extends Api>(api: A, version: number, request: RequestInput<A>): readonly [Api, number, Buffer] => [
  api,
  version,
  encode(api.request, version, request),
];

describe('the memory of a decoded request', () => {
  for (const [name, make] of large) {
    it(`is at most five times its bytes and 64 KiB for a ${name}`, () => {
      const [api, version, bytes] = make();
      const heap = heapOf(api, version, bytes);
      console.log(`${name}: ${bytes.length} bytes, ${(heap / bytes.length).toFixed(1)} times that`);
      assert.ok(heap <= 5 * bytes.length + 64 * 1024, `${heap} bytes for ${bytes.length}`);
    });
  }

  it('is more for as many of the smallest elements as a request may have, and not much in all', () => {
    const assignments = times(240_000, () => ({ brokerIds: [] }));
    const request = { topics: [{ name: 't', count: 7, assignments }], timeoutMs: 1, validateOnly: false };
    const [api, version, bytes] = made(createPartitions, 3, request);
    const heap = heapOf(api, version, bytes);
    console.log(
      `CreatePartitions of 240,000 empty assignments: ${bytes.length} bytes, ${(heap / bytes.length).toFixed(1)} times that`,
    );
    assert.ok(heap < 32 * 2 ** 20, `${heap}`);
  });
});
