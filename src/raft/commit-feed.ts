import { batchesOf } from '../protocol/records/batches.ts';
import type { RecordBatch } from '../protocol/records/record-batch.ts';
import { recordsOf } from '../protocol/records/record-iterator.ts';
import type { OffsetAndEpoch, RaftLog } from './raft-log.ts';
import type { CommittedBatch, LeaderAndEpoch, RaftListener, RecordSerde } from './raft-record.ts';
import { loadSnapshot } from './snapshot-reader.ts';

interface Follower<R> {
  readonly listener: RaftListener<R>;
  nextOffset: number;
  /** The last epoch and leader that it was told of. */
  toldLeader: LeaderAndEpoch | null;
}

/**
 * Hands what is committed to the listeners, each from where it stands. What this node appended itself is handed on as it was given,
 * without being read and decoded again; the rest comes from the log, and what the log no longer has from the latest snapshot.
 */
export class CommitFeed<R> {
  readonly #log: RaftLog;
  readonly #serde: RecordSerde<R>;
  readonly #readBytes: number;
  readonly #followers: Follower<R>[] = [];
  /** What this node appended as leader and some listener has not got yet, in order. */
  #own: CommittedBatch<R>[] = [];
  #highWatermark: number | null = null;
  #leader: LeaderAndEpoch | null = null;
  /** Where the epoch of which this node is the leader begins; null if it does not lead. */
  #ownEpochStart: number | null = null;
  #isDelivering = false;
  #mustDeliverAgain = false;

  constructor(log: RaftLog, serde: RecordSerde<R>, readBytes: number) {
    this.#log = log;
    this.#serde = serde;
    this.#readBytes = readBytes;
  }

  get highWatermark(): number | null {
    return this.#highWatermark;
  }

  register(listener: RaftListener<R>): void {
    this.#followers.push({ listener, nextOffset: 0, toldLeader: null });
  }

  appended(batch: CommittedBatch<R>): void {
    this.#own.push(batch);
  }

  forgetUncommitted(): void {
    this.#own = [];
  }

  advanceTo(highWatermark: number): void {
    this.#highWatermark = highWatermark;
  }

  leaderChanged(leader: LeaderAndEpoch, ownEpochStart: number | null): void {
    this.#leader = leader;
    this.#ownEpochStart = ownEpochStart;
    this.deliver();
  }

  /** A listener that appends or resigns while it is told is served by the delivery that is under way. */
  deliver(): void {
    this.#mustDeliverAgain = true;
    if (this.#isDelivering) return;
    this.#isDelivering = true;
    try {
      while (this.#mustDeliverAgain) {
        this.#mustDeliverAgain = false;
        for (const follower of this.#followers) this.#deliverTo(follower);
      }
      const reached = Math.min(...this.#followers.map(({ nextOffset }) => nextOffset));
      if (this.#followers.length > 0) this.#own = this.#own.filter(({ lastOffset }) => lastOffset >= reached);
    } finally {
      this.#isDelivering = false;
    }
  }

  #deliverTo(follower: Follower<R>): void {
    while (this.#highWatermark !== null && follower.nextOffset < this.#highWatermark) {
      const snapshot = this.#snapshotFor(follower);
      if (snapshot !== null) this.#deliverSnapshot(follower, snapshot);
      else this.#deliverBatches(follower, this.#highWatermark);
    }
    if (this.#leader === null) return;
    const { leaderId, epoch } = this.#leader;
    const isToldAlready = follower.toldLeader?.leaderId === leaderId && follower.toldLeader.epoch === epoch;
    const mayBeTold = this.#ownEpochStart === null || follower.nextOffset > this.#ownEpochStart;
    if (isToldAlready || !mayBeTold) return;
    follower.toldLeader = this.#leader;
    follower.listener.handleLeaderChange(this.#leader);
  }

  /** A listener without any state takes the latest snapshot rather than all that led to it. */
  #snapshotFor({ nextOffset }: Follower<R>): OffsetAndEpoch | null {
    const latest = this.#log.snapshots().at(-1);
    if (latest === undefined || latest.offset === 0) return null;
    return nextOffset < this.#log.startOffset || nextOffset === 0 ? latest : null;
  }

  #deliverSnapshot(follower: Follower<R>, id: OffsetAndEpoch): void {
    const source = this.#log.readSnapshot(id);
    try {
      follower.nextOffset = id.offset;
      follower.listener.handleLoadSnapshot(loadSnapshot(source, this.#serde));
    } finally {
      source.close();
    }
  }

  #deliverBatches(follower: Follower<R>, end: number): void {
    const own = this.#own.filter(({ baseOffset, lastOffset }) => baseOffset >= follower.nextOffset && lastOffset < end);
    const batches = own[0]?.baseOffset === follower.nextOffset ? own : this.#readBatches(follower.nextOffset, end);
    checkContiguous(batches, follower.nextOffset);
    const last = batches.at(-1);
    if (last === undefined) throw new MetadataLogGap(follower.nextOffset, end);
    follower.nextOffset = last.lastOffset + 1;
    follower.listener.handleCommit(batches);
  }

  #readBatches(from: number, end: number): CommittedBatch<R>[] {
    return [...batchesOf(this.#log.read(from, end, this.#readBytes))].map((batch) => this.#decoded(batch));
  }

  #decoded(batch: RecordBatch): CommittedBatch<R> {
    const records: R[] = [];
    if (!batch.isControl) {
      for (const { value } of recordsOf(batch)) if (value !== null) records.push(this.#serde.decode(value));
    }
    return {
      baseOffset: batch.baseOffset,
      lastOffset: batch.lastOffset,
      epoch: batch.partitionLeaderEpoch,
      appendTimestamp: batch.maxTimestamp,
      sizeInBytes: batch.sizeInBytes,
      records,
    };
  }
}

/** Records that were committed are not in the log: it was damaged. Going on without them would be another cluster. */
export class MetadataLogGap extends Error {
  override readonly name = 'MetadataLogGap';

  constructor(from: number, to: number) {
    super(`the metadata log has no records from offset ${from} to ${to - 1}, although they were committed: it is damaged`);
  }
}

function checkContiguous<R>(batches: readonly CommittedBatch<R>[], from: number): void {
  let expected = from;
  for (const { baseOffset, lastOffset } of batches) {
    if (baseOffset > expected) throw new MetadataLogGap(expected, baseOffset);
    expected = lastOffset + 1;
  }
}
