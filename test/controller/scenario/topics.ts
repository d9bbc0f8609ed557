import { alterPartition } from '../../../src/protocol/messages/56-alter-partition.ts';
import { createPartitions } from '../../../src/protocol/messages/37-create-partitions.ts';
import { createTopics } from '../../../src/protocol/messages/19-create-topics.ts';
import { deleteTopics } from '../../../src/protocol/messages/20-delete-topics.ts';
import { electLeaders } from '../../../src/protocol/messages/43-elect-leaders.ts';
import { type Step, step } from './step.ts';

const ZERO = 'AAAAAAAAAAAAAAAAAAAAAA';

interface Topic {
  readonly name: string;
  readonly partitions?: number;
  readonly factor?: number;
  /** Replicas by partition, from 0 on. */
  readonly replicas?: readonly (readonly number[])[];
  /** The same with explicit partition numbers. */
  readonly assigned?: readonly (readonly [number, readonly number[]])[];
  readonly configs?: Readonly<Record<string, string | null>>;
}

export const create = (
  note: string,
  topics: readonly Topic[],
  options: { version?: number; validateOnly?: boolean } = {},
): Step =>
  step(
    note,
    createTopics,
    {
      topics: topics.map(({ name, partitions = -1, factor = -1, replicas = [], assigned, configs = {} }) => ({
        name,
        numPartitions: partitions,
        replicationFactor: factor,
        assignments: (assigned ?? replicas.map((brokerIds, index) => [index, brokerIds] as const)).map(
          ([partitionIndex, brokerIds]) => ({ partitionIndex, brokerIds }),
        ),
        configs: Object.entries(configs).map(([key, value]) => ({ name: key, value })),
      })),
      timeoutMs: 10_000,
      validateOnly: options.validateOnly ?? false,
    },
    options.version,
  );

interface Growth {
  readonly name: string;
  readonly count: number;
  readonly replicas?: readonly (readonly number[])[] | null;
}

export const grow = (note: string, topics: readonly Growth[], validateOnly = false): Step =>
  step(note, createPartitions, {
    topics: topics.map(({ name, count, replicas = null }) => ({
      name,
      count,
      assignments: replicas?.map((brokerIds) => ({ brokerIds })) ?? null,
    })),
    timeoutMs: 10_000,
    validateOnly,
  });

type Named = { readonly name: string } | { readonly id: string } | { readonly idOf: string; readonly name?: string } | 'nothing';

export const remove = (note: string, topics: readonly Named[]): Step =>
  step(note, deleteTopics, (known) => ({
    topics: topics.map((topic) => {
      if (topic === 'nothing') return { name: null, topicId: ZERO };
      if ('idOf' in topic) return { name: topic.name ?? null, topicId: known.topicId(topic.idOf) };
      return 'id' in topic ? { name: null, topicId: topic.id } : { name: topic.name, topicId: ZERO };
    }),
    topicNames: [],
    timeoutMs: 10_000,
  }));

export const removeByName = (note: string, topicNames: readonly string[], version: number): Step =>
  step(note, deleteTopics, { topics: [], topicNames, timeoutMs: 10_000 }, version);

interface IsrChange {
  readonly topic: string;
  readonly partition: number;
  readonly leaderEpoch: number;
  readonly partitionEpoch: number;
  readonly isr: readonly number[];
  /** Epochs that are not those of the registrations. */
  readonly epochs?: Readonly<Record<number, number>>;
  readonly recovery?: number;
}

export const changeIsr = (note: string, brokerId: number, changes: readonly IsrChange[], brokerEpoch?: number): Step =>
  step(note, alterPartition, (known) => ({
    brokerId,
    brokerEpoch: brokerEpoch ?? known.epoch(brokerId),
    topics: changes.map(({ topic, partition, leaderEpoch, partitionEpoch, isr, epochs = {}, recovery = 0 }) => ({
      topicId: topic.length === 22 ? topic : known.topicId(topic),
      partitions: [
        {
          partitionIndex: partition,
          leaderEpoch,
          newIsrWithEpochs: isr.map((id) => ({ brokerId: id, brokerEpoch: epochs[id] ?? known.epoch(id) })),
          leaderRecoveryState: recovery,
          partitionEpoch,
        },
      ],
    })),
  }));

export const PREFERRED = 0;
export const UNCLEAN = 1;

export const elect = (note: string, electionType: number, topics: Readonly<Record<string, readonly number[]>> | null): Step =>
  step(note, electLeaders, {
    electionType,
    topicPartitions: topics === null ? null : Object.entries(topics).map(([topic, partitions]) => ({ topic, partitions })),
    timeoutMs: 10_000,
  });
