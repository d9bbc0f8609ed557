import type { Random } from '../base/random.ts';

/** What the partitioner knows about a partition when it chooses the next one. */
export interface PartitionLoad {
  readonly partition: number;
  /** Batches waiting for this partition; a slow broker makes it grow. */
  readonly queuedBatches: number;
  readonly hasLeader: boolean;
}

/**
 * Chooses partitions for records without a key (KIP-480, KIP-794): stays with one until a batch's worth of bytes went there, then takes
 * another by chance, weighted so that partitions with long queues are chosen seldom. Partitions without a leader are passed over
 * while others have one. (A key decides its partition itself: `partitionOfKey` in base/bytes/murmur2.ts.)
 */
export class StickyPartitioner {
  readonly #random: Random;
  readonly #stickyBytes: number;
  #current = -1;
  #bytesSinceSwitch = 0;

  constructor(random: Random, stickyBytes: number) {
    this.#random = random;
    this.#stickyBytes = Math.max(1, stickyBytes);
  }

  /** The partition for the next record. `loads` is asked only when a new partition has to be chosen. */
  partition(partitionCount: number, loads: () => readonly PartitionLoad[]): number {
    if (this.#current < 0 || this.#current >= partitionCount) {
      this.#current = this.#choose(partitionCount, loads());
      this.#bytesSinceSwitch = 0;
    }
    return this.#current;
  }

  /** The batch of the current partition has no room for a record of this size: leaves the partition if a batch's worth went there. */
  batchIsFull(nextRecordBytes: number): boolean {
    if (this.#current < 0 || this.#bytesSinceSwitch + nextRecordBytes < this.#stickyBytes) return false;
    this.#current = -1;
    return true;
  }

  /** Counts what was appended. Twice a batch's worth is enough even in the middle of a batch: lingering makes batches that never fill. */
  appended(bytes: number): void {
    this.#bytesSinceSwitch += bytes;
    if (this.#bytesSinceSwitch >= 2 * this.#stickyBytes) this.#current = -1;
  }

  #choose(partitionCount: number, loads: readonly PartitionLoad[]): number {
    const available = loads.filter((load) => load.hasLeader);
    if (available.length === 0) return this.#random.integer(partitionCount);
    const longest = available.reduce((most, load) => Math.max(most, load.queuedBatches), 0);
    const weights = available.map((load) => longest + 1 - load.queuedBatches);
    let ticket = this.#random.integer(weights.reduce((sum, weight) => sum + weight, 0));
    const chosen = available.find((_, index) => {
      ticket -= weights[index] ?? 0;
      return ticket < 0;
    });
    return chosen?.partition ?? this.#random.integer(partitionCount);
  }
}
