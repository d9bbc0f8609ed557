import { randomUuid, type Uuid } from '../../base/uuid.ts';
import { errorNameOf, KafkaError } from '../../protocol/errors.ts';
import { consumerGroupHeartbeat } from '../../protocol/messages/68-consumer-group-heartbeat.ts';
import type { RequestInput, ResponseOf } from '../../protocol/schema.ts';
import { Backoff } from '../backoff.ts';
import { isRetriableFailure } from '../client.ts';
import { type TopicPartition, without } from '../topic-partition.ts';
import { WakeUp } from '../wake-up.ts';
import type { MembershipContext } from './classic-membership.ts';
import type { MemberIdentity, Membership } from './membership.ts';
import { PollWatch } from './poll-watch.ts';
import { topicNames } from './topic-names.ts';

const JOIN_EPOCH = 0;
const LEAVE_EPOCH = -1;
/** A static member that goes, but comes back. */
const LEAVE_STATIC_EPOCH = -2;
/** Before the coordinator has said how often. */
const FIRST_INTERVAL_MS = 5000;

type Beat = RequestInput<typeof consumerGroupHeartbeat>;
type Answer = ResponseOf<typeof consumerGroupHeartbeat>;

interface OwnedPartition extends TopicPartition {
  readonly topicId: Uuid;
}

/** What the coordinator wants the member to own, as it came: topics by their ids. */
type Target = NonNullable<Answer['assignment']>['topicPartitions'];

/**
 * A member by the protocol of KIP-848: heartbeats say what it owns, answers say what it shall own. It gives up first and says so, and only
 * then gets what others have given up. Everything else goes on meanwhile.
 */
export class ConsumerMembership implements Membership {
  readonly #context: MembershipContext;
  readonly #backoff: Backoff;
  readonly #wakeUp: WakeUp;
  readonly #polls: PollWatch;
  /** Made by the client, and kept for all of its life (KIP-1082). */
  readonly #memberId: string;
  #epoch = JOIN_EPOCH;
  #intervalMs = FIRST_INTERVAL_MS;
  #owned: readonly OwnedPartition[] = [];
  /** Not reached yet. */
  #target: Target | null = null;
  #isReconciling = false;
  /** Everything is said again: the coordinator knows nothing, or an answer was lost. */
  #saysAll = true;
  #saysOwned = true;
  /** Counts how often the member was thrown out: what was begun before means nothing after. */
  #lives = 0;
  /** Something was sent since it last had nothing to do with the group. */
  #mayBeMember = false;
  #isIdle = false;
  #isLeaving = false;

  constructor(context: MembershipContext) {
    const { client, settings } = context;
    const { clock, random } = client.environment;
    this.#context = context;
    this.#memberId = randomUuid(random);
    this.#backoff = new Backoff(random, client.settings.retryBackoffMs, client.settings.retryBackoffMaxMs);
    this.#wakeUp = new WakeUp(clock);
    this.#polls = new PollWatch(clock, settings.maxPollIntervalMs);
  }

  start(): void {
    void this.#run();
  }

  get identity(): MemberIdentity {
    return { memberId: this.#memberId, epoch: this.#epoch, instanceId: this.#context.settings.groupInstanceId };
  }

  get owned(): readonly TopicPartition[] {
    return this.#owned;
  }

  get isSettled(): boolean {
    return this.#epoch > 0 && this.#target === null && !this.#isReconciling;
  }

  polled(): void {
    this.#polls.polled();
    if (!this.#isIdle) return;
    this.#isIdle = false;
    this.#wakeUp.call();
  }

  rejoin(): void {
    this.#saysAll = true;
    this.#wakeUp.call();
  }

  async leave(): Promise<void> {
    this.#isLeaving = true;
    this.#wakeUp.call();
    if (this.#owned.length > 0) await this.#context.listener.revoking(this.#owned);
    this.#owned = [];
    // A join that is not answered yet may have been done: the request to leave follows it on its connection.
    if (this.#mayBeMember) await this.#sendLeave();
    this.#context.coordinator.close();
  }

  async #run(): Promise<void> {
    while (!this.#isLeaving) {
      if (this.#polls.isOver) await this.#goIdle();
      if (this.#isIdle) {
        await this.#wakeUp.pause(Infinity);
        continue;
      }
      try {
        await this.#beat();
        this.#backoff.reset();
        if (!this.#isLeaving && !this.#hasNews) await this.#wakeUp.pause(this.#intervalMs);
      } catch (error) {
        if (this.#isLeaving) return;
        this.#saysAll = true;
        if (!this.#mayGoOn(error)) {
          this.#lose();
          this.#context.listener.failed(error instanceof Error ? error : new Error(String(error)));
          return;
        }
        if (isRetriableFailure(error)) await this.#wakeUp.pause(this.#backoff.next());
      }
    }
  }

  /** Something that the coordinator does not know yet, and waits for. */
  get #hasNews(): boolean {
    return this.#saysOwned || this.#saysAll;
  }

  async #beat(): Promise<void> {
    const life = this.#lives;
    const input = this.#nextBeat();
    this.#saysAll = false;
    this.#saysOwned = false;
    this.#mayBeMember = true;
    const answer = await this.#context.coordinator.requestAsMember(consumerGroupHeartbeat, input);
    if (this.#isLeaving || life !== this.#lives) return;
    throwIfError(answer);
    this.#epoch = answer.memberEpoch;
    this.#intervalMs = answer.heartbeatIntervalMs;
    if (answer.assignment !== null) this.#target = answer.assignment.topicPartitions;
    if (this.#target !== null && !this.#isReconciling) void this.#reconcile();
  }

  #nextBeat(): Beat {
    const { groupId, groupInstanceId: instanceId, clientRack, maxPollIntervalMs, remoteAssignor } = this.#context.settings;
    const { subscription } = this.#context;
    const base = { groupId, memberId: this.#memberId, memberEpoch: this.#epoch, instanceId };
    const isJoining = this.#epoch === JOIN_EPOCH;
    const topicPartitions = isJoining ? [] : byTopicId(this.#owned);
    if (!this.#saysAll && !isJoining) return this.#saysOwned ? { ...base, topicPartitions } : base;
    return {
      ...base,
      rackId: clientRack === '' ? null : clientRack,
      rebalanceTimeoutMs: maxPollIntervalMs,
      serverAssignor: remoteAssignor,
      topicPartitions,
      subscribedTopicNames: subscription.kind === 'names' ? [...subscription.topics] : [],
      ...(subscription.kind === 'pattern' ? { subscribedTopicRegex: subscription.pattern } : {}),
    };
  }

  /** Gives up, takes, and has the next heartbeat say so. Heartbeats go on meanwhile; never rejects. */
  async #reconcile(): Promise<void> {
    const life = this.#lives;
    const isOver = (): boolean => this.#isLeaving || life !== this.#lives;
    this.#isReconciling = true;
    try {
      const target = this.#target ?? [];
      const names = await topicNames(
        this.#context.client,
        target.map(({ topicId }) => topicId),
      );
      if (isOver()) return;
      const wanted = target.flatMap(({ topicId, partitions }) => {
        const topic = names.get(topicId);
        return topic === undefined ? [] : partitions.map((partition) => ({ topic, topicId, partition }));
      });
      const gone = without(this.#owned, wanted);
      if (gone.length > 0) await this.#context.listener.revoking(gone);
      if (isOver()) return;
      const added = without(wanted, this.#owned);
      this.#owned = [...without(this.#owned, gone), ...added];
      if (added.length > 0) this.#context.listener.assigned(added);
      // A topic that nobody could name yet is looked at again with the next heartbeat; so is a target that has changed meanwhile.
      if (this.#target === target && names.size === new Set(target.map(({ topicId }) => topicId)).size) this.#target = null;
      if (gone.length + added.length === 0) return;
      this.#saysOwned = true;
      this.#wakeUp.call();
    } catch (error) {
      this.#context.client.environment.logger.debug('an assignment could not be taken over yet', { error });
    } finally {
      this.#isReconciling = false;
      // In its new life the member may have a target already.
      if (isOver()) this.#wakeUp.call();
    }
  }

  #lose(): void {
    const places = this.#owned;
    this.#lives++;
    this.#owned = [];
    this.#target = null;
    this.#epoch = JOIN_EPOCH;
    this.#saysAll = true;
    this.#mayBeMember = false;
    if (places.length > 0) this.#context.listener.lost(places);
  }

  /** What an error means for the member; false if it ends here. */
  #mayGoOn(error: unknown): boolean {
    if (error instanceof KafkaError) {
      if (error.errorName === 'UNKNOWN_MEMBER_ID' || error.errorName === 'FENCED_MEMBER_EPOCH') {
        this.#lose();
        return true;
      }
      this.#context.coordinator.notice(error);
    }
    return isRetriableFailure(error);
  }

  async #goIdle(): Promise<void> {
    const { logger } = this.#context.client.environment;
    logger.debug('the application does not poll, so that the member leaves its group', { group: this.#context.settings.groupId });
    const mayBeMember = this.#mayBeMember;
    this.#lose();
    if (mayBeMember) await this.#sendLeave();
    this.#isIdle = this.#polls.isOver;
  }

  async #sendLeave(): Promise<void> {
    const { coordinator, settings, client } = this.#context;
    const memberEpoch = settings.groupInstanceId === null ? LEAVE_EPOCH : LEAVE_STATIC_EPOCH;
    const input = { groupId: settings.groupId, memberId: this.#memberId, memberEpoch, instanceId: settings.groupInstanceId };
    try {
      throwIfError(await coordinator.requestAsMember(consumerGroupHeartbeat, input));
    } catch (error) {
      client.environment.logger.debug('the group was not told that a member leaves', { error });
    }
  }
}

function throwIfError({ errorCode, errorMessage }: Answer): void {
  if (errorCode === 0) return;
  const name = errorNameOf(errorCode);
  throw errorMessage === null ? new KafkaError(name) : new KafkaError(name, errorMessage);
}

function byTopicId(owned: readonly OwnedPartition[]): { topicId: Uuid; partitions: number[] }[] {
  return [...Map.groupBy(owned, ({ topicId }) => topicId)].map(([topicId, places]) => ({
    topicId,
    partitions: places.map(({ partition }) => partition),
  }));
}
