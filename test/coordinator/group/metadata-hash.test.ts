import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { xxh3 } from '../../../src/base/bytes/xxh3.ts';
import { groupHash, topicHash } from '../../../src/coordinator/group/metadata-hash.ts';
import { type BrokerRegistration, type ClusterImage, EMPTY_CLUSTER } from '../../../src/metadata/image/cluster-image.ts';
import type { PartitionRegistration } from '../../../src/metadata/image/partition-registration.ts';
import type { TopicImage } from '../../../src/metadata/image/topics-image.ts';
import { readGoldenLines } from '../../golden-lines.ts';
import { readGolden } from '../../golden.ts';

interface HashedTopic {
  readonly name: string;
  readonly id: string;
  readonly racks: readonly (readonly string[])[];
  readonly hash: string;
}

interface HashedGroup {
  readonly topics: readonly HashedTopic[];
  readonly hash: string;
}

const [first, ...groups] = readGoldenLines('coordinator/metadata-hashes.jsonl.gz') as [
  { readonly plain: readonly (readonly [number, string])[] },
  ...HashedGroup[],
];

const cluster = (racks: readonly string[]): ClusterImage => {
  let { brokers } = EMPTY_CLUSTER;
  for (const [id, rack] of racks.entries()) brokers = brokers.set(id, { ...broker, id, rack });
  return { ...EMPTY_CLUSTER, brokers };
};

const broker: BrokerRegistration = {
  id: 0,
  epoch: 0,
  incarnationId: 'AAAAAAAAAAAAAAAAAAAAAA',
  listeners: new Map(),
  supportedFeatures: new Map(),
  rack: null,
  fenced: false,
  inControlledShutdown: false,
  isMigratingZkBroker: false,
  logDirs: [],
  cordonedLogDirs: null,
};

const partition = (replicas: readonly number[]): PartitionRegistration => ({
  replicas,
  isr: replicas,
  removingReplicas: [],
  addingReplicas: [],
  leader: replicas[0] ?? -1,
  leaderRecoveryState: 'recovered',
  leaderEpoch: 0,
  partitionEpoch: 0,
  elr: [],
  lastKnownElr: [],
  directories: [],
});

/** The topic with a broker for each rack, and one without a rack in front of them. */
const imageOf = ({ name, id, racks }: HashedTopic): { readonly topic: TopicImage; readonly cluster: ClusterImage } => {
  const known = [...new Set(racks.flat())];
  const partitions = racks.map((ofPartition) => partition([known.length, ...ofPartition.map((rack) => known.indexOf(rack))]));
  return { topic: { name, id, partitions }, cluster: cluster(known) };
};

describe('the hash of what a group has seen of its topics', () => {
  it("is built on the hash function of Kafka's library, whatever the length", () => {
    assert.ok(first.plain.length > 600);
    for (const [length, hash] of first.plain) {
      const bytes = Buffer.from(Array.from({ length }, (_, index) => index * 7 + (index >> 8)));
      assert.equal(String(xxh3(bytes)), hash, `${length} bytes`);
    }
  });

  it("is Kafka's for every topic, with the racks of its replicas", () => {
    for (const each of groups.flatMap(({ topics }) => topics)) {
      const image = imageOf(each);
      assert.equal(String(topicHash(image.topic, image.cluster)), each.hash, each.name);
    }
  });

  it("is Kafka's for every set of topics", () => {
    assert.ok(groups.some(({ topics }) => topics.length > 4));
    for (const { topics, hash } of groups) {
      assert.equal(String(groupHash(new Map(topics.map((topic) => [topic.name, BigInt(topic.hash)])))), hash);
    }
  });

  it('is the one that groups in a data directory of Kafka have', () => {
    const directory = readGolden('disk/groups.expected.json.gz') as {
      readonly partitions: Readonly<Record<string, { readonly topicId: string }>>;
    };
    const hashOf = (name: string): bigint => {
      const partitions = Object.keys(directory.partitions).filter((each) => each.replace(/-[0-9]+$/, '') === name);
      const id = directory.partitions[`${name}-0`]?.topicId ?? '';
      return topicHash({ name, id, partitions: partitions.map(() => partition([1])) }, EMPTY_CLUSTER);
    };
    const text = JSON.stringify(directory);
    const hashInRecord = (groupId: string): string | undefined =>
      new RegExp(
        `"type":"ConsumerGroupMetadata"[^{]*"key":{"groupId":"${groupId}"},"value":{"epoch":2,"metadataHash":"(-?[0-9]+)"`,
      ).exec(text)?.[1];
    const hashes = new Map(['audit', 'orders'].map((name) => [name, hashOf(name)]));
    assert.equal(String(groupHash(hashes)), hashInRecord('consumer-1'));
    hashes.delete('orders');
    assert.equal(String(groupHash(hashes)), hashInRecord('consumer-emptied'));
  });

  it('is 0 without topics', () => {
    assert.equal(groupHash(new Map()), 0n);
  });
});
