import type { Timer } from '../../base/clock.ts';
import { KafkaError } from '../../protocol/errors.ts';
import { Backoff } from '../backoff.ts';
import { type Client, isRetriableFailure } from '../client.ts';
import { type TopicPartition, without } from '../topic-partition.ts';
import { WakeUp } from '../wake-up.ts';
import { classicAssignors } from './assignors/index.ts';
import { ClassicLeader } from './classic-leader.ts';
import { ClassicRequests, type JoinAnswer } from './classic-requests.ts';
import { encodeSubscription } from './classic-data.ts';
import type { GroupCoordinator } from './group-coordinator.ts';
import type { GroupSettings } from './group-options.ts';
import type { MemberIdentity, Membership, MembershipListener, Subscription } from './membership.ts';
import { PollWatch } from './poll-watch.ts';
import { sameCounts, SubscribedTopics } from './subscribed-topics.ts';

export interface MembershipContext {
  readonly client: Client;
  readonly coordinator: GroupCoordinator;
  readonly settings: GroupSettings;
  readonly subscription: Subscription;
  readonly listener: MembershipListener;
}

/** outside: no generation. joining: between JoinGroup and the assignment. stable: has its partitions. idle: left, because nobody polls. */
type Phase = 'outside' | 'joining' | 'stable' | 'idle';

/**
 * A member by the classic protocol: JoinGroup, then SyncGroup, then heartbeats until one says that the group rebalances. Eager members give
 * up everything before they join again; cooperative ones only what the new assignment takes from them (KIP-429).
 */
export class ClassicMembership implements Membership {
  readonly #context: MembershipContext;
  readonly #requests: ClassicRequests;
  readonly #topics: SubscribedTopics;
  readonly #leader: ClassicLeader;
  readonly #isCooperative: boolean;
  readonly #backoff: Backoff;
  readonly #wakeUp: WakeUp;
  readonly #polls: PollWatch;
  #memberId = '';
  #generation = -1;
  #owned: readonly TopicPartition[] = [];
  #phase: Phase = 'outside';
  #joined: readonly string[] = [];
  #counts: ReadonlyMap<string, number> | null = null;
  #rejoinReason: string | null = 'the member is new';
  #failure: Error | null = null;
  #beat: Timer | null = null;
  #isLeaving = false;

  constructor(context: MembershipContext) {
    const { client, coordinator, settings, subscription } = context;
    const { clock, random } = client.environment;
    this.#context = context;
    this.#requests = new ClassicRequests(coordinator, settings);
    this.#topics = new SubscribedTopics(client, subscription);
    this.#leader = new ClassicLeader(this.#topics, client.environment.logger);
    this.#isCooperative = settings.assignors.every((name) => classicAssignors[name].isCooperative);
    this.#backoff = new Backoff(random, client.settings.retryBackoffMs, client.settings.retryBackoffMaxMs);
    this.#wakeUp = new WakeUp(clock);
    this.#polls = new PollWatch(clock, settings.maxPollIntervalMs);
  }

  start(): void {
    void this.#run();
  }

  get identity(): MemberIdentity {
    return { memberId: this.#memberId, epoch: this.#generation, instanceId: this.#context.settings.groupInstanceId };
  }

  get owned(): readonly TopicPartition[] {
    return this.#owned;
  }

  get isSettled(): boolean {
    return this.#phase === 'stable' && this.#rejoinReason === null;
  }

  polled(): void {
    this.#polls.polled();
    if (this.#phase === 'idle') this.rejoin('the application polls again');
  }

  rejoin(reason: string): void {
    this.#rejoinReason ??= reason;
    this.#wakeUp.call();
  }

  async leave(): Promise<void> {
    this.#isLeaving = true;
    this.#wakeUp.call();
    await this.#revoke(this.#owned);
    this.#stopBeating();
    const { settings, coordinator, client } = this.#context;
    // A static member only goes when its session ends: its partitions wait for its return.
    if (this.#memberId !== '' && settings.groupInstanceId === null) {
      await this.#requests.leave(this.identity, 'the consumer is being closed').catch((error: unknown) => {
        client.environment.logger.debug('the group was not told that a member leaves', { error });
      });
    }
    coordinator.close();
  }

  async #run(): Promise<void> {
    while (!this.#isLeaving) {
      try {
        await this.#prepare();
        if (this.#isLeaving) return;
        await this.#join();
        this.#backoff.reset();
        await this.#stay();
      } catch (error) {
        if (this.#isLeaving) return;
        if (!this.#mayGoOn(error)) {
          this.#lose();
          this.#context.listener.failed(error instanceof Error ? error : new Error(String(error)));
          return;
        }
        if (isRetriableFailure(error)) await this.#wakeUp.pause(this.#backoff.next());
      }
    }
  }

  /** Gives up what has to be free before the group divides anew, and learns what to ask for. */
  async #prepare(): Promise<void> {
    this.#joined = await this.#topics.names();
    const kept = this.#isCooperative ? new Set(this.#joined) : new Set<string>();
    await this.#revoke(this.#owned.filter(({ topic }) => !kept.has(topic)));
  }

  async #join(): Promise<void> {
    const { settings } = this.#context;
    const reason = this.#rejoinReason ?? 'the group rebalances';
    this.#rejoinReason = null;
    this.#failure = null;
    this.#stopBeating();
    this.#phase = 'joining';
    const metadata = encodeSubscription({
      topics: this.#joined,
      owned: this.#owned,
      generation: this.#generation,
      rackId: settings.clientRack,
    });
    let answer = await this.#requests.join(this.#memberId, metadata, reason);
    this.#memberId = answer.memberId;
    if (answer.errorCode !== 0) answer = await this.#requests.join(this.#memberId, metadata, reason);
    this.#memberId = answer.memberId;
    this.#generation = answer.generationId;
    this.#scheduleBeat();
    const assigned = await this.#requests.sync(this.identity, answer.protocolName, await this.#leadIfLeader(answer));
    this.#phase = 'stable';
    await this.#take(assigned);
  }

  async #leadIfLeader(answer: JoinAnswer): Promise<{ memberId: string; assignment: Buffer }[]> {
    this.#counts = null;
    if (answer.leader !== this.#memberId) return [];
    const { counts, assignments } = await this.#leader.assign(answer);
    this.#counts = counts;
    return assignments;
  }

  async #take(assigned: readonly TopicPartition[]): Promise<void> {
    const gone = without(this.#owned, assigned);
    const added = without(assigned, this.#owned);
    await this.#revoke(gone);
    if (this.#isLeaving) return;
    this.#owned = [...this.#owned, ...added];
    if (added.length > 0) this.#context.listener.assigned(added);
    if (gone.length > 0 && this.#isCooperative) this.rejoin('partitions were given up for others');
  }

  /** Until there is a reason to join again. */
  async #stay(): Promise<void> {
    const { metadataMaxAgeMs } = this.#context.client.settings;
    const { clock } = this.#context.client.environment;
    let watchAt = clock.monotonic() + metadataMaxAgeMs;
    while (!this.#isLeaving && this.#rejoinReason === null) {
      await this.#wakeUp.pause(this.#phase === 'idle' ? Infinity : watchAt - clock.monotonic());
      if (this.#failure !== null) throw this.#failure;
      if (this.#phase !== 'stable' || clock.monotonic() < watchAt) continue;
      watchAt = clock.monotonic() + metadataMaxAgeMs;
      await this.#watchTopics();
    }
  }

  /** Topics appear, grow and go. Who leads the group sees to everybody's. */
  async #watchTopics(): Promise<void> {
    await this.#context.client.refreshQuietly();
    const names = await this.#topics.names();
    if (names.length !== this.#joined.length || names.some((name, index) => name !== this.#joined[index])) {
      this.rejoin('other topics match the subscription');
    } else if (this.#counts !== null && !sameCounts(this.#counts, await this.#topics.counts(this.#counts.keys()))) {
      this.rejoin('topics have other partitions');
    }
  }

  async #revoke(places: readonly TopicPartition[]): Promise<void> {
    if (places.length === 0) return;
    await this.#context.listener.revoking(places);
    this.#owned = without(this.#owned, places);
  }

  #lose(): void {
    const places = this.#owned;
    this.#owned = [];
    this.#stopBeating();
    this.#phase = 'outside';
    if (places.length > 0) this.#context.listener.lost(places);
  }

  /** What an error means for the member; false if it ends here. */
  #mayGoOn(error: unknown): boolean {
    if (error instanceof KafkaError) {
      switch (error.errorName) {
        case 'REBALANCE_IN_PROGRESS':
          return true;
        case 'UNKNOWN_MEMBER_ID':
          this.#memberId = '';
          this.#forgetGeneration('the group did not know the member any more');
          return true;
        case 'ILLEGAL_GENERATION':
          this.#forgetGeneration('the group went on without the member');
          return true;
        default:
          this.#context.coordinator.notice(error);
      }
    }
    return isRetriableFailure(error);
  }

  #forgetGeneration(reason: string): void {
    this.#generation = -1;
    this.#lose();
    this.#rejoinReason ??= reason;
  }

  #scheduleBeat(): void {
    this.#stopBeating();
    const { clock } = this.#context.client.environment;
    this.#beat = clock.schedule(this.#context.settings.heartbeatIntervalMs, () => void this.#sendBeat());
  }

  #stopBeating(): void {
    this.#beat?.cancel();
    this.#beat = null;
  }

  /** Never rejects: what is wrong is for the loop. */
  async #sendBeat(): Promise<void> {
    const beat = this.#beat;
    if (this.#polls.isOver) {
      await this.#goIdle();
      return;
    }
    try {
      await this.#requests.heartbeat(this.identity);
    } catch (error) {
      // Since then the member has joined again, or left.
      if (beat !== this.#beat) return;
      this.#beatFailed(error);
      return;
    }
    if (beat === this.#beat) this.#scheduleBeat();
  }

  #beatFailed(error: unknown): void {
    const isRebalancing = error instanceof KafkaError && error.errorName === 'REBALANCE_IN_PROGRESS';
    if (isRebalancing || isRetriableFailure(error)) {
      this.#context.coordinator.notice(error);
      this.#scheduleBeat();
      // While it waits for its assignment the answer to that says the same.
      if (isRebalancing && this.#phase === 'stable') this.rejoin('the group rebalances');
      return;
    }
    this.#failure = error instanceof Error ? error : new Error(String(error));
    this.#wakeUp.call();
  }

  async #goIdle(): Promise<void> {
    const { logger } = this.#context.client.environment;
    logger.debug('the application does not poll, so that the member leaves its group', { group: this.#context.settings.groupId });
    const { identity } = this;
    this.#memberId = '';
    this.#generation = -1;
    this.#lose();
    this.#phase = 'idle';
    if (identity.instanceId !== null) return;
    await this.#requests.leave(identity, 'the application does not poll').catch((error: unknown) => {
      logger.debug('the group was not told that a member leaves', { error });
    });
  }
}
