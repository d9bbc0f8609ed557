import { errorNameOf, type ErrorName } from '../../../src/protocol/errors.ts';
import { produce } from '../../../src/protocol/messages/00-produce.ts';
import { initProducerId } from '../../../src/protocol/messages/22-init-producer-id.ts';
import { addPartitionsToTxn } from '../../../src/protocol/messages/24-add-partitions-to-txn.ts';
import { endTxn } from '../../../src/protocol/messages/26-end-txn.ts';
import { buildBatch } from '../../../src/protocol/records/record-batch-builder.ts';
import type { Api, RequestInput, ResponseOf } from '../../../src/protocol/schema.ts';
import { ZERO_UUID } from '../../../src/base/uuid.ts';
import type { SimulatedRandom } from '../../../simulation/simulated-random.ts';
import { SIMULATED_EPOCH_MS } from '../../../simulation/simulated-clock.ts';
import type { TestBroker } from '../../broker/test-broker.ts';
import type { Speech } from '../../broker/transacting.ts';
import { type ChaoticTransport, NoAnswer } from './chaotic-transport.ts';

/** One transaction as its producer knows it. */
export interface Attempt {
  readonly values: { readonly topic: string; readonly partition: number; readonly value: string }[];
  /** What the producer was told of its end; `unknown` until then, and for good if it never was. */
  fate: 'unknown' | 'committed' | 'aborted';
}

export interface ChaoticClientOptions {
  readonly broker: TestBroker;
  readonly transport: ChaoticTransport;
  readonly random: SimulatedRandom;
  readonly transactionalId: string;
  readonly speech: Speech;
  /** So that the values of clients differ. */
  readonly name: string;
  readonly attempts: Attempt[];
}

/** It cannot go on as it is: it is fenced, or does not know where it stands. */
class SessionOver extends Error {}

const PARTITIONS = [
  ['a', 0],
  ['a', 1],
  ['b', 0],
] as const;

/** Errors after which the same request is sent again. */
const retried: ReadonlySet<ErrorName> = new Set([
  'CONCURRENT_TRANSACTIONS',
  'COORDINATOR_NOT_AVAILABLE',
  'COORDINATOR_LOAD_IN_PROGRESS',
  'NOT_COORDINATOR',
  'NOT_ENOUGH_REPLICAS',
  'NETWORK_EXCEPTION',
]);
const TRIES_MAX = 12;
const BACKOFF_MS = 30;

/** A transactional producer on a bad line, which does what the rules of its protocol ask for. */
export class ChaoticClient {
  readonly #options: ChaoticClientOptions;
  readonly #sequences = new Map<string, number>();
  #producerId = -1;
  #producerEpoch = -1;
  #count = 0;
  isStopped = false;

  constructor(options: ChaoticClientOptions) {
    this.#options = options;
  }

  async run(): Promise<void> {
    const { random, transport } = this.#options;
    while (!this.isStopped) {
      try {
        await this.#init(false);
        while (!this.isStopped && !random.oneIn(8)) await this.#transaction();
      } catch (error) {
        if (!(error instanceof SessionOver)) throw error;
      }
      await transport.pass(random.integer(300));
    }
  }

  async #transaction(): Promise<void> {
    const { random, attempts, name } = this.#options;
    const attempt: Attempt = { values: [], fate: 'unknown' };
    attempts.push(attempt);
    const transaction = this.#count++;
    let isWhole = true;
    for (let index = 0; index <= random.integer(4) && isWhole; index++) {
      const [topic, partition] = random.pick(PARTITIONS);
      const value = `${name}.${transaction}.${index}`;
      isWhole = await this.#write(topic, partition, value);
      if (isWhole) attempt.values.push({ topic, partition, value });
    }
    // Walks away now and then, as a process that is killed.
    if (random.oneIn(12)) throw new SessionOver();
    const outcome = isWhole && !random.oneIn(3) ? 'commit' : 'abort';
    await this.#end(outcome);
    attempt.fate = outcome === 'commit' ? 'committed' : 'aborted';
    // What was given up on may still arrive: only another epoch keeps it out (KIP-360).
    if (!isWhole && this.#options.speech === 'old') await this.#init(true);
  }

  async #init(keepsEpoch: boolean): Promise<void> {
    const { transactionalId } = this.#options;
    const current = keepsEpoch ? { producerId: this.#producerId, producerEpoch: this.#producerEpoch } : {};
    const answer = await this.#retry(
      () => this.#call(initProducerId, 5, { transactionalId, transactionTimeoutMs: 20_000, ...current }),
      ({ errorCode }) => errorCode,
    );
    this.#setProducer(answer.producerId, answer.producerEpoch);
  }

  /** Gives whether the value is written; if not, its transaction must be aborted. */
  async #write(topic: string, partition: number, value: string): Promise<boolean> {
    const { transactionalId, speech } = this.#options;
    const producer = { producerId: this.#producerId, producerEpoch: this.#producerEpoch };
    if (speech === 'old') {
      const added = {
        v3AndBelowTransactionalId: transactionalId,
        v3AndBelowProducerId: producer.producerId,
        v3AndBelowProducerEpoch: producer.producerEpoch,
        v3AndBelowTopics: [{ name: topic, partitions: [partition] }],
        transactions: [],
      };
      await this.#retry(
        () => this.#call(addPartitionsToTxn, 3, added),
        ({ resultsByTopicV3AndBelow: [result] }) => result?.resultsByPartition[0]?.partitionErrorCode ?? -1,
      );
    }
    const place = `${topic}-${partition}`;
    const baseSequence = this.#sequences.get(place) ?? 0;
    const record = { timestamp: SIMULATED_EPOCH_MS, key: null, value: Buffer.from(value), headers: [] };
    const batch = { ...producer, records: [record], baseSequence, isTransactional: true };
    try {
      await this.#retry(
        () =>
          this.#call(produce, speech === 'old' ? 11 : 12, {
            transactionalId,
            acks: -1,
            timeoutMs: 1_000,
            topicData: [{ name: topic, topicId: ZERO_UUID, partitionData: [{ index: partition, records: buildBatch(batch) }] }],
          }),
        ({ responses }) => responses[0]?.partitionResponses[0]?.errorCode ?? -1,
        2,
      );
    } catch (error) {
      if (error instanceof NoAnswer) return false;
      throw error;
    }
    this.#sequences.set(place, baseSequence + 1);
    return true;
  }

  async #end(outcome: 'commit' | 'abort'): Promise<void> {
    const { transactionalId, speech } = this.#options;
    const producer = { producerId: this.#producerId, producerEpoch: this.#producerEpoch };
    const answer = await this.#retry(
      () =>
        this.#call(
          endTxn,
          speech === 'old' ? 4 : 5,
          { transactionalId, ...producer, committed: outcome === 'commit' },
          {
            // One that came late would end the next transaction, which has the same epoch (KIP-890).
            isInOrder: speech === 'old',
          },
        ),
      ({ errorCode }) => errorCode,
    );
    if (speech === 'new') this.#setProducer(answer.producerId, answer.producerEpoch);
  }

  #setProducer(producerId: number, producerEpoch: number): void {
    if (producerId !== this.#producerId || producerEpoch !== this.#producerEpoch) this.#sequences.clear();
    this.#producerId = producerId;
    this.#producerEpoch = producerEpoch;
  }

  async #retry<Answer>(
    send: () => Promise<Answer>,
    codeOfAnswer: (answer: Answer) => number,
    triesMax = TRIES_MAX,
  ): Promise<Answer> {
    for (let tries = 1; ; tries++) {
      try {
        const answer = await send();
        const error = errorNameOf(codeOfAnswer(answer));
        if (error === 'NONE') return answer;
        if (!retried.has(error) || tries >= TRIES_MAX) throw new SessionOver(error);
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
        if (tries >= triesMax) throw triesMax < TRIES_MAX ? error : new SessionOver('no answer');
      }
      await this.#options.transport.pass(BACKOFF_MS);
    }
  }

  #call<A extends Api>(
    api: A,
    version: number,
    request: RequestInput<A>,
    order: { readonly isInOrder?: boolean } = {},
  ): Promise<ResponseOf<A>> {
    const { broker, transport } = this.#options;
    return transport.ask(() => broker.call(api, version, request), order);
  }
}
