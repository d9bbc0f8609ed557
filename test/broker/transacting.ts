import { ZERO_UUID } from '../../src/base/uuid.ts';
import { isFileRegion } from '../../src/base/disk.ts';
import { newTransaction } from '../../src/coordinator/transaction/transaction-metadata.ts';
import { transactionRecord } from '../../src/coordinator/transaction/transaction-record.ts';
import { metadataRecord } from '../../src/metadata/metadata-record.ts';
import { errorNameOf } from '../../src/protocol/errors.ts';
import { produce } from '../../src/protocol/messages/00-produce.ts';
import { fetch } from '../../src/protocol/messages/01-fetch.ts';
import { initProducerId } from '../../src/protocol/messages/22-init-producer-id.ts';
import { addPartitionsToTxn } from '../../src/protocol/messages/24-add-partitions-to-txn.ts';
import { endTxn } from '../../src/protocol/messages/26-end-txn.ts';
import { describeTransactions } from '../../src/protocol/messages/65-describe-transactions.ts';
import { batchesOf } from '../../src/protocol/records/batches.ts';
import { buildBatch } from '../../src/protocol/records/record-batch-builder.ts';
import { recordsOf } from '../../src/protocol/records/record-iterator.ts';
import type { Api, RequestInput, ResponseOf } from '../../src/protocol/schema.ts';
import { SIMULATED_EPOCH_MS } from '../../simulation/simulated-clock.ts';
import { TestBroker, type TestBrokerOptions } from './test-broker.ts';

/** Far from what the broker gives out. */
export const KNOWN_PRODUCER_ID = 5_000;

/** Old clients add partitions by hand and keep their epoch; new ones do neither (KIP-890). */
export type Speech = 'old' | 'new';

const versions = {
  old: { produce: 11, endTxn: 4 },
  new: { produce: 12, endTxn: 5 },
} as const;

/** A broker that coordinates transactions, and has two topics. */
export async function startTransactingBroker(options: TestBrokerOptions = {}): Promise<TestBroker> {
  const broker = await TestBroker.start(options);
  broker.apply(metadataRecord('FeatureLevelRecord', 0, { name: 'transaction.version', featureLevel: 2 }));
  broker.createTopic('__transaction_state', { partitions: 2 });
  broker.createTopic('__consumer_offsets', { partitions: 2 });
  broker.createTopic('a', { partitions: 2 });
  broker.createTopic('b');
  await broker.settle();
  return broker;
}

/** Has what is asked answered, however many turns that takes. */
export async function ask<A extends Api>(
  broker: TestBroker,
  api: A,
  version: number,
  input: RequestInput<A>,
): Promise<ResponseOf<A>> {
  const answer = broker.call(api, version, input);
  await broker.settle();
  return answer;
}

/** A transactional producer that says what it is told to say, in order or not. Gives the names of errors. */
export class Transactor {
  readonly transactionalId: string;
  producerId = -1;
  producerEpoch = -1;
  readonly #broker: TestBroker;
  readonly #speech: Speech;
  readonly #sequences = new Map<string, number>();

  constructor(broker: TestBroker, transactionalId: string, speech: Speech) {
    this.#broker = broker;
    this.transactionalId = transactionalId;
    this.#speech = speech;
  }

  async init(options: { readonly timeoutMs?: number; readonly keepsEpoch?: boolean } = {}): Promise<string> {
    const { errorCode, producerId, producerEpoch } = await ask(this.#broker, initProducerId, 5, {
      transactionalId: this.transactionalId,
      transactionTimeoutMs: options.timeoutMs ?? 60_000,
      ...(options.keepsEpoch === true ? { producerId: this.producerId, producerEpoch: this.producerEpoch } : {}),
    });
    if (errorCode === 0) this.#setProducer(producerId, producerEpoch);
    return errorNameOf(errorCode);
  }

  /** Appends one record; old clients add the partition first. */
  async write(topic: string, partition: number, value: string): Promise<string> {
    if (this.#speech === 'old') {
      const error = await this.add(topic, partition);
      if (error !== 'NONE') return error;
    }
    return this.append(topic, partition, value);
  }

  async add(topic: string, partition: number): Promise<string> {
    const { resultsByTopicV3AndBelow: results } = await ask(this.#broker, addPartitionsToTxn, 3, {
      v3AndBelowTransactionalId: this.transactionalId,
      v3AndBelowProducerId: this.producerId,
      v3AndBelowProducerEpoch: this.producerEpoch,
      v3AndBelowTopics: [{ name: topic, partitions: [partition] }],
      transactions: [],
    });
    return errorNameOf(results[0]?.resultsByPartition[0]?.partitionErrorCode ?? -1);
  }

  async append(topic: string, partition: number, value: string): Promise<string> {
    const place = `${topic}-${partition}`;
    const baseSequence = this.#sequences.get(place) ?? 0;
    const records = buildBatch({
      records: [{ timestamp: SIMULATED_EPOCH_MS, key: null, value: Buffer.from(value), headers: [] }],
      producerId: this.producerId,
      producerEpoch: this.producerEpoch,
      baseSequence,
      isTransactional: true,
    });
    const { responses } = await ask(this.#broker, produce, versions[this.#speech].produce, {
      transactionalId: this.transactionalId,
      acks: -1,
      timeoutMs: 1_000,
      topicData: [{ name: topic, topicId: ZERO_UUID, partitionData: [{ index: partition, records }] }],
    });
    const error = errorNameOf(responses[0]?.partitionResponses[0]?.errorCode ?? -1);
    if (error === 'NONE') this.#sequences.set(place, baseSequence + 1);
    return error;
  }

  async end(outcome: 'commit' | 'abort'): Promise<string> {
    const { errorCode, producerId, producerEpoch } = await ask(this.#broker, endTxn, versions[this.#speech].endTxn, {
      transactionalId: this.transactionalId,
      producerId: this.producerId,
      producerEpoch: this.producerEpoch,
      committed: outcome === 'commit',
    });
    if (errorCode === 0 && this.#speech === 'new') this.#setProducer(producerId, producerEpoch);
    return errorNameOf(errorCode);
  }

  async state(): Promise<string> {
    const { transactionStates } = await ask(this.#broker, describeTransactions, 0, { transactionalIds: [this.transactionalId] });
    return transactionStates[0]?.transactionState ?? '';
  }

  #setProducer(producerId: number, producerEpoch: number): void {
    if (producerId !== this.producerId || producerEpoch !== this.producerEpoch) this.#sequences.clear();
    this.producerId = producerId;
    this.producerEpoch = producerEpoch;
  }
}

/** The values that a reader of committed records gets, or of all. */
export async function valuesIn(
  broker: TestBroker,
  topic: string,
  partition: number,
  isolation: 'committed' | 'all' = 'committed',
): Promise<string[]> {
  const { responses } = await ask(broker, fetch, 12, {
    replicaState: { replicaId: -1, replicaEpoch: -1 },
    maxWaitMs: 0,
    minBytes: 0,
    isolationLevel: isolation === 'committed' ? 1 : 0,
    topics: [{ topic, topicId: ZERO_UUID, partitions: [{ partition, fetchOffset: 0, partitionMaxBytes: 1_000_000 }] }],
    forgottenTopicsData: [],
    rackId: '',
  });
  const read = responses[0]?.partitions[0];
  if (read === undefined || read.records === null) return [];
  const bytes = Buffer.isBuffer(read.records)
    ? read.records
    : Buffer.concat([read.records].flat().map((part) => (isFileRegion(part) ? Buffer.alloc(0) : part)));
  const values: string[] = [];
  const aborted = new Map<number, number[]>();
  for (const { producerId, firstOffset } of read.abortedTransactions ?? [])
    aborted.set(producerId, [...(aborted.get(producerId) ?? []), firstOffset]);
  const open = new Set<number>();
  for (const batch of batchesOf(bytes)) {
    const starts = aborted.get(batch.producerId);
    if (starts?.[0] !== undefined && starts[0] <= batch.baseOffset) {
      starts.shift();
      open.add(batch.producerId);
    }
    if (batch.isControl) open.delete(batch.producerId);
    else if (!open.has(batch.producerId))
      for (const { value } of recordsOf(batch)) values.push(Buffer.from(value ?? []).toString());
  }
  return values;
}

/** The transactional id is known, with a producer of this epoch that has nothing under way. */
export async function knowProducer(
  broker: TestBroker,
  transactionalId: string,
  producerEpoch: number,
  producerId = KNOWN_PRODUCER_ID,
): Promise<void> {
  const { transactions } = broker.coordinators;
  const known = { ...newTransaction(transactionalId, producerId, 60_000, SIMULATED_EPOCH_MS), producerEpoch };
  const written = transactions.runtime.write(transactions.partitionOf(transactionalId), () => ({
    records: [transactionRecord(known, transactions.transactionVersion)],
    response: undefined,
  }));
  await broker.settle();
  await written;
}
