import { produce } from '../../../src/protocol/messages/00-produce.ts';
import { fetch } from '../../../src/protocol/messages/01-fetch.ts';
import { listOffsets } from '../../../src/protocol/messages/02-list-offsets.ts';
import { metadata } from '../../../src/protocol/messages/03-metadata.ts';
import { offsetCommit } from '../../../src/protocol/messages/08-offset-commit.ts';
import { offsetFetch } from '../../../src/protocol/messages/09-offset-fetch.ts';
import { findCoordinator } from '../../../src/protocol/messages/10-find-coordinator.ts';
import { apiVersions } from '../../../src/protocol/messages/18-api-versions.ts';
import { createTopics } from '../../../src/protocol/messages/19-create-topics.ts';
import { deleteTopics } from '../../../src/protocol/messages/20-delete-topics.ts';
import { deleteRecords } from '../../../src/protocol/messages/21-delete-records.ts';
import { initProducerId } from '../../../src/protocol/messages/22-init-producer-id.ts';
import { offsetForLeaderEpoch } from '../../../src/protocol/messages/23-offset-for-leader-epoch.ts';
import { describeConfigs } from '../../../src/protocol/messages/32-describe-configs.ts';
import { describeLogDirs } from '../../../src/protocol/messages/35-describe-log-dirs.ts';
import { alterConfigs } from '../../../src/protocol/messages/33-alter-configs.ts';
import { createPartitions } from '../../../src/protocol/messages/37-create-partitions.ts';
import { deleteGroups } from '../../../src/protocol/messages/42-delete-groups.ts';
import { electLeaders } from '../../../src/protocol/messages/43-elect-leaders.ts';
import { incrementalAlterConfigs } from '../../../src/protocol/messages/44-incremental-alter-configs.ts';
import { offsetDelete } from '../../../src/protocol/messages/47-offset-delete.ts';
import { describeQuorum } from '../../../src/protocol/messages/55-describe-quorum.ts';
import { updateFeatures } from '../../../src/protocol/messages/57-update-features.ts';
import { describeCluster } from '../../../src/protocol/messages/60-describe-cluster.ts';
import { describeProducers } from '../../../src/protocol/messages/61-describe-producers.ts';
import { unregisterBroker } from '../../../src/protocol/messages/64-unregister-broker.ts';
import { listConfigResources } from '../../../src/protocol/messages/74-list-config-resources.ts';
import { describeTopicPartitions } from '../../../src/protocol/messages/75-describe-topic-partitions.ts';
import type { Api } from '../../../src/protocol/schema.ts';
import * as cluster from './make-cluster.ts';
import * as offsets from './make-offsets.ts';
import * as records from './make-records.ts';
import * as topics from './make-topics.ts';
import type { Sorted } from './compare.ts';
import { type RequestMaker, ZERO_ID } from './world.ts';

export interface Maker {
  readonly api: Api;
  /** How often, against the others. */
  readonly weight: number;
  readonly make: RequestMaker;
  /** Afterwards the state of the two has to agree, which may take Kafka a while: its broker follows its controller. */
  readonly changesState?: true;
  /** Kafka's answer tells of a change some time after it; it is asked for again as long as it differs. */
  readonly isLate?: true;
  /** Arrays of the answer that Kafka fills from a hash table. */
  readonly sorted?: Sorted;
  /** Only these versions are asked. */
  readonly versions?: readonly [min: number, max: number];
}

const byName: Sorted = {
  // By id where the version has no name.
  topics: ({ name, topic, topicId }) => String((name === '' && topicId !== ZERO_ID ? topicId : name) ?? topic ?? topicId),
  responses: ({ name, topicId }) => `${String(name)} ${String(topicId)}`,
  partitions: ({ partitionIndex, partition }) => String(partitionIndex ?? partition).padStart(5),
  partitionResponses: ({ index }) => String(index).padStart(5),
  results: ({ name, logDir, feature, groupId }) => String(name ?? logDir ?? feature ?? groupId),
  replicaElectionResults: ({ topic }) => String(topic),
  partitionResult: ({ partitionId }) => String(partitionId).padStart(5),
  configResources: ({ resourceType, resourceName }) => `${String(resourceType)} ${String(resourceName)}`,
};

/** Of groups' offsets. Offsets of a topic that was deleted go some time after it. */
export const offsetMakers: readonly Maker[] = [
  { api: offsetCommit, weight: 4, make: offsets.makeOffsetCommit, changesState: true },
  { api: offsetFetch, weight: 6, make: offsets.makeOffsetFetch, sorted: byName, isLate: true },
  { api: findCoordinator, weight: 1, make: offsets.makeFindCoordinator },
  { api: deleteGroups, weight: 1, make: offsets.makeDeleteGroups, changesState: true, sorted: byName },
  { api: offsetDelete, weight: 1, make: offsets.makeOffsetDelete, changesState: true },
];

export const makers: readonly Maker[] = [
  ...offsetMakers,
  { api: produce, weight: 20, make: records.makeProduce, changesState: true, sorted: byName },
  { api: fetch, weight: 20, make: records.makeFetch },
  { api: listOffsets, weight: 10, make: records.makeListOffsets, sorted: byName },
  { api: metadata, weight: 6, make: cluster.makeMetadata, changesState: true, sorted: byName },
  { api: apiVersions, weight: 2, make: cluster.makeApiVersions },
  { api: createTopics, weight: 6, make: topics.makeCreateTopics, changesState: true, sorted: byName },
  { api: deleteTopics, weight: 3, make: topics.makeDeleteTopics, changesState: true, sorted: byName },
  { api: deleteRecords, weight: 4, make: records.makeDeleteRecords, changesState: true, sorted: byName },
  // Version 6 is not offered.
  { api: initProducerId, weight: 2, make: records.makeInitProducerId, versions: [0, 5] },
  { api: offsetForLeaderEpoch, weight: 5, make: records.makeOffsetForLeaderEpoch },
  { api: describeConfigs, weight: 5, make: topics.makeDescribeConfigs },
  { api: describeLogDirs, weight: 3, make: cluster.makeDescribeLogDirs, sorted: byName, isLate: true },
  { api: createPartitions, weight: 4, make: topics.makeCreatePartitions, changesState: true, sorted: byName },
  { api: electLeaders, weight: 2, make: cluster.makeElectLeaders, sorted: byName },
  { api: incrementalAlterConfigs, weight: 6, make: topics.makeIncrementalAlterConfigs, changesState: true },
  { api: alterConfigs, weight: 3, make: topics.makeAlterConfigs, changesState: true },
  { api: describeQuorum, weight: 2, make: cluster.makeDescribeQuorum },
  { api: updateFeatures, weight: 2, make: cluster.makeUpdateFeatures, sorted: byName },
  { api: describeCluster, weight: 2, make: cluster.makeDescribeCluster },
  { api: describeProducers, weight: 4, make: records.makeDescribeProducers },
  { api: unregisterBroker, weight: 1, make: cluster.makeUnregisterBroker },
  { api: listConfigResources, weight: 1, make: cluster.makeListConfigResources, sorted: byName, isLate: true },
  { api: describeTopicPartitions, weight: 4, make: cluster.makeDescribeTopicPartitions },
];

/** Offsets of topics that come, grow and go. */
export const offsetWheel: readonly Maker[] = [
  ...offsetMakers,
  ...makers
    .filter(({ api }) => [createTopics, deleteTopics, createPartitions].some(({ key }) => key === api.key))
    .map((maker) => ({ ...maker, weight: 1 })),
];
