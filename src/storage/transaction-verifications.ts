import { KafkaError } from '../protocol/errors.ts';
import type { ProducerEntry } from './producer-entry.ts';

/**
 * The permission to begin a transaction in a partition: the coordinator is being asked whether the partition takes part. What ends the producer's transaction meanwhile
 * withdraws it, so that no late record begins a transaction that nobody will end (KIP-890).
 */
export interface TransactionVerification {
  producerEpoch: number;
  /** Of the first record that was sent: nothing may be appended before it, though its request may come later. */
  lowestSequence: number;
  /** The producer begins each transaction with a new epoch, and so with sequence 0. */
  readonly startsAtZero: boolean;
}

export interface TransactionStart {
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly baseSequence: number;
  readonly startsAtZero: boolean;
}

/** The verifications under way in one partition, by producer. */
export class TransactionVerifications {
  readonly #byProducer = new Map<number, TransactionVerification>();

  get size(): number {
    return this.#byProducer.size;
  }

  /** Several requests of one producer share a verification: what kind of producer it is, the first of them tells. */
  start({ producerId, producerEpoch, baseSequence, startsAtZero }: TransactionStart): TransactionVerification {
    const known = this.#byProducer.get(producerId);
    if (known === undefined) {
      const verification = { producerEpoch, lowestSequence: baseSequence, startsAtZero };
      this.#byProducer.set(producerId, verification);
      return verification;
    }
    if (producerEpoch > known.producerEpoch) {
      known.producerEpoch = producerEpoch;
      known.lowestSequence = baseSequence;
    } else if (producerEpoch === known.producerEpoch && baseSequence < known.lowestSequence) {
      known.lowestSequence = baseSequence;
    }
    return known;
  }

  /** Whether a permission still holds. */
  isCurrent(producerId: number, verification: TransactionVerification | undefined): boolean {
    return verification !== undefined && this.#byProducer.get(producerId) === verification;
  }

  /** Throws OUT_OF_ORDER_SEQUENCE_NUMBER for records that come before the producer's first ones. */
  checkSequence(producerId: number, sequence: number, current: ProducerEntry): void {
    const verification = this.#byProducer.get(producerId);
    if (verification === undefined) return;
    if (verification.startsAtZero && sequence !== 0 && current.batches.length === 0) {
      throw new KafkaError(
        'OUT_OF_ORDER_SEQUENCE_NUMBER',
        `Producer ${producerId}, of which nothing is known here, began with sequence ${sequence} instead of 0.`,
      );
    }
    if (sequence > verification.lowestSequence) {
      throw new KafkaError(
        'OUT_OF_ORDER_SEQUENCE_NUMBER',
        `Producer ${producerId} sent sequence ${sequence} before ${verification.lowestSequence}.`,
      );
    }
  }

  /**
   * A transaction of the producer has ended with this epoch. Where each transaction has an epoch of its own, the marker has the next one: a permission of that epoch is for the
   * next transaction, which may have begun before the marker came.
   */
  withdraw(producerId: number, markerEpoch: number): void {
    const verification = this.#byProducer.get(producerId);
    if (verification === undefined || (verification.startsAtZero && verification.producerEpoch >= markerEpoch)) return;
    this.#byProducer.delete(producerId);
  }

  /** The producer has written: its transaction is open here. */
  end(producerId: number): void {
    this.#byProducer.delete(producerId);
  }

  clear(): void {
    this.#byProducer.clear();
  }
}
