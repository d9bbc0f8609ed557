import type { RecordId } from './sequenced-value.ts';

const SEQUENCES_A_PRODUCER = 2 ** 32;

export const numberOf = ({ producer, sequence }: RecordId): number => producer * SEQUENCES_A_PRODUCER + sequence;
export const nameOf = (number: number): string =>
  `record ${number % SEQUENCES_A_PRODUCER} of producer ${Math.floor(number / SEQUENCES_A_PRODUCER)}`;

/** What a broker has promised about one partition. */
export interface PartitionLedger {
  /** Offset → number of the record that was acknowledged there. */
  readonly acknowledged: Map<number, number>;
  /** Numbers of records that were acknowledged as known already, without an offset. */
  readonly somewhere: Set<number>;
  /** Numbers of records that were sent, in order. */
  readonly sent: Set<number>;
}

/** What was sent and what was acknowledged, by partition. */
export class Ledger {
  readonly #partitions = new Map<string, PartitionLedger>();
  acknowledgedCount = 0;

  of(topic: string, partition: number): PartitionLedger {
    const key = `${topic}-${partition}`;
    let ledger = this.#partitions.get(key);
    if (ledger === undefined) {
      ledger = { acknowledged: new Map(), somewhere: new Set(), sent: new Set() };
      this.#partitions.set(key, ledger);
    }
    return ledger;
  }

  sent(topic: string, partition: number, id: RecordId): void {
    this.of(topic, partition).sent.add(numberOf(id));
  }

  /** Throws when the broker contradicts itself. */
  acknowledge(place: { readonly topic: string; readonly partition: number; readonly offset: number }, id: RecordId): void {
    const { acknowledged, somewhere } = this.of(place.topic, place.partition);
    this.acknowledgedCount++;
    if (place.offset < 0) {
      somewhere.add(numberOf(id));
      return;
    }
    const other = acknowledged.get(place.offset);
    if (other !== undefined) {
      const where = `offset ${place.offset} of ${place.topic}-${place.partition}`;
      throw new Error(`${nameOf(numberOf(id))} was acknowledged at ${where}, where ${nameOf(other)} was before`);
    }
    acknowledged.set(place.offset, numberOf(id));
  }
}
