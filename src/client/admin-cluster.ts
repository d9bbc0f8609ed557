import { errorNameOf, KafkaError } from '../protocol/errors.ts';
import { describeLogDirs as describeLogDirsApi } from '../protocol/messages/35-describe-log-dirs.ts';
import { describeQuorum as describeQuorumApi } from '../protocol/messages/55-describe-quorum.ts';
import { describeCluster as describeClusterApi } from '../protocol/messages/60-describe-cluster.ts';
import type { ResponseOf } from '../protocol/schema.ts';
import { throwIfError } from './admin-topics.ts';
import type { Client } from './client.ts';
import { ClientError } from './client-error.ts';
import type { Broker } from './cluster-metadata.ts';
import type { BrokerFeatures } from './connection.ts';

export interface ClusterDescription {
  readonly clusterId: string;
  readonly controllerId: number;
  readonly brokers: readonly (Broker & { readonly isFenced: boolean })[];
}

const endpointTypes = { brokers: 1, controllers: 2 } as const;

/** The nodes of the cluster as its brokers (or, asked at a controller listener, its controllers) tell them. */
export async function describeCluster(
  client: Client,
  options: { readonly nodes?: keyof typeof endpointTypes; readonly includeFenced?: boolean } = {},
): Promise<ClusterDescription> {
  return await client.retrying(async () => {
    const answer = await client.sendToAny(describeClusterApi, {
      includeClusterAuthorizedOperations: false,
      endpointType: endpointTypes[options.nodes ?? 'brokers'],
      includeFencedBrokers: options.includeFenced ?? false,
    });
    throwIfError(answer.errorCode, answer.errorMessage);
    const { clusterId, controllerId } = answer;
    const brokers = answer.brokers.map(({ brokerId: id, host, port, rack, isFenced }) => ({ id, host, port, rack, isFenced }));
    return { clusterId, controllerId, brokers: brokers.sort((a, b) => a.id - b.id) };
  });
}

const METADATA_TOPIC = '__cluster_metadata';

type QuorumAnswer = ResponseOf<typeof describeQuorumApi>;
export type QuorumReplica = QuorumAnswer['topics'][number]['partitions'][number]['currentVoters'][number];

export interface QuorumDescription {
  readonly leaderId: number;
  readonly leaderEpoch: number;
  readonly highWatermark: number;
  readonly voters: readonly QuorumReplica[];
  readonly observers: readonly QuorumReplica[];
  readonly nodes: QuorumAnswer['nodes'];
}

/** The state of the metadata quorum, as its leader sees it. */
export async function describeQuorum(client: Client): Promise<QuorumDescription> {
  return await client.retrying(async () => {
    const answer = await client.sendToAny(describeQuorumApi, {
      topics: [{ topicName: METADATA_TOPIC, partitions: [{ partitionIndex: 0 }] }],
    });
    throwIfError(answer.errorCode, answer.errorMessage);
    const partition = answer.topics[0]?.partitions[0];
    if (partition === undefined) throw new ClientError('bad-answer', 'The broker did not answer for the metadata log');
    throwIfError(partition.errorCode, partition.errorMessage);
    const { leaderId, leaderEpoch, highWatermark, currentVoters: voters, observers } = partition;
    return { leaderId, leaderEpoch, highWatermark, voters, observers, nodes: answer.nodes };
  });
}

export interface LogDirDescription {
  readonly broker: number;
  readonly path: string;
  readonly error: KafkaError | null;
  readonly totalBytes: number;
  readonly usableBytes: number;
  readonly isCordoned: boolean;
  readonly replicas: readonly {
    readonly topic: string;
    readonly partition: number;
    readonly size: number;
    readonly offsetLag: number;
    readonly isFuture: boolean;
  }[];
}

/** The log directories of brokers (all, if none is named) with the replicas in them. */
export async function describeLogDirs(client: Client, brokers?: readonly number[]): Promise<LogDirDescription[]> {
  const ids = brokers ?? client.metadata.brokers.map((broker) => broker.id);
  const answers = await Promise.all(
    ids.map((id) => client.retrying(async () => ({ id, answer: await client.sendTo(id, describeLogDirsApi, { topics: null }) }))),
  );
  return answers.flatMap(({ id, answer }) => {
    throwIfError(answer.errorCode, null);
    return answer.results.map((result) => ({
      broker: id,
      path: result.logDir,
      error: result.errorCode === 0 ? null : new KafkaError(errorNameOf(result.errorCode)),
      totalBytes: result.totalBytes,
      usableBytes: result.usableBytes,
      isCordoned: result.isCordoned,
      replicas: result.topics.flatMap(({ name: topic, partitions }) =>
        partitions.map(({ partitionIndex: partition, partitionSize: size, offsetLag, isFutureKey: isFuture }) => ({
          topic,
          partition,
          size,
          offsetLag,
          isFuture,
        })),
      ),
    }));
  });
}

/** What one broker (any, if none is named) can do: API versions and features. */
export async function brokerFeatures(client: Client, broker?: number): Promise<BrokerFeatures> {
  const connection =
    broker === undefined ? await client.connections.any(client.metadata.endpoints) : await client.connectionTo(broker);
  return connection.features;
}
