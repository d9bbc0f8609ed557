import type { Millis, Timer } from '../base/clock.ts';
import { errorNameOf, KafkaError } from '../protocol/errors.ts';
import { produce } from '../protocol/messages/00-produce.ts';
import { compress } from '../protocol/compression/index.ts';
import { Backoff } from './backoff.ts';
import { type Client, isRetriableFailure } from './client.ts';
import { ClientError } from './client-error.ts';
import type { Connection } from './connection.ts';
import { Connections } from './connections.ts';
import type { PartitionQueue } from './partition-queue.ts';
import { answersOf, type PartitionAnswer, type ProduceAnswer, produceRequest } from './produce-request.ts';
import type { ProducerBatch } from './producer-batch.ts';
import { IdempotentIdentity, type IdentitySource } from './producer-identity.ts';
import type { ProducerSettings } from './producer-options.ts';
import type { ProducerTransactions } from './transactions/producer-transactions.ts';

const ACKS_ALL = -1;
/** While something waits for a broker or for metadata, it is looked at again at least so often. */
const LOOK_AGAIN_MS = 1000;

/** What the sender tells the producer. */
export interface SenderListener {
  /** The batch is done with, whatever its fate. */
  done(batch: ProducerBatch, succeeded: boolean): void;
  /** The broker finds the batch too large: gives its records in smaller batches. */
  split(batch: ProducerBatch): readonly ProducerBatch[];
}

/**
 * Takes batches from the queues to the leaders of their partitions: at most so many requests under way to a broker, one batch of a
 * partition in each. Everything happens in `#drain`, which runs when something may have become sendable.
 */
export class ProducerSender {
  readonly #client: Client;
  /** Of its own, so that nothing else of the program stands in the way of records. */
  readonly #connections: Connections;
  readonly #settings: ProducerSettings;
  readonly #listener: SenderListener;
  readonly #identity: IdentitySource;
  readonly #transactions: ProducerTransactions | null;
  readonly #metadataBackoff: Backoff;
  /** Queues that are not empty, in the order in which they may send next. */
  readonly #active = new Map<PartitionQueue, true>();
  readonly #requests = new Map<number, number>();
  readonly #connecting = new Set<number>();
  #timer: Timer | null = null;
  #timerAt: Millis = Infinity;
  #drainSoon = false;
  #refreshing = false;
  #isClosed = false;
  /** Sends whatever there is without waiting for more. */
  flushing = 0;

  /** `transactions` is of a producer whose records all belong to transactions. */
  constructor(
    client: Client,
    settings: ProducerSettings,
    { listener, transactions }: { readonly listener: SenderListener; readonly transactions: ProducerTransactions | null },
  ) {
    this.#client = client;
    this.#connections = new Connections(client.environment, client.settings);
    this.#settings = settings;
    this.#listener = listener;
    this.#transactions = transactions;
    this.#identity = transactions ?? new IdempotentIdentity(client, settings.deliveryTimeoutMs);
    this.#metadataBackoff = new Backoff(
      client.environment.random,
      client.settings.retryBackoffMs,
      client.settings.retryBackoffMaxMs,
    );
  }

  /** Something was added to the queue. */
  activate(queue: PartitionQueue): void {
    this.#active.set(queue, true);
  }

  /** Looks at all queues at the end of this turn. */
  wake(): void {
    if (this.#drainSoon || this.#isClosed) return;
    this.#drainSoon = true;
    this.#client.environment.clock.defer(() => {
      this.#drainSoon = false;
      this.drain();
    });
  }

  /** Looks at all queues now. */
  drain(): void {
    if (this.#isClosed || this.#active.size === 0) return;
    const failure = this.#transactions?.failure ?? null;
    if (failure !== null) this.dropWaiting(failure);
    const now = this.#client.environment.clock.monotonic();
    const byNode = new Map<number, PartitionQueue[]>();
    let nextLook = Infinity;
    let leaderMissing = false;
    for (const queue of this.#active.keys()) {
      this.#expire(queue, now);
      const delay = this.#delayOf(queue, now);
      nextLook = Math.min(nextLook, delay);
      if (delay > 0) continue;
      const leader = this.#client.metadata.partition(queue.topic, queue.partition)?.leader ?? -1;
      if (this.#client.metadata.broker(leader) === null) leaderMissing = true;
      else if (this.#isReadyToSend(queue)) byNode.set(leader, [...(byNode.get(leader) ?? []), queue]);
    }
    for (const [node, queues] of byNode) this.#sendToNode(node, queues, now);
    if (leaderMissing) this.#refreshMetadata();
    else if (this.#client.metadata.isStale) this.#refreshMetadata();
    this.#lookAgain(nextLook === 0 || leaderMissing ? LOOK_AGAIN_MS : nextLook);
  }

  /** Gives up everything that is not under way: its transaction is aborted. */
  dropWaiting(error: Error): void {
    for (const queue of this.#active.keys()) for (const batch of queue.waiting.splice(0)) this.#abandon(queue, batch, error);
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    const error = new ClientError('closed', 'The producer was closed before the record was sent');
    for (const queue of this.#active.keys()) {
      for (const batch of queue.waiting.splice(0)) this.#fail(batch, error);
    }
    this.#connections.close();
  }

  #delayOf(queue: PartitionQueue, now: Millis): Millis {
    if (queue.isEmpty) {
      this.#active.delete(queue);
      return Infinity;
    }
    return queue.delay(now, this.flushing > 0 ? 0 : this.#settings.lingerMs);
  }

  /** Whether the queue has the identity it needs; asks for one otherwise. */
  #isReadyToSend(queue: PartitionQueue): boolean {
    if (!this.#settings.enableIdempotence) return true;
    if (this.#transactions !== null && !this.#transactions.mayWrite(queue)) return false;
    const { current } = this.#identity;
    const unusable = queue.isBroken && current === queue.identity;
    if (current === null || unusable) {
      this.#askForIdentity(queue);
      return false;
    }
    if (queue.identity !== current && queue.mayChangeIdentity) queue.changeIdentity(current);
    return queue.identity !== null;
  }

  #askForIdentity(queue: PartitionQueue): void {
    if (this.#identity.isAsking) return;
    this.#identity.renew(queue.isBroken ? queue.identity : null).then(
      () => this.wake(),
      (error: unknown) => this.#failWaiting(error instanceof Error ? error : new Error(String(error))),
    );
  }

  /** Without an identity nothing can be sent at all. */
  #failWaiting(error: Error): void {
    for (const queue of this.#active.keys()) {
      for (const batch of queue.waiting.splice(0)) this.#fail(batch, error);
    }
  }

  #sendToNode(node: number, queues: readonly PartitionQueue[], now: Millis): void {
    const broker = this.#client.metadata.broker(node);
    const connection = broker === null ? null : this.#connections.current(broker);
    if (connection === null) {
      this.#connect(node);
      return;
    }
    let candidates = queues;
    while (candidates.length > 0 && (this.#requests.get(node) ?? 0) < this.#settings.maxInFlight) {
      const batches = this.#collect(candidates);
      this.#send(connection, node, batches);
      candidates = candidates.filter((queue) => this.#delayOf(queue, now) === 0 && this.#isReadyToSend(queue));
    }
  }

  /** One batch of each queue, as many as go into one request. */
  #collect(queues: readonly PartitionQueue[]): ReadonlyMap<ProducerBatch, PartitionQueue> {
    const batches = new Map<ProducerBatch, PartitionQueue>();
    let bytes = 0;
    for (const queue of queues) {
      const head = queue.waiting[0];
      if (head === undefined) continue;
      const sealed = this.seal(head);
      if (batches.size > 0 && bytes + sealed.length > this.#settings.maxRequestSize) continue;
      bytes += sealed.length;
      batches.set(queue.takeHead(), queue);
      // The queue goes to the end, so that others have their turn.
      this.#active.delete(queue);
      this.#active.set(queue, true);
    }
    return batches;
  }

  /** The batch takes no more records from here on. */
  seal(batch: ProducerBatch): Buffer {
    const { compression, compressionLevel } = this.#settings;
    return batch.seal(compression, (records) => compress(compression, records, compressionLevel));
  }

  #send(connection: Connection, node: number, sent: ReadonlyMap<ProducerBatch, PartitionQueue>): void {
    const batches = [...sent.keys()];
    const acks = this.#settings.acks === 'all' ? ACKS_ALL : this.#settings.acks;
    const timeoutMs = this.#settings.requestTimeoutMs;
    const transactions = this.#transactions;
    const { input, maxVersion } = produceRequest(batches, this.#client.metadata, { acks, timeoutMs, transactions });
    if (acks === 0) {
      connection.requestWithoutAnswer(produce, input, { maxVersion });
      for (const [batch, queue] of sent) this.#succeed(queue, batch, { baseOffset: -1, logAppendTimeMs: -1 });
      return;
    }
    this.#requests.set(node, (this.#requests.get(node) ?? 0) + 1);
    connection
      .request(produce, input, { maxVersion, timeoutMs })
      .then(
        (answer) => this.#answered(answer, sent),
        (error: unknown) => this.#unanswered(error, sent),
      )
      .finally(() => {
        this.#requests.set(node, (this.#requests.get(node) ?? 1) - 1);
        this.drain();
      });
  }

  #answered(answer: ProduceAnswer, sent: ReadonlyMap<ProducerBatch, PartitionQueue>): void {
    const answers = answersOf(answer, [...sent.keys()], this.#client.metadata);
    const nodes = answer.nodeEndpoints.map(({ nodeId, host, port, rack }) => ({ id: nodeId, host, port, rack }));
    let refresh = false;
    for (const [batch, queue] of sent) {
      const result = answers.get(batch) ?? null;
      if (result === null)
        this.#retryOrFail(queue, batch, new ClientError('bad-answer', 'The broker did not answer for a partition'));
      else if (result.errorCode === 0) this.#succeed(queue, batch, result);
      else {
        const learned = this.#client.metadata.leaderChanged(batch.topic, batch.partition, result.currentLeader, nodes);
        refresh ||= !learned;
        this.#refused(queue, batch, result);
      }
    }
    if (refresh) this.#refreshMetadata();
  }

  #refused(queue: PartitionQueue, batch: ProducerBatch, result: PartitionAnswer): void {
    const name = errorNameOf(result.errorCode);
    const error = new KafkaError(name, result.errorMessage ?? undefined);
    if (name === 'DUPLICATE_SEQUENCE_NUMBER') {
      this.#succeed(queue, batch, { baseOffset: -1, logAppendTimeMs: -1 });
    } else if (name === 'OUT_OF_ORDER_SEQUENCE_NUMBER' || name === 'UNKNOWN_PRODUCER_ID') {
      // Batches after one that failed are refused for the gap before them; only the expected one shows that the broker lost count.
      const isLost = name === 'UNKNOWN_PRODUCER_ID' || queue.isExpected(batch);
      if (isLost) queue.isBroken = true;
      // A transaction has its identity to its end.
      this.#retryOrFail(queue, batch, error, !isLost || this.#transactions === null);
    } else if (name === 'MESSAGE_TOO_LARGE' && batch.count > 1) {
      this.#split(queue, batch);
    } else if (name === 'INVALID_RECORD') {
      this.#abandon(queue, batch, error, recordErrors(result, error));
    } else {
      this.#retryOrFail(queue, batch, error);
    }
  }

  #unanswered(error: unknown, sent: ReadonlyMap<ProducerBatch, PartitionQueue>): void {
    const failure = error instanceof Error ? error : new Error(String(error));
    for (const [batch, queue] of sent) this.#retryOrFail(queue, batch, failure);
    this.#refreshMetadata();
  }

  #retryOrFail(queue: PartitionQueue, batch: ProducerBatch, error: Error, retriable = isRetriableFailure(error)): void {
    const now = this.#client.environment.clock.monotonic();
    const { retries, deliveryTimeoutMs } = this.#settings;
    if (this.#isClosed || !retriable || batch.attempts > retries || now - batch.createdAt >= deliveryTimeoutMs) {
      this.#abandon(queue, batch, error);
      return;
    }
    const { retryBackoffMs, retryBackoffMaxMs } = this.#client.settings;
    batch.notBefore = now + Math.min(retryBackoffMs * 2 ** Math.min(batch.attempts - 1, 30), retryBackoffMaxMs);
    queue.returned(batch);
    this.activate(queue);
  }

  #split(queue: PartitionQueue, batch: ProducerBatch): void {
    queue.returned(batch, this.#listener.split(batch));
    this.activate(queue);
  }

  #succeed(
    queue: PartitionQueue,
    batch: ProducerBatch,
    { baseOffset, logAppendTimeMs }: { baseOffset: number; logAppendTimeMs: number },
  ): void {
    queue.acknowledged(batch);
    this.#metadataBackoff.reset();
    batch.delivered(baseOffset, logAppendTimeMs);
    this.#listener.done(batch, true);
  }

  #abandon(queue: PartitionQueue, batch: ProducerBatch, error: Error, errorOf?: (index: number) => Error): void {
    this.#transactions?.failed(error, batch.producer !== null);
    queue.abandoned(batch);
    this.#fail(batch, error, errorOf);
  }

  #fail(batch: ProducerBatch, error: Error, errorOf?: (index: number) => Error): void {
    batch.failed(error, errorOf);
    this.#listener.done(batch, false);
  }

  /** Gives up on batches that waited longer than the delivery may take. */
  #expire(queue: PartitionQueue, now: Millis): void {
    const { deliveryTimeoutMs } = this.#settings;
    for (let head = queue.waiting[0]; head !== undefined && now - head.createdAt >= deliveryTimeoutMs; head = queue.waiting[0]) {
      queue.waiting.shift();
      const text = `${head.count} record(s) for ${queue.topic}-${queue.partition} were not delivered within ${deliveryTimeoutMs} ms`;
      this.#abandon(queue, head, new ClientError('timeout', text));
    }
  }

  #connect(node: number): void {
    const broker = this.#client.metadata.broker(node);
    if (broker === null || this.#connecting.has(node)) return;
    this.#connecting.add(node);
    this.#connections
      .get(broker)
      .catch(() => this.#client.refreshQuietly())
      .finally(() => {
        this.#connecting.delete(node);
        this.wake();
      });
  }

  #refreshMetadata(): void {
    if (this.#refreshing) return;
    this.#refreshing = true;
    this.#client.environment.clock.schedule(this.#metadataBackoff.attempts === 0 ? 0 : this.#metadataBackoff.next(), () => {
      this.#client
        .refreshQuietly()
        .finally(() => {
          this.#refreshing = false;
          this.#metadataBackoff.next();
          this.wake();
        })
        .catch(() => undefined);
    });
  }

  #lookAgain(delay: Millis): void {
    const { clock } = this.#client.environment;
    const at = clock.monotonic() + Math.min(delay, LOOK_AGAIN_MS);
    if (this.#timer !== null && this.#timerAt <= at && this.#timerAt > clock.monotonic()) return;
    this.#timer?.cancel();
    this.#timerAt = at;
    this.#timer = clock.schedule(Math.max(0, at - clock.monotonic()), () => {
      this.#timer = null;
      this.#timerAt = Infinity;
      this.drain();
    });
  }
}

/** The broker names the records it does not like; the others of the batch were not written either. */
function recordErrors(result: PartitionAnswer, error: KafkaError): (index: number) => Error {
  const texts = new Map(result.recordErrors.map((entry) => [entry.batchIndex, entry.batchIndexErrorMessage]));
  if (texts.size === 0) return () => error;
  const others = new KafkaError('INVALID_RECORD', 'Another record of the same batch was refused; this one was not written');
  return (index) => (texts.has(index) ? new KafkaError('INVALID_RECORD', texts.get(index) ?? error.message) : others);
}
