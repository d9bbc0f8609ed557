import type { Environment } from '../base/environment.ts';
import type { Millis } from '../base/clock.ts';
import type { TransactionEnd, TransactionMarkers } from '../coordinator/transaction/transaction-markers.ts';
import type { MetadataImage } from '../metadata/metadata-image.ts';
import { type ErrorName, errorNameOf, KafkaError } from '../protocol/errors.ts';
import { writeTxnMarkers } from '../protocol/messages/27-write-txn-markers.ts';
import type { ResponseOf } from '../protocol/schema.ts';
import type { BrokerChannel } from './broker-channel.ts';

const VERSION = 2;
/** Between two tries for partitions whose leader does not answer, or is not known. */
const RETRY_MS: Millis = 100;

/** Partitions that have no marker yet, by topic. */
type Pending = Map<string, Set<number>>;

/** What a leader says when another try may help. */
const retried: ReadonlySet<ErrorName> = new Set([
  'UNKNOWN_TOPIC_OR_PARTITION',
  'NOT_LEADER_OR_FOLLOWER',
  'NOT_ENOUGH_REPLICAS',
  'NOT_ENOUGH_REPLICAS_AFTER_APPEND',
  'REQUEST_TIMED_OUT',
  'KAFKA_STORAGE_ERROR',
  'COORDINATOR_LOAD_IN_PROGRESS',
  'COORDINATOR_NOT_AVAILABLE',
  'NOT_COORDINATOR',
  'NETWORK_EXCEPTION',
  'UNKNOWN_SERVER_ERROR',
]);

/** What a leader says when the marker is not wanted there any more: a later one has come. */
const needless: ReadonlySet<ErrorName> = new Set(['UNSUPPORTED_FOR_MESSAGE_FORMAT']);

/** Writes the markers of transactions through the leaders of their partitions. Kafka: TransactionMarkerChannelManager. */
export class MarkerSender implements TransactionMarkers {
  readonly #environment: Environment;
  readonly #channel: BrokerChannel;
  readonly #metadata: () => MetadataImage;

  constructor(environment: Environment, options: { readonly channel: BrokerChannel; readonly metadata: () => MetadataImage }) {
    this.#environment = environment;
    this.#channel = options.channel;
    this.#metadata = options.metadata;
  }

  async write(end: TransactionEnd, isAborted: () => boolean): Promise<void> {
    const pending: Pending = new Map([...end.partitions].map(([topic, indexes]) => [topic, new Set(indexes)]));
    for (;;) {
      if (isAborted()) throw new KafkaError('NOT_COORDINATOR');
      await Promise.all([...this.#byLeader(pending)].map(([leader, topics]) => this.#writeTo(leader, topics, { end, pending })));
      if (pending.size === 0) return;
      await new Promise<void>((resolve) => void this.#environment.clock.schedule(RETRY_MS, resolve));
    }
  }

  /** The partitions that have a leader. Those that are gone need no marker. */
  #byLeader(pending: Pending): Map<number, Pending> {
    const { topics } = this.#metadata();
    const byLeader = new Map<number, Pending>();
    for (const [topic, indexes] of pending) {
      for (const index of indexes) {
        const partition = topics.byName.get(topic)?.partitions[index];
        if (partition === undefined) remove(pending, topic, index);
        else if (partition.leader >= 0) add(byLeader, { leader: partition.leader, topic, index });
      }
    }
    return byLeader;
  }

  async #writeTo(
    leader: number,
    partitions: Pending,
    { end, pending }: { readonly end: TransactionEnd; readonly pending: Pending },
  ): Promise<void> {
    const { producerId, producerEpoch, coordinatorEpoch, outcome, version: transactionVersion } = end;
    const topics = [...partitions].map(([name, indexes]) => ({ name, partitionIndexes: [...indexes] }));
    const marker = { producerId, producerEpoch, coordinatorEpoch, transactionVersion, topics };
    try {
      const request = { markers: [{ ...marker, transactionResult: outcome === 'commit' }] };
      const answer = await this.#channel.send(leader, writeTxnMarkers, request, VERSION);
      settle(answer, pending);
    } catch (error) {
      if (!(error instanceof KafkaError) || !retried.has(error.errorName)) throw error;
    }
  }
}

/** Takes those out that have their marker. Throws when there is no point in trying again. */
function settle(answer: ResponseOf<typeof writeTxnMarkers>, pending: Pending): void {
  for (const { topics } of answer.markers) {
    for (const { name, partitions } of topics) {
      for (const { partitionIndex, errorCode } of partitions) {
        const error = errorNameOf(errorCode);
        if (error === 'NONE' || needless.has(error)) remove(pending, name, partitionIndex);
        // Another coordinator or a newer producer has taken over, and deals with the partition.
        else if (!retried.has(error)) throw new KafkaError(error);
      }
    }
  }
}

function add(
  byLeader: Map<number, Pending>,
  place: { readonly leader: number; readonly topic: string; readonly index: number },
): void {
  const partitions = byLeader.get(place.leader) ?? new Map<string, Set<number>>();
  byLeader.set(place.leader, partitions);
  partitions.set(place.topic, (partitions.get(place.topic) ?? new Set()).add(place.index));
}

function remove(pending: Pending, topic: string, index: number): void {
  const indexes = pending.get(topic);
  if (indexes?.delete(index) === true && indexes.size === 0) pending.delete(topic);
}
