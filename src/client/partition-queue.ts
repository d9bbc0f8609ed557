import type { Millis } from '../base/clock.ts';
import { addToSequence } from '../protocol/records/record-batch.ts';
import type { ProducerBatch } from './producer-batch.ts';

/** Who a producer is to the brokers (KIP-98): batches of one identity are numbered without gaps in each partition. */
export interface ProducerIdentity {
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly isTransactional?: boolean;
}

/** The broker remembers this many batches of a producer and partition; more in flight could not be told from a gap. */
const IN_FLIGHT_MAX = 5;

/**
 * The batches of one partition in the order of their records. A batch that has to be sent again goes back to the front, and then one at a
 * time is sent until all that were under way have come back: this keeps the order of records, idempotent or not.
 */
export class PartitionQueue {
  readonly topic: string;
  readonly partition: number;
  /** Not under way, first to send first. Only the last one may take more records. */
  readonly waiting: ProducerBatch[] = [];
  readonly #inFlight = new Set<ProducerBatch>();
  identity: ProducerIdentity | null = null;
  #nextSequence = 0;
  #expectedSequence = 0;
  /** The numbering is broken: everything that waits needs a new identity before it is sent. */
  isBroken = false;

  constructor(topic: string, partition: number) {
    this.topic = topic;
    this.partition = partition;
  }

  get isEmpty(): boolean {
    return this.waiting.length === 0 && this.#inFlight.size === 0;
  }

  get inFlightCount(): number {
    return this.#inFlight.size;
  }

  /** The batch that still takes records. */
  get open(): ProducerBatch | null {
    const last = this.waiting.at(-1);
    return last !== undefined && last.sealed === null ? last : null;
  }

  /** Milliseconds until the first batch may be sent: 0 for now, Infinity until something comes back. */
  delay(now: Millis, lingerMs: Millis): Millis {
    const head = this.waiting[0];
    if (head === undefined || this.#inFlight.size >= IN_FLIGHT_MAX) return Infinity;
    if (this.#inFlight.size > 0 && (head.attempts > 0 || this.isBroken)) return Infinity;
    if (head.attempts > 0) return Math.max(0, head.notBefore - now);
    if (head.sealed !== null || this.waiting.length > 1) return 0;
    return Math.max(0, head.createdAt + lingerMs - now);
  }

  /** Whether the next batch may start a new numbering. */
  get mayChangeIdentity(): boolean {
    return this.#inFlight.size === 0 && (this.isBroken || this.waiting[0]?.producer === null);
  }

  changeIdentity(identity: ProducerIdentity): void {
    this.identity = identity;
    this.#nextSequence = 0;
    this.#expectedSequence = 0;
    this.isBroken = false;
    for (const batch of this.waiting) batch.producer = null;
  }

  /** Takes the first batch out to be sent, numbered if the producer is idempotent. */
  takeHead(): ProducerBatch {
    const batch = this.waiting.shift();
    if (batch === undefined) throw new RangeError('The queue is empty');
    if (this.identity !== null && batch.producer === null) {
      batch.setProducer({ ...this.identity, baseSequence: this.#nextSequence });
      this.#nextSequence = addToSequence(this.#nextSequence, batch.count);
    }
    batch.attempts++;
    this.#inFlight.add(batch);
    return batch;
  }

  /** The broker has it. */
  acknowledged(batch: ProducerBatch): void {
    this.#inFlight.delete(batch);
    if (batch.producer !== null) this.#expectedSequence = addToSequence(batch.producer.baseSequence, batch.count);
  }

  /** It will not be sent again. Later batches of the same numbering would leave a gap. */
  abandoned(batch: ProducerBatch): void {
    this.#inFlight.delete(batch);
    if (batch.producer !== null) this.isBroken = true;
  }

  /** It will be sent again, before everything that was made after it. */
  returned(batch: ProducerBatch, replacements: readonly ProducerBatch[] = [batch]): void {
    this.#inFlight.delete(batch);
    const at = this.waiting.findIndex((other) => other.order > batch.order);
    this.waiting.splice(at < 0 ? this.waiting.length : at, 0, ...replacements);
  }

  /** Whether the broker should have accepted the batch, being the next in the numbering. */
  isExpected(batch: ProducerBatch): boolean {
    return batch.producer?.baseSequence === this.#expectedSequence;
  }
}
