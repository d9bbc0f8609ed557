import { batchesOf } from '../protocol/records/batches.ts';
import type { TimestampType } from '../protocol/records/batch-layout.ts';
import type { LogRecord } from '../protocol/records/log-record.ts';
import type { RecordBatch } from '../protocol/records/record-batch.ts';
import { recordsOf } from '../protocol/records/record-iterator.ts';

/** A record with its place. */
export interface ConsumerRecord extends LogRecord {
  readonly topic: string;
  readonly partition: number;
  readonly leaderEpoch: number;
  readonly timestampType: TimestampType;
}

export interface AbortedTransaction {
  readonly producerId: number;
  readonly firstOffset: number;
}

export interface ChunkFacts {
  readonly topic: string;
  readonly partition: number;
  /** Records before it, which only share a batch with wanted ones, are left out. */
  readonly fetchOffset: number;
  readonly bytes: Uint8Array;
  /** Null: every record is wanted, whatever became of its transaction. */
  readonly abortedTransactions: readonly AbortedTransaction[] | null;
  readonly highWatermark: number;
  readonly logStartOffset: number;
  readonly checkCrcs: boolean;
}

/** What one fetch brought of one partition. The records are read when they are asked for, from the bytes as they came. */
export class FetchedChunk {
  readonly facts: ChunkFacts;
  /** Where the next fetch goes on. */
  readonly nextOffset: number;
  /** Of the leader that wrote the last batch; −1 if there is none. */
  readonly leaderEpoch: number;

  constructor(facts: ChunkFacts) {
    this.facts = facts;
    let next = facts.fetchOffset;
    let leaderEpoch = -1;
    for (const batch of batchesOf(facts.bytes)) {
      next = Math.max(next, batch.nextOffset);
      leaderEpoch = batch.partitionLeaderEpoch;
    }
    this.nextOffset = next;
    this.leaderEpoch = leaderEpoch;
  }

  get topic(): string {
    return this.facts.topic;
  }

  get partition(): number {
    return this.facts.partition;
  }

  get sizeInBytes(): number {
    return this.facts.bytes.length;
  }

  /** Batches that hold wanted records: no control batches, none of aborted transactions. Throws CorruptBatchError for a wrong checksum. */
  *batches(): Generator<RecordBatch, void> {
    const { bytes, fetchOffset, abortedTransactions, checkCrcs } = this.facts;
    const aborted = abortedTransactions === null ? null : new AbortedFilter(abortedTransactions);
    for (const batch of batchesOf(bytes)) {
      if (batch.lastOffset < fetchOffset) continue;
      if (checkCrcs && batch.magic >= 2) batch.ensureValid();
      if (aborted?.drops(batch) === true || batch.isControl) continue;
      yield batch;
    }
  }

  *records(): Generator<ConsumerRecord, void> {
    const { topic, partition, fetchOffset } = this.facts;
    for (const batch of this.batches()) {
      const { timestampType, partitionLeaderEpoch: leaderEpoch } = batch;
      for (const record of recordsOf(batch)) {
        if (record.offset < fetchOffset) continue;
        const { offset, timestamp, sequence, key, value, headers } = record;
        yield { topic, partition, offset, timestamp, sequence, key, value, headers, leaderEpoch, timestampType };
      }
    }
  }
}

/** Follows the transactions of a chunk: between an aborted one's first offset and its marker, batches of its producer are dropped. */
class AbortedFilter {
  readonly #upcoming: AbortedTransaction[];
  readonly #aborted = new Set<number>();

  constructor(transactions: readonly AbortedTransaction[]) {
    this.#upcoming = transactions.toSorted((a, b) => a.firstOffset - b.firstOffset);
  }

  drops(batch: RecordBatch): boolean {
    if (!batch.hasProducerId) return false;
    for (let next = this.#upcoming[0]; next !== undefined && next.firstOffset <= batch.lastOffset; next = this.#upcoming[0]) {
      this.#aborted.add(next.producerId);
      this.#upcoming.shift();
    }
    if (batch.isControl) {
      this.#aborted.delete(batch.producerId);
      return true;
    }
    return batch.isTransactional && this.#aborted.has(batch.producerId);
  }
}
