import { assert } from '../base/assert.ts';
import type { Millis, Timer } from '../base/clock.ts';
import type { Environment } from '../base/environment.ts';
import type { Logger } from '../base/logger.ts';
import { buildBatch } from '../protocol/records/record-batch-builder.ts';
import { controlBatch, leaderChange, quorumRecords } from './control-records.ts';
import { CommitFeed } from './commit-feed.ts';
import type { QuorumDescription } from './describe-quorum.ts';
import type { QuorumStateFile } from './quorum-state-file.ts';
import { QuorumTracker } from './quorum-tracker.ts';
import { BOOTSTRAP_SNAPSHOT_ID, type OffsetAndEpoch, type RaftLog } from './raft-log.ts';
import type { LeaderAndEpoch, RaftListener, RecordSerde } from './raft-record.ts';
import { Leader } from './roles/leader.ts';
import { makeRole } from './roles/make-role.ts';
import type { Effects, RaftMessage, Role, RoleContext, Transition } from './roles/role.ts';
import { loadSnapshot } from './snapshot-reader.ts';
import { SnapshotWriter } from './snapshot-writer.ts';
import type { ReplicaKey, VoterSet } from './voter-set.ts';

export interface RaftClientOptions<R> {
  readonly self: ReplicaKey;
  readonly log: RaftLog;
  readonly quorumState: QuorumStateFile;
  readonly serde: RecordSerde<R>;
  /** The voters of `controller.quorum.voters`; what the log says about voters (kraft.version 1) goes before it. */
  readonly staticVoters: VoterSet;
  /** controller.quorum.election.timeout.ms: an election waits this long, and up to as much again. */
  readonly electionTimeoutMs: Millis;
  /** The disk under the metadata log failed, or an invariant did: the node must stop. */
  readonly fatal: (error: unknown) => void;
}

/** Appending while another node leads, or in an epoch that has passed. */
export class NotLeaderError extends Error {
  override readonly name = 'NotLeaderError';
}

const CLEANING_INTERVAL_MS = 60_000;
const DECODED_BATCHES_MAX_BYTES = 1024 * 1024;

/**
 * The metadata log of this node as a member of the quorum. It drives the role, keeps its promises (what `persist` says is on disk
 * before anything else happens) and hands committed records to the listeners.
 *
 * Appended batches of one turn of the event loop, and all that come while the device is busy with the ones before, share a sync.
 */
export class RaftClient<R> {
  readonly #environment: Environment;
  readonly #options: RaftClientOptions<R>;
  readonly #logger: Logger;
  readonly #log: RaftLog;
  readonly #quorum: QuorumTracker;
  readonly #feed: CommitFeed<R>;
  readonly #context: RoleContext;
  #role: Role;
  /** Batches that are appended in the eyes of the caller and not in the log yet. */
  #pending: { readonly bytes: Buffer; readonly recordCount: number }[] = [];
  #pendingRecords = 0;
  #isDraining = false;
  #isClosed = false;
  #durableOffset = 0;
  #roleTimer: Timer | null = null;
  #cleaningTimer: Timer | null = null;

  constructor(environment: Environment, options: RaftClientOptions<R>) {
    this.#environment = environment;
    this.#options = options;
    this.#logger = environment.logger.named('raft');
    this.#log = options.log;
    this.#quorum = QuorumTracker.load(options.log, options.staticVoters);
    this.#feed = new CommitFeed(options.log, options.serde, DECODED_BATCHES_MAX_BYTES);
    this.#context = {
      self: options.self,
      voters: () => this.#quorum.voters,
      logEnd: () => this.#log.end,
      electionTimeout: () => options.electionTimeoutMs + environment.random.integer(options.electionTimeoutMs),
    };
    this.#role = makeRole(this.#context, this.#initialRole());
  }

  /** Takes part in the quorum. A quorum of one has its leader when this returns; it has committed when its log is synced. */
  start(): void {
    this.#guarded(() => {
      this.#logger.info('taking part in the metadata quorum', {
        nodeId: this.#options.self.id,
        voters: this.#quorum.voters.ids,
        epoch: this.#role.epoch,
        logEnd: this.#log.end.offset,
      });
      this.#startRole();
      this.#tick();
      this.#scheduleCleaning();
    });
  }

  /** The listener gets all that is committed, from the latest snapshot on, and then what will be. */
  register(listener: RaftListener<R>): void {
    this.#feed.register(listener);
    this.#environment.clock.defer(() => this.#guarded(() => this.#deliver()));
  }

  get leaderAndEpoch(): LeaderAndEpoch {
    return { leaderId: this.#role.leaderId, epoch: this.#role.epoch };
  }

  get isLeader(): boolean {
    return this.#role.name === 'leader';
  }

  /** The offset after the last committed record; null while unknown. */
  get highWatermark(): number | null {
    return this.#feed.highWatermark;
  }

  /** What the leader knows about the quorum; null while this node does not lead. */
  describe(): QuorumDescription | null {
    const role = this.#role;
    if (!(role instanceof Leader)) return null;
    const { leaderId, epoch, endOffsets } = role;
    return {
      leaderId,
      epoch,
      highWatermark: this.highWatermark ?? -1,
      voters: this.voters,
      endOffsets,
      describedAt: this.#now(),
    };
  }

  get voters(): VoterSet {
    return this.#quorum.voters;
  }

  get kraftVersion(): number {
    return this.#quorum.kraftVersion;
  }

  /** The offset that the next record to be scheduled gets. */
  get nextOffset(): number {
    return this.#log.end.offset + this.#pendingRecords;
  }

  get logEnd(): OffsetAndEpoch {
    return this.#log.end;
  }

  get logStartOffset(): number {
    return this.#log.startOffset;
  }

  /** What formatting put into the bootstrap snapshot for the first leader to write; null if there is none. */
  bootstrapRecords(): R[] | null {
    const { offset, epoch } = BOOTSTRAP_SNAPSHOT_ID;
    if (!this.#log.snapshots().some((id) => id.offset === offset && id.epoch === epoch)) return null;
    const source = this.#log.readSnapshot(BOOTSTRAP_SNAPSHOT_ID);
    try {
      return [...loadSnapshot(source, this.#options.serde).records];
    } finally {
      source.close();
    }
  }

  latestSnapshotId(): OffsetAndEpoch | null {
    return this.#log.snapshots().at(-1) ?? null;
  }

  /** Appends the records as one batch, all of them or none, and gives the offset of the last. Throws NotLeaderError. */
  scheduleAppend(epoch: number, records: readonly R[]): number {
    if (!this.isLeader || this.#role.epoch !== epoch) {
      throw new NotLeaderError(`appending in epoch ${epoch} while ${this.#role.name} in epoch ${this.#role.epoch}`);
    }
    assert(records.length > 0, 'an append has records');
    const timestamp = this.#now();
    const baseOffset = this.nextOffset;
    const bytes = buildBatch({
      records: records.map((record) => ({ timestamp, value: this.#options.serde.encode(record) })),
      baseOffset,
      partitionLeaderEpoch: epoch,
    });
    this.#pending.push({ bytes, recordCount: records.length });
    this.#pendingRecords += records.length;
    const lastOffset = baseOffset + records.length - 1;
    this.#feed.appended({ baseOffset, lastOffset, epoch, appendTimestamp: timestamp, sizeInBytes: bytes.length, records });
    if (this.#pending.length === 1) this.#environment.clock.defer(() => this.#drain());
    return lastOffset;
  }

  /** Begins a snapshot of the state after all records before `id.offset`; null if there is one already. */
  createSnapshot(id: OffsetAndEpoch, lastContainedLogTimestamp: number): SnapshotWriter<R> | null {
    assert(id.offset <= (this.highWatermark ?? 0), 'a snapshot holds committed records only');
    const sink = this.#log.createSnapshot(id);
    if (sink === null) return null;
    const { clock } = this.#environment;
    const { serde } = this.#options;
    return new SnapshotWriter({ id, sink, clock, serde, lastContainedLogTimestamp, quorum: this.#quorum });
  }

  /** Removes snapshots and log that a newer snapshot has made unnecessary. */
  clean(): void {
    this.#guarded(() => this.#log.clean(this.#now()));
  }

  /** Ends what is under way and closes the log. What was scheduled and not committed is lost, as on a crash. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#roleTimer?.cancel();
    this.#cleaningTimer?.cancel();
    await this.#log.close();
  }

  #initialRole(): Transition {
    const { self, quorumState } = this.#options;
    const known = quorumState.read() ?? { epoch: 0, leaderId: null, voted: null };
    const { epoch: logEpoch } = this.#log.end;
    // The log may know more than the file where the file was lost.
    if (logEpoch > known.epoch) return { to: 'unattached', election: { epoch: logEpoch, leaderId: null, voted: null } };
    if (known.leaderId === self.id) return { to: 'resigned', epoch: known.epoch };
    if (known.leaderId !== null) return { to: 'follower', epoch: known.epoch, leaderId: known.leaderId };
    return { to: 'unattached', election: known };
  }

  #receive(message: RaftMessage): void {
    this.#apply(this.#role.receive(message, this.#now()));
  }

  #apply(effects: Effects): void {
    if (effects.persist !== undefined) {
      const form = { kraftVersion: this.#quorum.kraftVersion, voterIds: this.#quorum.voters.ids };
      this.#options.quorumState.write(effects.persist, form);
    }
    if (effects.appendLeaderChange !== undefined) this.#appendLeaderChange(effects.appendLeaderChange.grantingVoters);
    // Requests to other voters go out here once a quorum may have more than one; a quorum of one sends none.
    assert(effects.send === undefined || effects.send.length === 0, 'a quorum of one has nobody to send to');
    if (effects.highWatermark !== undefined) {
      this.#log.updateHighWatermark(effects.highWatermark);
      this.#feed.advanceTo(effects.highWatermark);
    }
    if (effects.become !== undefined) this.#become(effects.become);
    this.#deliver();
  }

  #become(transition: Transition): void {
    const before = this.#role.name;
    this.#role = makeRole(this.#context, transition);
    this.#logger.info('the role in the metadata quorum changed', { from: before, to: this.#role.name, epoch: this.#role.epoch });
    if (before === 'leader') {
      // What was not appended to the log never happened; what was may still be committed by the next leader.
      this.#pending = [];
      this.#pendingRecords = 0;
      this.#feed.forgetUncommitted();
    }
    this.#startRole();
  }

  #startRole(): void {
    const role = this.#role;
    this.#apply(role.start(this.#now()));
    if (this.#role === role) this.#feed.leaderChanged(this.leaderAndEpoch, role instanceof Leader ? role.epochStartOffset : null);
  }

  /** A leader's first batch. A quorum whose voters are known from the bootstrap snapshot alone writes them into the log as well. */
  #appendLeaderChange(grantingVoters: readonly number[]): void {
    const { voters, kraftVersion, isInLog } = this.#quorum;
    const { epoch } = this.#role;
    const { offset: baseOffset } = this.#log.end;
    const records = [leaderChange(this.#options.self.id, voters.ids, grantingVoters)];
    if (!isInLog) records.push(...quorumRecords(kraftVersion, voters));
    const timestamp = this.#now();
    const bytes = controlBatch(records, { baseOffset, epoch, timestamp });
    const lastOffset = baseOffset + records.length - 1;
    this.#log.appendAsLeader([bytes], epoch);
    this.#quorum.writtenToLog();
    this.#feed.appended({ baseOffset, lastOffset, epoch, appendTimestamp: timestamp, sizeInBytes: bytes.length, records: [] });
    this.#environment.clock.defer(() => this.#drain());
  }

  /** Writes what is pending, syncs it, tells the role, and goes on for as long as there is more. */
  #drain(): void {
    if (this.#isDraining || this.#isClosed) return;
    this.#isDraining = true;
    this.#drainAll().then(
      () => {
        this.#isDraining = false;
      },
      (error: unknown) => this.#fail(error),
    );
  }

  async #drainAll(): Promise<void> {
    while (!this.#isClosed && this.#role.name === 'leader') {
      const { epoch } = this.#role;
      if (this.#pending.length > 0) {
        const batches = this.#pending.map(({ bytes }) => bytes);
        this.#pending = [];
        this.#pendingRecords = 0;
        this.#log.appendAsLeader(batches, epoch);
      }
      const endOffset = this.#log.end.offset;
      if (endOffset === this.#durableOffset) return;
      await this.#log.flush();
      // While the device worked the role may have changed, and with it what the log holds.
      if (this.#isClosed || this.#role.name !== 'leader' || this.#role.epoch !== epoch) continue;
      this.#durableOffset = endOffset;
      this.#receive({ type: 'replica-reached', replica: this.#options.self, endOffset });
    }
  }

  #deliver(): void {
    if (!this.#isClosed) this.#feed.deliver();
  }

  #tick(): void {
    this.#roleTimer?.cancel();
    const { effects, nextDeadline } = this.#role.tick(this.#now());
    this.#apply(effects);
    if (nextDeadline === Number.POSITIVE_INFINITY) return;
    const delayMs = Math.max(0, nextDeadline - this.#now());
    this.#roleTimer = this.#environment.clock.schedule(delayMs, () => this.#guarded(() => this.#tick()));
  }

  #scheduleCleaning(): void {
    this.#cleaningTimer = this.#environment.clock.schedule(CLEANING_INTERVAL_MS, () => {
      this.clean();
      if (!this.#isClosed) this.#scheduleCleaning();
    });
  }

  #guarded(action: () => void): void {
    if (this.#isClosed) return;
    try {
      action();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#roleTimer?.cancel();
    this.#cleaningTimer?.cancel();
    this.#options.fatal(error);
  }

  #now(): Millis {
    return this.#environment.clock.now();
  }
}
