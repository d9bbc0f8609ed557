import type { Millis } from '../../base/clock.ts';
import { KafkaError } from '../../protocol/errors.ts';
import type { Client } from '../client.ts';
import { ClientError } from '../client-error.ts';
import { type Assignment, Consumer } from '../consumer.ts';
import type { FetchedChunk } from '../fetched-chunk.ts';
import { among, keyOf, type TopicPartition, without } from '../topic-partition.ts';
import { ClassicMembership } from './classic-membership.ts';
import { ConsumerMembership } from './consumer-membership.ts';
import { GroupCoordinator } from './group-coordinator.ts';
import { type GroupOptions, type GroupSettings, groupSettings } from './group-options.ts';
import type { OffsetToCommit } from './group-offsets.ts';
import type { MemberIdentity, Membership, MembershipListener, Subscription } from './membership.ts';
import { OffsetCommitter } from './offset-committer.ts';

/** What an application may want to know of its partitions. Called between two polls or inside of one. */
export interface RebalanceListener {
  assigned?(places: readonly TopicPartition[]): void;
  /** Still the member's: what was read of them can be committed. */
  revoked?(places: readonly TopicPartition[]): Promise<void> | void;
  /** Somebody else's already. */
  lost?(places: readonly TopicPartition[]): void;
}

interface Revocation {
  readonly places: readonly TopicPartition[];
  readonly done: () => void;
}

/** How long a commit may take that others wait for. */
const FINAL_COMMIT_MS = 5000;

/**
 * Reads what its group gives it. Everything that a poll handed out counts as processed when the next poll comes: only then it is committed,
 * and only then partitions are given up.
 */
export class GroupConsumer {
  readonly #client: Client;
  readonly #settings: GroupSettings;
  readonly #consumer: Consumer;
  readonly #coordinator: GroupCoordinator;
  readonly #membership: Membership;
  readonly #committer: OffsetCommitter;
  readonly #listener: RebalanceListener;
  readonly #isReadingCommitted: boolean;
  #revocations: Revocation[] = [];
  /** By key, what was assigned but has no position yet; each time it is assigned is another. */
  readonly #beginning = new Map<string, object>();
  #failure: Error | null = null;
  #committedAt: Millis;
  #isPolling = false;
  #isClosed = false;

  constructor(client: Client, options: GroupOptions, subscription: Subscription, listener: RebalanceListener = {}) {
    this.#client = client;
    this.#settings = groupSettings(options);
    this.#listener = listener;
    this.#isReadingCommitted = options.isolationLevel === 'read_committed';
    this.#consumer = new Consumer(client, options);
    this.#coordinator = new GroupCoordinator(client, options.groupId);
    this.#committedAt = client.environment.clock.monotonic();
    const context = {
      client,
      coordinator: this.#coordinator,
      settings: this.#settings,
      subscription,
      listener: this.#membershipListener(),
    };
    this.#membership = this.#settings.protocol === 'consumer' ? new ConsumerMembership(context) : new ClassicMembership(context);
    this.#committer = new OffsetCommitter({
      client,
      coordinator: this.#coordinator,
      identity: () => this.#membership.identity,
    });
    this.#membership.start();
  }

  get assignment(): readonly TopicPartition[] {
    return this.#membership.owned;
  }

  get identity(): MemberIdentity {
    return this.#membership.identity;
  }

  /** Whether the member is in the group and has all that it shall have at the moment. */
  get isSettled(): boolean {
    return this.#membership.isSettled;
  }

  /** The next offset to be handed out; null while it is not known. */
  position(place: TopicPartition): number | null {
    return this.#consumer.has(place) ? this.#consumer.position(place) : null;
  }

  /** Goes on at an offset of a partition that has a position. */
  seek(place: TopicPartition, offset: number): void {
    this.#consumer.seek(place, offset);
  }

  /** Chunks of the member's partitions, waiting up to `timeoutMs` for the first. Throws what stops the member or the reading. */
  async poll(timeoutMs: Millis): Promise<FetchedChunk[]> {
    const { clock } = this.#client.environment;
    const deadline = clock.monotonic() + timeoutMs;
    this.#membership.polled();
    for (;;) {
      if (this.#isClosed) throw new ClientError('closed', 'The consumer is closed');
      while (this.#revocations.length > 0) await this.#giveUp();
      if (this.#failure !== null) throw this.#takeFailure();
      this.#autoCommit();
      this.#isPolling = true;
      const chunks = await this.#consumer.poll(Math.max(0, deadline - clock.monotonic())).finally(() => {
        this.#isPolling = false;
      });
      if (chunks.length > 0 || (clock.monotonic() >= deadline && this.#revocations.length === 0)) return chunks;
    }
  }

  /** Commits what was handed out, or exactly these offsets. Throws KafkaError if the group does not take them. */
  async commit(offsets?: readonly OffsetToCommit[]): Promise<void> {
    await this.#committer.commit(offsets ?? this.#committer.unknown(this.#positions(this.#consumer.assignment)));
  }

  /** Commits, leaves the group and stops. What was handed out counts as processed. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#giveUp();
    await this.#membership.leave();
    await this.#consumer.close();
  }

  #membershipListener(): MembershipListener {
    return {
      revoking: (places) => this.#revoking(places),
      assigned: (places) => {
        this.#listener.assigned?.(places);
        void this.#begin(places);
      },
      lost: (places) => {
        this.#remove(places);
        this.#listener.lost?.(places);
        this.#consumer.wakeUp();
      },
      failed: (error) => this.#fail(error),
    };
  }

  /** Waits for the next poll, because what the last one handed out may still be in work; not if one waits already or none will come. */
  async #revoking(places: readonly TopicPartition[]): Promise<void> {
    await new Promise<void>((done) => {
      this.#revocations.push({ places, done });
      if (this.#isClosed) void this.#giveUp();
      else if (this.#isPolling) this.#consumer.wakeUp();
    });
  }

  async #giveUp(): Promise<void> {
    const revocations = this.#revocations;
    this.#revocations = [];
    for (const { places, done } of revocations) {
      // Some may have been lost before the poll came.
      const held = among(places, this.#consumer.assignment);
      try {
        if (held.length > 0) await this.#listener.revoked?.(held);
        if (this.#settings.enableAutoCommit)
          await this.#committer.commit(this.#committer.unknown(this.#positions(held)), FINAL_COMMIT_MS);
      } catch (error) {
        this.#client.environment.logger.debug('offsets of partitions that are given up were not committed', { error });
      } finally {
        this.#remove(places);
        done();
      }
    }
  }

  #remove(places: readonly TopicPartition[]): void {
    for (const place of places) this.#beginning.delete(keyOf(place));
    this.#consumer.remove(places);
  }

  /** Goes on where the group stopped. Never rejects: what goes wrong is told by the next poll. */
  async #begin(places: readonly TopicPartition[]): Promise<void> {
    const beginning = {};
    for (const place of places) this.#beginning.set(keyOf(place), beginning);
    const wanted = (): TopicPartition[] =>
      this.#isClosed ? [] : places.filter((place) => this.#beginning.get(keyOf(place)) === beginning);
    try {
      for (const topic of new Set(places.map((place) => place.topic))) await this.#client.loadTopic(topic);
      const offsets = await this.#committer.fetch(wanted(), this.#isReadingCommitted);
      const starts = wanted().map((place): Assignment => {
        const committed = offsets.get(keyOf(place));
        return committed === undefined ? place : { ...place, start: committed.offset };
      });
      if (starts.length === 0) return;
      await this.#consumer.add(starts);
      this.#consumer.remove(without(starts, wanted()));
    } catch (error) {
      if (wanted().length === 0) return;
      // The membership notices by itself that it is over, and comes back with new partitions.
      if (error instanceof KafkaError && MEMBERSHIP_ERRORS.has(error.errorName)) return;
      this.#fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #autoCommit(): void {
    const { enableAutoCommit, autoCommitIntervalMs } = this.#settings;
    const now = this.#client.environment.clock.monotonic();
    if (!enableAutoCommit || now - this.#committedAt < autoCommitIntervalMs) return;
    this.#committedAt = now;
    const offsets = this.#committer.unknown(this.#positions(this.#consumer.assignment));
    this.#committer.commit(offsets, autoCommitIntervalMs).catch((error: unknown) => {
      this.#client.environment.logger.debug('offsets were not committed; they are with the next ones', { error });
    });
  }

  #positions(places: readonly TopicPartition[]): OffsetToCommit[] {
    return places.flatMap(({ topic, partition }) => {
      const offset = this.#consumer.position({ topic, partition });
      if (offset === null) return [];
      return [{ topic, partition, offset, leaderEpoch: this.#consumer.positionEpoch({ topic, partition }) }];
    });
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#consumer.wakeUp();
  }

  #takeFailure(): Error {
    const failure = this.#failure ?? new ClientError('closed', 'The consumer is closed');
    this.#failure = null;
    return failure;
  }
}

const MEMBERSHIP_ERRORS: ReadonlySet<string> = new Set([
  'UNKNOWN_MEMBER_ID',
  'STALE_MEMBER_EPOCH',
  'ILLEGAL_GENERATION',
  'FENCED_MEMBER_EPOCH',
]);
