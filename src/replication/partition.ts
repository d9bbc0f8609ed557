import { assert } from '../base/assert.ts';
import type { Environment } from '../base/environment.ts';
import type { Millis } from '../base/clock.ts';
import type { PartitionRegistration } from '../metadata/image/partition-registration.ts';
import { KafkaError } from '../protocol/errors.ts';
import type { AppendInfo } from '../storage/append-info.ts';
import type { LeaderAppendOptions } from '../storage/log-append.ts';
import type { PartitionLog } from '../storage/partition-log.ts';
import { FollowerState, type IsrChanger, type IsrState, maximalIsr } from './isr.ts';

/** What a partition needs to know of the node around it, and whom it tells what happened. */
export interface PartitionContext {
  readonly environment: Pick<Environment, 'clock' | 'logger'>;
  readonly brokerId: number;
  readonly replicaLagTimeMaxMs: () => Millis;
  /** The epoch of a broker that may be in an ISR; null for one that is fenced, shutting down or unknown. */
  readonly eligibleBrokerEpoch: (brokerId: number) => number | null;
  readonly isrChanger: IsrChanger;
  /** The high watermark moved, or what waits for the partition has to look again for another reason. */
  readonly advanced: (partition: Partition) => void;
  /** A flush failed: the log directory is gone. */
  readonly storageFailed: (partition: Partition, error: unknown) => void;
}

/** Leader epoch −1 in a request: the sender does not know, and is not checked. */
export const NO_LEADER_EPOCH = -1;

/** In DeleteRecords: everything that consumers may read. */
const UP_TO_HIGH_WATERMARK = -1;

/** One replica of one partition on this broker: leader or follower, as the controller decided. */
export class Partition {
  readonly topic: string;
  readonly topicId: string;
  readonly index: number;
  readonly #context: PartitionContext;
  #log: PartitionLog | null = null;
  #isLeader = false;
  #registration: PartitionRegistration | null = null;
  #isrState: IsrState = { kind: 'committed', isr: [] };
  #leaderEpochStartOffset: number | null = null;
  #followers = new Map<number, FollowerState>();
  /** While a flush is due: the log end that has to be on disk before the high watermark may pass what is. */
  #flushTarget = -1;
  #isRemoved = false;

  constructor(context: PartitionContext, identity: { readonly topic: string; readonly topicId: string; readonly index: number }) {
    this.#context = context;
    this.topic = identity.topic;
    this.topicId = identity.topicId;
    this.index = identity.index;
  }

  get isLeader(): boolean {
    return this.#isLeader;
  }

  /** −1 while there is none or it is not known. */
  get leaderId(): number {
    return this.#registration?.leader ?? -1;
  }

  get leaderEpoch(): number {
    return this.#registration?.leaderEpoch ?? -1;
  }

  get partitionEpoch(): number {
    return this.#registration?.partitionEpoch ?? -1;
  }

  get registration(): PartitionRegistration | null {
    return this.#registration;
  }

  get isr(): readonly number[] {
    return this.#isrState.isr;
  }

  /** The first offset of this leader's epoch; null on a follower. */
  get leaderEpochStartOffset(): number | null {
    return this.#leaderEpochStartOffset;
  }

  /** The log without any check; null while its directory is offline. */
  get log(): PartitionLog | null {
    return this.#log;
  }

  /** The log of the leader. */
  get leaderLog(): PartitionLog {
    return this.localLog(NO_LEADER_EPOCH, true);
  }

  /** Leads from now on (or goes on leading, with another ISR). Gives whether that is news. */
  becomeLeader(registration: PartitionRegistration, log: PartitionLog): boolean {
    if (registration.partitionEpoch < this.partitionEpoch) return false;
    const isNewLeader = !this.#isLeader || registration.leaderEpoch > this.leaderEpoch;
    this.#log = log;
    this.#isLeader = true;
    this.#setRegistration(registration);
    if (isNewLeader) this.#beginLeading(registration, log);
    this.maybeAdvanceHighWatermark();
    return isNewLeader;
  }

  /** Follows from now on. Gives whether the leader or its epoch is another one. */
  becomeFollower(registration: PartitionRegistration, log: PartitionLog): boolean {
    if (registration.partitionEpoch < this.partitionEpoch) return false;
    const isNews = this.#isLeader || registration.leaderEpoch !== this.leaderEpoch || registration.leader !== this.leaderId;
    this.#log = log;
    this.#isLeader = false;
    this.#leaderEpochStartOffset = null;
    this.#followers.clear();
    this.#flushTarget = -1;
    this.#setRegistration(registration);
    return isNews;
  }

  /** The log directory failed: nothing can be read or written until the controller moves the partition. */
  goOffline(): void {
    this.#log = null;
    this.#isLeader = false;
    this.#leaderEpochStartOffset = null;
    this.#followers.clear();
    this.#flushTarget = -1;
  }

  /** The replica does not belong here any more: whoever still waits for it is told so. */
  remove(): void {
    this.goOffline();
    this.#isRemoved = true;
  }

  /** The log, for somebody who believes in `currentLeaderEpoch`. */
  localLog(currentLeaderEpoch: number, requiresLeader: boolean): PartitionLog {
    if (currentLeaderEpoch !== NO_LEADER_EPOCH) {
      if (currentLeaderEpoch < this.leaderEpoch) throw new KafkaError('FENCED_LEADER_EPOCH');
      if (currentLeaderEpoch > this.leaderEpoch) throw new KafkaError('UNKNOWN_LEADER_EPOCH');
    }
    if (this.#isRemoved) throw new KafkaError('UNKNOWN_TOPIC_OR_PARTITION');
    if (this.#log === null) throw new KafkaError('KAFKA_STORAGE_ERROR');
    if (requiresLeader && !this.#isLeader) throw new KafkaError('NOT_LEADER_OR_FOLLOWER');
    return this.#log;
  }

  /** Replicas that have to be in sync for acks=−1: never more than there are. */
  get effectiveMinIsr(): number {
    const replicas = this.#followers.size + 1;
    return Math.min(this.#log?.config.minInsyncReplicas ?? 1, replicas);
  }

  get isUnderMinIsr(): boolean {
    return this.#isLeader && this.#isrState.isr.length < this.effectiveMinIsr;
  }

  appendAsLeader(
    records: Buffer,
    options: Pick<LeaderAppendOptions, 'origin' | 'ahead' | 'transactional'> & {
      readonly acks: number;
      readonly version?: number;
    },
  ): AppendInfo {
    const log = this.leaderLog;
    if (options.acks === -1 && this.#isrState.isr.length < this.effectiveMinIsr) throw new KafkaError('NOT_ENOUGH_REPLICAS');
    const info = log.appendAsLeader(records, {
      leaderEpoch: this.leaderEpoch,
      origin: options.origin,
      ahead: options.ahead,
      transactional: options.transactional,
      now: this.#context.environment.clock.now(),
    });
    if (info.flushed !== null) this.#waitForFlush(log, info.flushed);
    const { logger } = this.#context.environment;
    if (logger.isTraceEnabled) {
      const { firstOffset, lastOffset, isDuplicate } = info;
      logger.trace('Appended as leader', { topic: this.topic, partition: this.index, firstOffset, lastOffset, isDuplicate });
    }
    this.maybeAdvanceHighWatermark();
    return info;
  }

  /** Whether everything below `offset` is as durable as flush.messages asks for. Throws if this broker leads no more. */
  isFlushed(offset: number): boolean {
    return this.#flushTarget < offset || this.leaderLog.recoveryPoint >= offset;
  }

  /** Whether acks=−1 for everything below `offset` is fulfilled. Throws what it failed with. */
  isReplicated(offset: number): boolean {
    const log = this.leaderLog;
    if (log.highWatermark < offset) return false;
    if (maximalIsr(this.#isrState).length < this.effectiveMinIsr) throw new KafkaError('NOT_ENOUGH_REPLICAS_AFTER_APPEND');
    return true;
  }

  /**
   * The high watermark is the smallest log end of all replicas that are in sync or about to be; without other replicas that is the
   * leader's own. It stands still while fewer are in sync than the topic requires (KIP-966). Gives whether it moved.
   */
  maybeAdvanceHighWatermark(): boolean {
    const log = this.#log;
    if (!this.#isLeader || log === null || this.isUnderMinIsr) return false;
    const isFlushDue = this.#flushTarget > log.recoveryPoint;
    let lowest = isFlushDue ? log.recoveryPoint : log.logEndOffset;
    for (const follower of this.#followers.values()) {
      if (follower.logEndOffset < lowest && this.#holdsBack(follower)) lowest = follower.logEndOffset;
    }
    if (lowest <= log.highWatermark) return false;
    if (!log.updateHighWatermark(lowest === log.logEndOffset ? log.logEndMetadata : lowest)) return false;
    const { logger } = this.#context.environment;
    if (logger.isTraceEnabled) logger.trace('The high watermark moved', { topic: this.topic, partition: this.index, to: lowest });
    this.#context.advanced(this);
    return true;
  }

  /** A follower that will be in the ISR any moment is waited for as well: else the watermark would race ahead of it. */
  #holdsBack(follower: FollowerState): boolean {
    if (maximalIsr(this.#isrState).includes(follower.brokerId)) return true;
    const { clock } = this.#context.environment;
    const end = this.#log?.logEndOffset ?? 0;
    return (
      follower.isCaughtUp(end, clock.monotonic(), this.#context.replicaLagTimeMaxMs()) &&
      this.#context.eligibleBrokerEpoch(follower.brokerId) !== null
    );
  }

  /** Drops the records below `offset`, or below the high watermark. Gives the offset that was meant. */
  deleteRecords(offset: number): number {
    const log = this.leaderLog;
    // A topic whose records are neither deleted nor compacted lets them be deleted by hand.
    if (log.config.isCompacted && !log.config.deletesOld) {
      throw new KafkaError('POLICY_VIOLATION', 'Records of a topic that is only compacted cannot be deleted by offset.');
    }
    const upTo = offset === UP_TO_HIGH_WATERMARK ? log.highWatermark : offset;
    if (upTo < 0 || upTo > log.highWatermark) throw new KafkaError('OFFSET_OUT_OF_RANGE');
    log.maybeIncrementLogStartOffset(upTo);
    return upTo;
  }

  /** Where the logs of all live replicas start at the latest: what DeleteRecords waits for. */
  get lowWatermark(): number {
    let lowest = this.leaderLog.logStartOffset;
    for (const follower of this.#followers.values()) {
      if (this.#context.eligibleBrokerEpoch(follower.brokerId) === null) continue;
      lowest = Math.min(lowest, follower.logStartOffset);
    }
    return lowest;
  }

  /** The follower of this id; only the leader knows them. */
  follower(brokerId: number, { knowsEpoch = false } = {}): FollowerState {
    const follower = this.#followers.get(brokerId);
    if (this.#isLeader && follower !== undefined) return follower;
    // A broker that names the right epoch and is not among the replicas knows of a later assignment than this one.
    throw new KafkaError(this.#isLeader && knowsEpoch ? 'UNKNOWN_LEADER_EPOCH' : 'NOT_LEADER_OR_FOLLOWER');
  }

  /** A follower has fetched: it may join the ISR, and the high watermark may move. */
  followerFetched(
    brokerId: number,
    fetch: {
      readonly fetchOffset: number;
      readonly logStartOffset: number;
      readonly leaderEndOffset: number;
      readonly brokerEpoch: number;
    },
  ): void {
    const follower = this.follower(brokerId);
    const lowWatermark = this.lowWatermark;
    follower.fetched({ ...fetch, now: this.#context.environment.clock.monotonic() });
    this.#maybeExpandIsr(follower);
    const moved = this.maybeAdvanceHighWatermark();
    if (!moved && this.lowWatermark > lowWatermark) this.#context.advanced(this);
  }

  #maybeExpandIsr(follower: FollowerState): void {
    const { brokerId } = follower;
    const log = this.#log;
    if (this.#isrState.kind !== 'committed' || log === null || this.#isrState.isr.includes(brokerId)) return;
    const isInSync = follower.logEndOffset >= log.highWatermark && follower.logEndOffset >= (this.#leaderEpochStartOffset ?? 0);
    if (!isInSync || !this.#isEligible(follower)) return;
    const { isr } = this.#isrState;
    this.#changeIsr({ kind: 'expanding', isr, next: [...isr, brokerId] });
  }

  /** The incarnation that fetched must be the one that is registered, fenced by nobody (KIP-903). */
  #isEligible(follower: FollowerState): boolean {
    const epoch = this.#context.eligibleBrokerEpoch(follower.brokerId);
    return epoch !== null && (follower.brokerEpoch === -1 || follower.brokerEpoch === epoch);
  }

  /** Asks to have the followers removed from the ISR that have not been at the log end for replica.lag.time.max.ms. */
  maybeShrinkIsr(): void {
    const log = this.#log;
    if (!this.#isLeader || log === null || this.#isrState.kind !== 'committed') return;
    const { isr } = this.#isrState;
    const now = this.#context.environment.clock.monotonic();
    const next = isr.filter((brokerId) => {
      const follower = this.#followers.get(brokerId);
      return follower === undefined || follower.isCaughtUp(log.logEndOffset, now, this.#context.replicaLagTimeMaxMs());
    });
    if (next.length < isr.length) this.#changeIsr({ kind: 'shrinking', isr, next });
  }

  #changeIsr(pending: IsrState & { readonly next: readonly number[] }): void {
    this.#isrState = pending;
    const { partitionEpoch, leaderEpoch, topicId, index: partition } = this;
    const isr = pending.next.map((brokerId) => ({ brokerId, brokerEpoch: this.#brokerEpochOf(brokerId) }));
    this.#context.isrChanger.change({ topicId, partition, leaderEpoch, partitionEpoch, isr }).then(
      (answer) => {
        if (this.#isrState !== pending || answer.partitionEpoch < this.partitionEpoch || answer.leaderEpoch !== this.leaderEpoch)
          return;
        assert(this.#registration !== null, 'a leader is registered');
        this.#setRegistration({ ...this.#registration, isr: answer.isr, partitionEpoch: answer.partitionEpoch });
        // A smaller ISR may let the watermark pass, a larger one may fulfil the minimum.
        if (!this.maybeAdvanceHighWatermark()) this.#context.advanced(this);
      },
      (error: unknown) => {
        this.#context.environment.logger.info('The ISR was not changed', { topic: this.topic, partition, error });
        // The next fetch or the next look at the lag asks again, on top of what the controller has said by then.
        if (this.#isrState === pending) this.#isrState = { kind: 'committed', isr: pending.isr };
      },
    );
  }

  #brokerEpochOf(brokerId: number): number {
    if (brokerId === this.#context.brokerId) return this.#context.eligibleBrokerEpoch(brokerId) ?? -1;
    return this.#followers.get(brokerId)?.brokerEpoch ?? -1;
  }

  /** What was appended counts when it is durable. */
  #waitForFlush(log: PartitionLog, flushed: Promise<void>): void {
    this.#flushTarget = log.logEndOffset;
    flushed.then(
      () => {
        // The log may be another one by now, or somebody else's to lead.
        if (this.#log !== log || !this.#isLeader) return;
        if (!this.maybeAdvanceHighWatermark()) this.#context.advanced(this);
      },
      (error: unknown) => {
        // Truncated before it was durable: whoever waited was told when the role changed.
        if (!(error instanceof KafkaError)) this.#context.storageFailed(this, error);
      },
    );
  }

  #setRegistration(registration: PartitionRegistration): void {
    this.#registration = registration;
    this.#isrState = { kind: 'committed', isr: registration.isr };
    if (!this.#isLeader) return;
    for (const brokerId of this.#followers.keys())
      if (!registration.replicas.includes(brokerId)) this.#followers.delete(brokerId);
    for (const brokerId of registration.replicas) {
      if (brokerId !== this.#context.brokerId && !this.#followers.has(brokerId))
        this.#followers.set(brokerId, new FollowerState(brokerId));
    }
  }

  #beginLeading(registration: PartitionRegistration, log: PartitionLog): void {
    this.#leaderEpochStartOffset = log.logEndOffset;
    // So that an epoch in which nothing is written has its place in the log as well (KIP-279).
    log.assignEpochStartOffset(registration.leaderEpoch, log.logEndOffset);
    // Records that outlived their process may still be lost with the power: readers wait for them as they did before.
    if (log.mustFlushBeforeAck && log.recoveryPoint < log.logEndOffset) {
      this.#waitForFlush(log, log.whenFlushed(log.logEndOffset));
    }
    const now = this.#context.environment.clock.monotonic();
    for (const follower of this.#followers.values())
      follower.forget({ now, isInIsr: registration.isr.includes(follower.brokerId) });
  }
}
