import { RecordBatch } from '../../src/protocol/records/record-batch.ts';
import { recordsOf } from '../../src/protocol/records/record-iterator.ts';
import { codeOf, type ErrorName } from '../../src/protocol/errors.ts';

interface SeenBatch {
  readonly epoch: number;
  readonly baseSequence: number;
  readonly count: number;
  readonly baseOffset: number;
}

/** A partition's log in memory, which checks producers' sequences as a broker does. */
export class FakePartition {
  leader: number;
  leaderEpoch = 0;
  logStartOffset = 0;
  readonly batches: Buffer[] = [];
  /** Told with every answer. */
  aborted: { producerId: number; firstOffset: number }[] | null = null;
  readonly #producers = new Map<number, SeenBatch[]>();
  /** The largest batch it takes. */
  maxBatchBytes = Infinity;

  constructor(leader: number) {
    this.leader = leader;
  }

  moveTo(leader: number): void {
    this.leader = leader;
    this.leaderEpoch++;
  }

  get currentLeader(): { leaderId: number; leaderEpoch: number } {
    return { leaderId: this.leader, leaderEpoch: this.leaderEpoch };
  }

  get logEndOffset(): number {
    const last = this.batches.at(-1);
    return last === undefined ? 0 : new RecordBatch(last).nextOffset;
  }

  /** Values in order. */
  get values(): string[] {
    return this.batches.flatMap((bytes) =>
      [...recordsOf(new RecordBatch(bytes))].map(({ value }) => Buffer.from(value ?? []).toString()),
    );
  }

  metadata(partitionIndex: number) {
    return {
      partitionIndex,
      leaderId: this.leader,
      leaderEpoch: this.leaderEpoch,
      replicaNodes: [this.leader],
      isrNodes: [this.leader],
      offlineReplicas: [],
    };
  }

  /** The first offset that the batch got, or why it was not taken. */
  append(records: Buffer, node: number): number | ErrorName {
    if (node !== this.leader) return 'NOT_LEADER_OR_FOLLOWER';
    const bytes = Buffer.from(records);
    const batch = new RecordBatch(bytes);
    if (!batch.isCrcValid()) return 'CORRUPT_MESSAGE';
    if (bytes.length > this.maxBatchBytes) return 'MESSAGE_TOO_LARGE';
    const seen = this.#producers.get(batch.producerId) ?? [];
    if (batch.hasProducerId) {
      const { producerEpoch: epoch, baseSequence, recordsCount: count } = batch;
      const twin = seen.slice(-5).find((one) => one.epoch === epoch && one.baseSequence === baseSequence && one.count === count);
      if (twin !== undefined) return twin.baseOffset;
      const last = seen.at(-1);
      const expected = last === undefined || last.epoch !== epoch ? 0 : (last.baseSequence + last.count) & 0x7fff_ffff;
      if (baseSequence !== expected) return 'OUT_OF_ORDER_SEQUENCE_NUMBER';
      this.#producers.set(batch.producerId, [...seen, { epoch, baseSequence, count, baseOffset: this.logEndOffset }]);
    }
    const baseOffset = this.logEndOffset;
    batch.setBaseOffset(baseOffset);
    batch.setPartitionLeaderEpoch(this.leaderEpoch);
    this.batches.push(bytes);
    return baseOffset;
  }

  /** Appends batches as they are, whatever producers they are from. */
  appendRaw(batches: readonly Buffer[]): void {
    for (const bytes of batches) {
      new RecordBatch(bytes).setBaseOffset(this.logEndOffset);
      this.batches.push(bytes);
    }
  }

  /** Loses what it knows of producers, as a broker does whose state expired. */
  forgetProducers(): void {
    this.#producers.clear();
  }

  read(offset: number, { node, error, maxBytes }: { node: number; error: ErrorName | null; maxBytes: number }) {
    const empty = { highWatermark: this.logEndOffset, abortedTransactions: this.aborted, records: Buffer.alloc(0) };
    const failure = error ?? (node === this.leader ? null : 'NOT_LEADER_OR_FOLLOWER');
    if (failure !== null) return { ...empty, errorCode: codeOf(failure), currentLeader: this.currentLeader };
    if (offset < this.logStartOffset || offset > this.logEndOffset) return { ...empty, errorCode: codeOf('OFFSET_OUT_OF_RANGE') };
    const wanted = this.batches.filter((bytes) => new RecordBatch(bytes).lastOffset >= offset);
    let size = 0;
    const records = wanted.filter((bytes, index) => {
      size += bytes.length;
      return index === 0 || size <= maxBytes;
    });
    return {
      ...empty,
      errorCode: 0,
      lastStableOffset: this.logEndOffset,
      logStartOffset: this.logStartOffset,
      records: Buffer.concat(records),
    };
  }
}
