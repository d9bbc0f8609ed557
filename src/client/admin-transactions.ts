import { errorNameOf, KafkaError } from '../protocol/errors.ts';
import { initProducerId } from '../protocol/messages/22-init-producer-id.ts';
import { writeTxnMarkers } from '../protocol/messages/27-write-txn-markers.ts';
import { describeProducers as describeProducersApi } from '../protocol/messages/61-describe-producers.ts';
import { describeTransactions as describeTransactionsApi } from '../protocol/messages/65-describe-transactions.ts';
import { listTransactions as listTransactionsApi } from '../protocol/messages/66-list-transactions.ts';
import type { ResponseOf } from '../protocol/schema.ts';
import { throwIfError } from './admin-topics.ts';
import type { Client } from './client.ts';
import { ClientError } from './client-error.ts';
import { askCoordinators, COORDINATOR_KINDS } from './groups/coordinators.ts';
import { GroupCoordinator } from './groups/group-coordinator.ts';
import { keyOf, partitionsByTopic, type TopicPartition } from './topic-partition.ts';

export interface TransactionListing {
  readonly transactionalId: string;
  /** The id of the broker that coordinates it. */
  readonly coordinator: number;
  readonly producerId: number;
  /** Such as Ongoing. */
  readonly state: string;
}

export interface TransactionFilter {
  readonly producerIds?: readonly number[];
  /** Only transactions that run for longer; of those that do not run, too, if negative. */
  readonly durationMs?: number;
  /** A regular expression over whole transactional ids. */
  readonly idPattern?: string;
}

/** From this version on ListTransactions filters by duration (KIP-994), from the other by pattern (KIP-1152). */
const DURATION_VERSION = 1;
const PATTERN_VERSION = 2;

/** The transactional ids that any broker coordinates, in order of coordinator and id. */
export async function listTransactions(client: Client, filter: TransactionFilter = {}): Promise<TransactionListing[]> {
  const { producerIds = [], durationMs = -1, idPattern = null } = filter;
  const needed = idPattern !== null ? PATTERN_VERSION : durationMs >= 0 ? DURATION_VERSION : 0;
  const input = {
    stateFilters: [],
    producerIdFilters: producerIds,
    durationFilter: durationMs,
    transactionalIdPattern: idPattern,
  };
  const lists = client.metadata.brokers.map(({ id: coordinator }) =>
    client.retrying(async () => {
      const connection = await client.connectionTo(coordinator);
      if (connection.versionOf(listTransactionsApi) < needed)
        throw new ClientError('unsupported', `Broker ${coordinator} is too old to filter transactions this way`);
      const answer = await connection.request(listTransactionsApi, input);
      throwIfError(answer.errorCode, null);
      return answer.transactionStates
        .map(({ transactionalId, producerId, transactionState: state }) => ({ transactionalId, coordinator, producerId, state }))
        .sort((a, b) => (a.transactionalId < b.transactionalId ? -1 : 1));
    }),
  );
  return (await Promise.all(lists)).flat();
}

export interface TransactionDescription extends TransactionListing {
  readonly producerEpoch: number;
  readonly timeoutMs: number;
  /** Null while no transaction is open. */
  readonly startedAt: number | null;
  /** Partitions that take part and have no marker yet. */
  readonly partitions: readonly TopicPartition[];
}

/** Transactional ids by name, each with what its coordinator knows or with why that cannot be told. */
export async function describeTransactions(
  client: Client,
  transactionalIds: readonly string[],
): Promise<Map<string, TransactionDescription | KafkaError>> {
  return await askCoordinators<TransactionDescription>(
    client,
    transactionalIds,
    async (connection, ids, { id: coordinator }) => {
      const answer = await connection.request(describeTransactionsApi, { transactionalIds: ids });
      return new Map(
        answer.transactionStates.map((told) => [
          told.transactionalId,
          told.errorCode === 0 ? descriptionOf(told, coordinator) : new KafkaError(errorNameOf(told.errorCode)),
        ]),
      );
    },
    COORDINATOR_KINDS.transaction,
  );
}

type TransactionAnswer = ResponseOf<typeof describeTransactionsApi>['transactionStates'][number];

const descriptionOf = (told: TransactionAnswer, coordinator: number): TransactionDescription => ({
  transactionalId: told.transactionalId,
  coordinator,
  producerId: told.producerId,
  producerEpoch: told.producerEpoch,
  state: told.transactionState,
  timeoutMs: told.transactionTimeoutMs,
  startedAt: told.transactionStartTimeMs < 0 ? null : told.transactionStartTimeMs,
  partitions: told.topics.flatMap(({ topic, partitions }) => partitions.map((partition) => ({ topic, partition }))),
});

/** Somebody who has written to a partition lately, idempotently or in a transaction. */
export interface ActiveProducer {
  readonly producerId: number;
  readonly producerEpoch: number;
  /** −1 before the first marker. */
  readonly coordinatorEpoch: number;
  readonly lastSequence: number;
  readonly lastTimestamp: number;
  /** Where its open transaction begins; null if it has none. */
  readonly startOffset: number | null;
}

/**
 * Producers by key of the partition, as the leaders tell them, or as one broker does. The topics must be known to the client's metadata. A partition
 * that cannot be told has the reason.
 */
export async function describeProducers(
  client: Client,
  places: readonly TopicPartition[],
  options: { readonly broker?: number | undefined } = {},
): Promise<Map<string, readonly ActiveProducer[] | KafkaError>> {
  const results = new Map<string, readonly ActiveProducer[] | KafkaError>();
  let open = places;
  const round = async (): Promise<void> => {
    const byBroker = Map.groupBy(open, (place) => options.broker ?? leaderOf(client, place));
    for (const [broker, ofBroker] of byBroker)
      for (const [key, result] of await producersAt(client, broker, ofBroker)) results.set(key, result);
    open = open.filter((place) => isPassing(results.get(keyOf(place))));
    const failure = open.map((place) => results.get(keyOf(place))).find((result) => result instanceof KafkaError);
    if (failure !== undefined) throw failure;
  };
  await client.retrying(round).catch((error: unknown) => {
    // What was not settled keeps its own error in the result.
    if (!(error instanceof KafkaError) || open.some((place) => !results.has(keyOf(place)))) throw error;
  });
  return results;
}

const NO_BROKER = -1;

const leaderOf = (client: Client, { topic, partition }: TopicPartition): number =>
  client.metadata.partition(topic, partition)?.leader ?? NO_BROKER;

/** A partition that does not exist is told at once. */
const isPassing = (result: unknown): boolean =>
  result instanceof KafkaError && result.retriable && result.errorName !== 'UNKNOWN_TOPIC_OR_PARTITION';

async function producersAt(
  client: Client,
  broker: number,
  places: readonly TopicPartition[],
): Promise<Map<string, readonly ActiveProducer[] | KafkaError>> {
  if (broker === NO_BROKER) return new Map(places.map((place) => [keyOf(place), withoutLeader(client, place)]));
  const topics = [...partitionsByTopic(places)].map(([name, partitionIndexes]) => ({ name, partitionIndexes }));
  const answer = await client.sendTo(broker, describeProducersApi, { topics });
  return new Map(
    answer.topics.flatMap(({ name: topic, partitions }) =>
      partitions.map(({ partitionIndex: partition, errorCode, errorMessage, activeProducers }) => {
        const result =
          errorCode === 0
            ? activeProducers.map(({ currentTxnStartOffset, ...producer }) => ({
                ...producer,
                startOffset: currentTxnStartOffset < 0 ? null : currentTxnStartOffset,
              }))
            : new KafkaError(errorNameOf(errorCode), ...(errorMessage === null ? [] : [errorMessage]));
        return [keyOf({ topic, partition }), result] as const;
      }),
    ),
  );
}

const withoutLeader = (client: Client, { topic, partition }: TopicPartition): KafkaError =>
  new KafkaError(client.metadata.partition(topic, partition) === null ? 'UNKNOWN_TOPIC_OR_PARTITION' : 'LEADER_NOT_AVAILABLE');

/** Of one partition a transaction that its coordinator does not know of any more. */
export interface HangingTransaction extends TopicPartition {
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly coordinatorEpoch: number;
}

/** Ends a transaction in one partition by a marker, past its coordinator. */
export async function abortHangingTransaction(client: Client, transaction: HangingTransaction): Promise<void> {
  const { topic, partition, producerId, producerEpoch, coordinatorEpoch } = transaction;
  const topics = [{ name: topic, partitionIndexes: [partition] }];
  await client.retrying(
    async () => {
      const broker = leaderOf(client, transaction);
      if (broker === NO_BROKER) throw withoutLeader(client, transaction);
      const answer = await client.sendTo(broker, writeTxnMarkers, {
        markers: [{ producerId, producerEpoch, transactionResult: false, topics, coordinatorEpoch }],
      });
      const result = answer.markers[0]?.topics[0]?.partitions[0];
      if (result === undefined) throw new ClientError('bad-answer', 'The broker did not answer for the partition');
      throwIfError(result.errorCode, null);
    },
    { mayRetry: (error) => isPassing(error) || (error instanceof ClientError && error.retriable) },
  );
}

/** What Kafka's admin client asks for on behalf of the producer that is fenced. */
const FENCING_TIMEOUT_MS = 30_000;

/** Takes the transactional id over from whoever has it, whose open transaction is aborted. */
export async function fenceProducers(client: Client, transactionalId: string): Promise<void> {
  const coordinator = new GroupCoordinator(client, transactionalId, COORDINATOR_KINDS.transaction);
  try {
    await coordinator.retrying(async () => {
      const answer = await coordinator.request(initProducerId, { transactionalId, transactionTimeoutMs: FENCING_TIMEOUT_MS });
      throwIfError(answer.errorCode, null);
    });
  } finally {
    coordinator.close();
  }
}
