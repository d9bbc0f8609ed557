import type { RequestMaker } from './world.ts';

export const makeMetadata: RequestMaker = (world, version) => ({
  topics: world.rarely(6)
    ? null
    : world.list(4, () => {
        const isById = version >= 12 && world.rarely(3);
        return {
          topicId: isById ? world.topicId() : 'AAAAAAAAAAAAAAAAAAAAAA',
          name: isById && !world.rarely(20) ? null : world.topicName(),
        };
      }),
  allowAutoTopicCreation: world.rarely(4),
  includeClusterAuthorizedOperations: world.rarely(2),
  includeTopicAuthorizedOperations: world.rarely(2),
});

export const makeApiVersions: RequestMaker = (world) => ({
  clientSoftwareName: world.pick('apache-kafka-java', 'x', '', ' bad', 'a b', 'größe'),
  clientSoftwareVersion: world.pick('4.4.0', '1', '', '-', '1.0 beta'),
  clusterId: world.pick(null, world.clusterId, 'wrong'),
  nodeId: world.pick(-1, 1, 2),
});

export const makeDescribeCluster: RequestMaker = (world) => ({
  includeClusterAuthorizedOperations: world.rarely(2),
  endpointType: world.rarely(4) ? world.pick(0, 2, 3) : 1,
  includeFencedBrokers: world.rarely(2),
});

export const makeDescribeTopicPartitions: RequestMaker = (world) => ({
  topics: world.list(4, () => ({ name: world.topicName() })),
  responsePartitionLimit: world.pick(2000, 1, 2, 5, 0, -1),
  cursor: world.rarely(3) ? { topicName: world.topicName(), partitionIndex: world.pick(0, 1, 2, 9, -1) } : null,
});

export const makeDescribeLogDirs: RequestMaker = (world) => ({
  topics: world.rarely(5)
    ? null
    : world.list(3, () => world.topicName()).map((topic) => ({ topic, partitions: world.list(3, () => world.partition(topic)) })),
});

export const makeDescribeQuorum: RequestMaker = (world) => ({
  topics: world.list(2, () => ({
    topicName: world.rarely(4) ? world.topicName() : '__cluster_metadata',
    partitions: world.list(2, () => ({ partitionIndex: world.mostly(0, 1, -1) })),
  })),
});

export const makeElectLeaders: RequestMaker = (world) => ({
  electionType: world.rarely(8) ? world.pick(2, -1) : world.pick(0, 0, 1),
  topicPartitions: world.rarely(8)
    ? null
    : world.list(3, () => world.topicName()).map((topic) => ({ topic, partitions: world.list(2, () => world.partition(topic)) })),
  timeoutMs: 5000,
});

const features = [
  'metadata.version',
  'group.version',
  'transaction.version',
  'share.version',
  'kraft.version',
  'no.such.version',
];

/** Nothing is changed: other versions of the metadata are another subject. Version 0 cannot be told so, and asks for what cannot be. */
export const makeUpdateFeatures: RequestMaker = (world, version) => ({
  timeoutMs: 5000,
  // Of several features, which one is told to be wrong is up to a hash table.
  featureUpdates: world.list(
    1,
    () => ({
      feature: version === 0 ? 'no.such.version' : world.pick(...features),
      maxVersionLevel: world.pick(0, 1, 2, 7, 33, 34, -1),
      allowDowngrade: world.rarely(3),
      upgradeType: world.rarely(8) ? world.pick(0, 4, -1) : world.pick(1, 2, 3),
    }),
    version === 0 ? 1 : 0,
  ),
  validateOnly: true,
});

/** Of brokers that are not there. */
export const makeUnregisterBroker: RequestMaker = (world) => ({ brokerId: world.pick(2, 99, -1) });

export const makeListConfigResources: RequestMaker = (world) => ({
  resourceTypes: world.list(3, () => world.pick(2, 4, 8, 16, 32, world.rarely(4) ? 77 : 2)),
});
