import { partitionOfKey } from '../base/bytes/murmur2.ts';
import { BatchEncoder } from './batch-encoder.ts';
import { BufferPool } from './buffer-pool.ts';
import type { Client } from './client.ts';
import { ClientError } from './client-error.ts';
import type { TopicFacts } from './cluster-metadata.ts';
import { PartitionQueue } from './partition-queue.ts';
import { type PartitionLoad, StickyPartitioner } from './partitioner.ts';
import { ProducerBatch } from './producer-batch.ts';
import { type ProducerOptions, type ProducerSettings, producerSettings } from './producer-options.ts';
import type { Data, Delivery, DeliveryCallback, ProducerRecord } from './producer-record.ts';
import { ProducerSender } from './producer-sender.ts';
import type { OffsetToCommit } from './groups/group-offsets.ts';
import { ProducerTransactions, type TransactionalGroup } from './transactions/producer-transactions.ts';

/** What the producer keeps for a topic that it sends to. */
interface TopicQueues {
  readonly queues: PartitionQueue[];
  readonly sticky: StickyPartitioner;
}

/**
 * Sends records to their partitions' leaders in batches. Idempotent unless told otherwise: records of a partition arrive once and in order.
 *
 * `send` gives a promise a record. `enqueue` is the fast way: no promise, a callback if one is wanted, and `false` once the memory
 * is spent, after which the caller awaits `room()` before it goes on.
 */
export class Producer {
  readonly #client: Client;
  readonly #settings: ProducerSettings;
  readonly #pool: BufferPool;
  readonly #sender: ProducerSender;
  readonly #transactions: ProducerTransactions | null;
  readonly #topics = new Map<string, TopicQueues>();
  /** Batches that are not done, with those who wait for them. */
  readonly #incomplete = new Map<ProducerBatch, (() => void)[]>();
  /** The last of the records that were sent and wait for their topic to be known, or for memory. */
  #entering: Promise<void> | null = null;
  #order = 0;
  #isClosed = false;

  constructor(client: Client, options: ProducerOptions = {}) {
    this.#client = client;
    this.#settings = producerSettings(options);
    this.#pool = new BufferPool(this.#settings.bufferMemory, this.#settings.batchSize);
    this.#transactions = transactionsOf(client, this.#settings, () => this.#sender.wake());
    const listener = {
      done: (batch: ProducerBatch, succeeded: boolean) => this.#done(batch, succeeded),
      split: (batch: ProducerBatch) => this.#split(batch),
    };
    this.#sender = new ProducerSender(client, this.#settings, { listener, transactions: this.#transactions });
    client.metadata.allowAutoCreation = true;
  }

  get bufferedBytes(): number {
    return this.#pool.used;
  }

  /** Begins a session of the transactional id: whoever had it before is fenced. To be done once, before the first transaction. */
  async initTransactions(): Promise<void> {
    await this.#transactional.init();
  }

  beginTransaction(): void {
    this.#transactional.begin();
  }

  /** Has the offsets committed together with the transaction. */
  async sendOffsetsToTransaction(offsets: readonly OffsetToCommit[], group: TransactionalGroup): Promise<void> {
    await this.#transactional.sendOffsets(offsets, group);
  }

  /** Sends what is left, then commits. Throws what keeps the transaction from being committed; it has to be aborted then. */
  async commitTransaction(): Promise<void> {
    if (this.#transactional.isOpen) await this.flush();
    await this.#transactional.commit();
  }

  /** Records that are not sent yet are given up. Throws if another producer has taken over the id. */
  async abortTransaction(): Promise<void> {
    await this.#entering;
    this.#sender.dropWaiting(new ClientError('aborted', 'The transaction of the record was aborted'));
    await this.flush();
    await this.#transactional.abort();
  }

  /** Learns about a topic, after which `enqueue` takes records for it. */
  async prepare(topic: string): Promise<TopicFacts> {
    return await this.#client.loadTopic(topic, { timeoutMs: this.#settings.maxBlockMs });
  }

  /** Resolves when the broker has the record (with acks=0: when it was sent). */
  send(record: ProducerRecord): Promise<Delivery> {
    return new Promise((resolve, reject) => {
      const enqueue = (): void => {
        this.enqueue(record, (error, delivery) => {
          if (delivery === null) reject(error ?? new ClientError('invalid', 'The record was not sent'));
          else resolve(delivery);
        });
      };
      if (this.#entering === null && this.#client.metadata.topic(record.topic) !== null && this.#pool.hasRoom) {
        enqueue();
        return;
      }
      // Whatever was sent before enters before, however long its topic takes to be known.
      const entering: Promise<void> = Promise.allSettled([this.#ready(record), this.#entering])
        .then(([ready]) => {
          if (this.#entering === entering) this.#entering = null;
          if (ready.status === 'fulfilled') enqueue();
          else reject(ready.reason);
        })
        .catch(reject);
      this.#entering = entering;
    });
  }

  /**
   * Adds a record to its batch. The topic must be prepared. Gives false if the memory is spent now: the record was taken, but the caller
   * should await `room()`. Throws ClientError for what can never be sent.
   */
  enqueue(record: ProducerRecord, callback?: DeliveryCallback): boolean {
    if (this.#isClosed) throw new ClientError('closed', 'The producer is closed');
    if (this.#transactions?.isOpen === false) throw notInTransaction(this.#transactions);
    const facts = this.#client.metadata.topic(record.topic);
    if (facts === null) throw new ClientError('invalid', `Topic "${record.topic}" was not prepared`);
    const topic = this.#topicQueues(facts);
    const keyed = typeof record.key === 'string' ? { ...record, key: Buffer.from(record.key) } : record;
    const chosen = this.#chosenPartition(keyed, facts);
    const timestamp = record.timestamp ?? this.#client.environment.clock.now();
    let queue = topic.queues[chosen ?? this.#stickyPartition(topic)];
    if (queue === undefined) throw new ClientError('invalid', `Topic "${record.topic}" has no partition ${chosen}`);
    let size = queue.open?.append(keyed, timestamp, callback) ?? 0;
    if (size === 0) {
      this.#sealOpen(queue);
      if (chosen === null && topic.sticky.batchIsFull(BatchEncoder.sizeUpperBound(record))) {
        queue = topic.queues[this.#stickyPartition(topic)] ?? queue;
        size = queue.open?.append(keyed, timestamp, callback) ?? 0;
      }
      if (size === 0) size = this.#appendToNewBatch(queue, keyed, timestamp, callback);
    }
    if (chosen === null) topic.sticky.appended(size);
    return this.#pool.hasRoom;
  }

  /** Resolves when there is memory for more records. */
  async room(): Promise<void> {
    await this.#pool.room();
  }

  /** Sends what is there without waiting for fuller batches, and resolves when every record enqueued before has its fate. */
  async flush(): Promise<void> {
    await this.#entering;
    this.#sender.flushing++;
    const waits = [...this.#incomplete.values()].map((waiters) => new Promise<void>((resolve) => waiters.push(resolve)));
    for (const { queues } of this.#topics.values()) for (const queue of queues) this.#sealOpen(queue);
    this.#sender.drain();
    await Promise.all(waits);
    this.#sender.flushing--;
  }

  /** Flushes; then takes no more. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    await this.flush();
    this.#isClosed = true;
    this.#sender.close();
    this.#transactions?.close();
  }

  /** Drops what was not sent. */
  abort(): void {
    this.#isClosed = true;
    this.#sender.close();
  }

  get #transactional(): ProducerTransactions {
    if (this.#transactions === null) throw new ClientError('invalid', 'The producer has no transactional id');
    return this.#transactions;
  }

  async #ready({ topic }: ProducerRecord): Promise<void> {
    if (this.#client.metadata.topic(topic) === null) await this.prepare(topic);
    if (!this.#pool.hasRoom) await this.#roomInTime();
  }

  #topicQueues(facts: TopicFacts): TopicQueues {
    let topic = this.#topics.get(facts.name);
    if (topic === undefined) {
      topic = { queues: [], sticky: new StickyPartitioner(this.#client.environment.random, this.#settings.batchSize) };
      this.#topics.set(facts.name, topic);
    }
    for (let partition = topic.queues.length; partition < facts.partitions.length; partition++) {
      topic.queues.push(new PartitionQueue(facts.name, partition));
    }
    return topic;
  }

  /** Null: the producer may choose. */
  #chosenPartition(record: ProducerRecord, facts: TopicFacts): number | null {
    if (record.partition !== undefined && record.partition !== null) return record.partition;
    if (record.key === undefined || record.key === null) return null;
    return partitionOfKey(keyBytes(record.key), facts.partitions.length);
  }

  #stickyPartition(topic: TopicQueues): number {
    return topic.sticky.partition(topic.queues.length, () =>
      topic.queues.map(({ topic: name, partition, waiting }): PartitionLoad => {
        const leader = this.#client.metadata.partition(name, partition)?.leader ?? -1;
        return { partition, queuedBatches: waiting.length, hasLeader: leader >= 0 };
      }),
    );
  }

  /** Takes no more records into the queue's last batch. */
  #sealOpen(queue: PartitionQueue): void {
    const { open } = queue;
    if (open === null) return;
    this.#sender.seal(open);
    this.#sender.drain();
  }

  #appendToNewBatch(
    queue: PartitionQueue,
    record: ProducerRecord,
    timestamp: number,
    callback: DeliveryCallback | undefined,
  ): number {
    const wanted = BatchEncoder.sizeUpperBound(record);
    if (wanted > this.#settings.maxRequestSize) {
      const limit = this.#settings.maxRequestSize;
      throw new ClientError('invalid', `The record takes ${wanted} bytes, more than a request may have (${limit})`);
    }
    const buffer = this.#pool.take(wanted);
    const { clock } = this.#client.environment;
    const place = { topic: queue.topic, partition: queue.partition, createdAt: clock.monotonic(), order: this.#order++ };
    const batch = new ProducerBatch(place, buffer);
    const size = batch.append(record, timestamp, callback);
    queue.waiting.push(batch);
    this.#incomplete.set(batch, []);
    this.#sender.activate(queue);
    this.#sender.wake();
    return size;
  }

  #done(batch: ProducerBatch, succeeded: boolean): void {
    this.#pool.give(batch.encoder.buffer, succeeded);
    const waiters = this.#incomplete.get(batch) ?? [];
    this.#incomplete.delete(batch);
    for (const wake of waiters) wake();
  }

  #split(batch: ProducerBatch): readonly ProducerBatch[] {
    const waiters = this.#incomplete.get(batch) ?? [];
    const halves = batch.split((size) => this.#pool.take(size));
    let left = halves.length;
    const halfDone = (): void => {
      if (--left === 0) for (const wake of waiters) wake();
    };
    for (const half of halves) this.#incomplete.set(half, [halfDone]);
    this.#incomplete.delete(batch);
    this.#pool.give(batch.encoder.buffer, true);
    return halves;
  }

  async #roomInTime(): Promise<void> {
    const { clock } = this.#client.environment;
    const { maxBlockMs } = this.#settings;
    let expire: (error: Error) => void = () => undefined;
    const expired = new Promise<never>((_, reject) => {
      expire = reject;
    });
    const timer = clock.schedule(maxBlockMs, () =>
      expire(new ClientError('buffer-full', `No memory for a record within ${maxBlockMs} ms`)),
    );
    await Promise.race([this.#pool.room(), expired]).finally(() => timer.cancel());
  }
}

const transactionsOf = (client: Client, settings: ProducerSettings, wake: () => void): ProducerTransactions | null => {
  const { transactionalId, transactionTimeoutMs, maxBlockMs } = settings;
  if (transactionalId === null) return null;
  return new ProducerTransactions(client, { transactionalId, transactionTimeoutMs, maxBlockMs, wake });
};

const notInTransaction = ({ failure }: ProducerTransactions): Error =>
  failure ?? new ClientError('invalid', 'The producer is not in a transaction');

const keyBytes = (key: Data): Uint8Array => (typeof key === 'string' ? Buffer.from(key) : key);
