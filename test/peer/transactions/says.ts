import { produce } from '../../../src/protocol/messages/00-produce.ts';
import { fetch } from '../../../src/protocol/messages/01-fetch.ts';
import { createTopics } from '../../../src/protocol/messages/19-create-topics.ts';
import { deleteTopics } from '../../../src/protocol/messages/20-delete-topics.ts';
import { initProducerId } from '../../../src/protocol/messages/22-init-producer-id.ts';
import { addPartitionsToTxn } from '../../../src/protocol/messages/24-add-partitions-to-txn.ts';
import { addOffsetsToTxn } from '../../../src/protocol/messages/25-add-offsets-to-txn.ts';
import { endTxn } from '../../../src/protocol/messages/26-end-txn.ts';
import { writeTxnMarkers } from '../../../src/protocol/messages/27-write-txn-markers.ts';
import { txnOffsetCommit } from '../../../src/protocol/messages/28-txn-offset-commit.ts';
import { updateFeatures } from '../../../src/protocol/messages/57-update-features.ts';
import { describeProducers } from '../../../src/protocol/messages/61-describe-producers.ts';
import { describeTransactions } from '../../../src/protocol/messages/65-describe-transactions.ts';
import { listTransactions } from '../../../src/protocol/messages/66-list-transactions.ts';
import { offsetFetch } from '../../../src/protocol/messages/09-offset-fetch.ts';
import type { Values } from '../differential/fit.ts';
import type { Request } from './conversation.ts';
import type { DataSpec } from './records.ts';

/** A producer id, as a name or a number. */
export type Id = string | number;
/** Topics and their partitions. */
export type Places = Readonly<Record<string, readonly number[]>>;

export interface Told {
  readonly version?: number;
  readonly afterMs?: number;
  readonly clientId?: string;
}

const told = ({ version, afterMs, clientId }: Told, highest: number): Omit<Request, 'key' | 'request'> => ({
  version: version ?? highest,
  ...(afterMs === undefined ? {} : { afterMs }),
  ...(clientId === undefined ? {} : { clientId }),
});

const topicsOf = (places: Places) => Object.entries(places).map(([name, partitions]) => ({ name, partitions }));

/** A transaction's producer. */
export interface Of {
  readonly of?: string;
  readonly id?: Id;
  readonly epoch?: number;
}

const producer = ({ of = '#t', id = '<1>', epoch = 0 }: Of) => ({ transactionalId: of, producerId: id, producerEpoch: epoch });

export const init = ({
  of = '#t',
  id = -1,
  epoch = -1,
  timeoutMs = 60_000,
  ...rest
}: Of & Told & { readonly timeoutMs?: number } = {}): Request => ({
  key: initProducerId.key,
  ...told(rest, 5),
  request: { ...producer({ of, id, epoch }), transactionTimeoutMs: timeoutMs },
});

/** An idempotent producer's. */
export const initIdle = (rest: Of & Told = {}): Request => ({
  key: initProducerId.key,
  ...told(rest, 5),
  request: { ...producer({ id: -1, epoch: -1, ...rest }), transactionalId: null, transactionTimeoutMs: 60_000 },
});

export const add = (places: Places, rest: Of & Told = {}): Request => {
  const { transactionalId, producerId, producerEpoch } = producer(rest);
  return {
    key: addPartitionsToTxn.key,
    ...told(rest, 3),
    request: {
      v3AndBelowTransactionalId: transactionalId,
      v3AndBelowProducerId: producerId,
      v3AndBelowProducerEpoch: producerEpoch,
      v3AndBelowTopics: topicsOf(places),
    },
  };
};

/** As brokers ask, for several transactions. */
export const addEach = (
  transactions: readonly (Of & { readonly places: Places; readonly verifyOnly?: boolean })[],
  rest: Told = {},
): Request => ({
  key: addPartitionsToTxn.key,
  ...told(rest, 5),
  request: {
    transactions: transactions.map(({ places, verifyOnly = false, ...of }) => ({
      ...producer(of),
      verifyOnly,
      topics: topicsOf(places),
    })),
  },
});

export const addOffsets = (rest: Of & Told & { readonly group?: string } = {}): Request => ({
  key: addOffsetsToTxn.key,
  ...told(rest, 4),
  request: { ...producer(rest), groupId: rest.group ?? '#g' },
});

export const commitOffsets = (
  offsets: Readonly<Record<string, readonly (readonly [partition: number, offset: number])[]>>,
  { group = '#g', member = {}, ...rest }: Of & Told & { readonly group?: string; readonly member?: Values } = {},
): Request => ({
  key: txnOffsetCommit.key,
  ...told(rest, 5),
  request: {
    ...producer(rest),
    groupId: group,
    generationIdOrMemberEpoch: -1,
    memberId: '',
    groupInstanceId: null,
    ...member,
    topics: Object.entries(offsets).map(([name, partitions]) => ({
      name,
      topicId: `id of ${name}`,
      partitions: partitions.map(([partitionIndex, committedOffset]) => ({
        partitionIndex,
        committedOffset,
        committedLeaderEpoch: -1,
        committedMetadata: 'm',
      })),
    })),
  },
});

export const end = (outcome: 'commit' | 'abort', rest: Of & Told = {}): Request => ({
  key: endTxn.key,
  ...told(rest, 5),
  request: { ...producer(rest), committed: outcome === 'commit' },
});

export const markers = (
  list: readonly (Of & {
    readonly places: Places;
    readonly commit?: boolean;
    readonly coordinatorEpoch?: number;
    readonly transactionVersion?: number;
  })[],
  rest: Told = {},
): Request => ({
  key: writeTxnMarkers.key,
  ...told(rest, 2),
  request: {
    markers: list.map(({ places, commit = true, coordinatorEpoch = 0, transactionVersion = 2, id = '<1>', epoch = 0 }) => ({
      producerId: id,
      producerEpoch: epoch,
      transactionResult: commit,
      topics: Object.entries(places).map(([name, partitionIndexes]) => ({ name, partitionIndexes })),
      coordinatorEpoch,
      transactionVersion,
    })),
  },
});

type Data = Partial<DataSpec> & { readonly topic?: string; readonly partition?: number };

/** Records into several partitions. */
export const writeEach = (
  batches: readonly (Data & Of)[],
  rest: Told & { readonly as?: string | null; readonly acks?: number } = {},
): Request => ({
  key: produce.key,
  ...told(rest, 12),
  request: {
    transactionalId: rest.as === undefined ? '#t' : rest.as,
    acks: rest.acks ?? -1,
    timeoutMs: 5_000,
    topicData: batches.map(({ topic = '#a', partition = 0, id = '<1>', epoch = 0, ...data }) => ({
      name: topic,
      topicId: `id of ${topic}`,
      partitionData: [
        {
          index: partition,
          records: {
            kind: 'data',
            values: ['v'],
            producerId: id,
            producerEpoch: epoch,
            baseSequence: 0,
            isTransactional: true,
            ...data,
          },
        },
      ],
    })),
  },
});

export const write = (
  batch: Data & Of = {},
  rest: Told & { readonly as?: string | null; readonly acks?: number } = {},
): Request => writeEach([batch], rest);

/** What a coordinator would write into its log. */
export const craft = (
  records: Readonly<Record<string, Values | null>>,
  { logVersion = 1 }: { readonly logVersion?: number } = {},
): Request => ({
  key: produce.key,
  version: 11,
  clientId: '__admin_client',
  request: {
    transactionalId: null,
    acks: -1,
    timeoutMs: 5_000,
    topicData: [
      {
        name: '__transaction_state',
        partitionData: [
          {
            index: 0,
            records: {
              kind: 'transaction log',
              version: logVersion,
              records: Object.entries(records).map(([transactionalId, value]) => ({ transactionalId, value })),
            },
          },
        ],
      },
    ],
  },
});

export const read = (
  {
    topic = '#a',
    partition = 0,
    from = 0,
    isolation = 1,
  }: { readonly topic?: string; readonly partition?: number; readonly from?: number; readonly isolation?: number } = {},
  rest: Told = {},
): Request => ({
  key: fetch.key,
  ...told(rest, 11),
  request: {
    replicaId: -1,
    maxWaitMs: 0,
    minBytes: 0,
    isolationLevel: isolation,
    sessionId: 0,
    sessionEpoch: -1,
    topics: [{ topic, topicId: `id of ${topic}`, partitions: [{ partition, fetchOffset: from, partitionMaxBytes: 1_000_000 }] }],
    forgottenTopicsData: [],
    rackId: '',
  },
});

export const describe = (transactionalIds: readonly string[], rest: Told = {}): Request => ({
  key: describeTransactions.key,
  ...told(rest, 0),
  request: { transactionalIds },
});

export const list = (filters: Values = {}, rest: Told = {}): Request => ({
  key: listTransactions.key,
  ...told(rest, 2),
  request: { stateFilters: [], producerIdFilters: [], durationFilter: -1, transactionalIdPattern: null, ...filters },
});

export const producers = (places: Places, rest: Told = {}): Request => ({
  key: describeProducers.key,
  ...told(rest, 0),
  request: { topics: Object.entries(places).map(([name, partitionIndexes]) => ({ name, partitionIndexes })) },
});

export const offsetsOf = (
  places: Places,
  { requireStable = true, group = '#g', ...rest }: Told & { readonly requireStable?: boolean; readonly group?: string } = {},
): Request => ({
  key: offsetFetch.key,
  ...told(rest, 8),
  request: {
    requireStable,
    groups: [{ groupId: group, topics: Object.entries(places).map(([name, partitionIndexes]) => ({ name, partitionIndexes })) }],
  },
});

/** Topics and the number of their partitions. */
export const create = (topics: Readonly<Record<string, number>>, configs: Readonly<Record<string, string>> = {}): Request => ({
  key: createTopics.key,
  version: 7,
  request: {
    timeoutMs: 30_000,
    validateOnly: false,
    topics: Object.entries(topics).map(([name, numPartitions]) => ({
      name,
      numPartitions,
      replicationFactor: 1,
      assignments: [],
      configs: Object.entries(configs).map(([config, value]) => ({ name: config, value })),
    })),
  },
});

export const remove = (topic: string, rest: Told = {}): Request => ({
  key: deleteTopics.key,
  ...told(rest, 5),
  request: { topicNames: [topic], timeoutMs: 30_000 },
});

export const feature = (level: number, upgradeType = 1): Request => ({
  key: updateFeatures.key,
  version: 1,
  request: {
    timeoutMs: 30_000,
    validateOnly: false,
    featureUpdates: [{ feature: 'transaction.version', maxVersionLevel: level, upgradeType }],
  },
});

/** Time passes, and nothing is asked. */
export const pass = (afterMs: number): Request => ({ ...describe([]), afterMs });
