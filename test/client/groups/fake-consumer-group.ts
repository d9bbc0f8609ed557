import { codeOf, type ErrorName } from '../../../src/protocol/errors.ts';
import { consumerGroupHeartbeat } from '../../../src/protocol/messages/68-consumer-group-heartbeat.ts';
import type { RequestOf } from '../../../src/protocol/schema.ts';
import type { FakeCluster } from '../fake-cluster.ts';
import { FakeOffsets } from './fake-offsets.ts';

type Beat = RequestOf<typeof consumerGroupHeartbeat>;

interface Member {
  readonly id: string;
  readonly instanceId: string | null;
  epoch: number;
  topics: readonly string[];
  pattern: string | null;
  /** By `id/partition`: what it may hold. */
  held: Set<string>;
  /** What it was told to own with the last answer that said so. */
  told: string;
  /** It has left, but its instance is expected back. */
  isAway: boolean;
}

const INTERVAL_MS = 3000;

/** A group of KIP-848 with what its clients can see of a coordinator: partitions are dealt out in order, and free before they move. */
export class FakeConsumerGroup {
  readonly #cluster: FakeCluster;
  readonly offsets: FakeOffsets;
  readonly members = new Map<string, Member>();
  epoch = 0;
  #targets = new Map<string, Set<string>>();
  readonly left: string[] = [];
  /** All requests that were more than a sign of life. */
  readonly news: Beat[] = [];

  constructor(cluster: FakeCluster) {
    this.#cluster = cluster;
    this.offsets = new FakeOffsets(cluster);
    this.offsets.check = (memberId, epoch) => this.#check(memberId, epoch);
    cluster.handlers.set(consumerGroupHeartbeat.key, (request, context) => {
      const error = this.offsets.errorAt(context);
      return error === null ? this.#beat(request as Beat) : this.#failed(error);
    });
  }

  /** Forgets a member as if its session had ended. */
  expel(memberId: string): void {
    if (this.members.delete(memberId)) this.#divide();
  }

  /** Looks at the topics again. */
  topicsChanged(): void {
    this.#divide();
  }

  #failed(error: ErrorName): unknown {
    return {
      errorCode: codeOf(error),
      errorMessage: null,
      memberId: null,
      memberEpoch: 0,
      heartbeatIntervalMs: 0,
      assignment: null,
    };
  }

  #check(memberId: string, epoch: number): ErrorName | null {
    const member = this.members.get(memberId);
    if (member === undefined) return 'UNKNOWN_MEMBER_ID';
    return epoch === member.epoch ? null : 'STALE_MEMBER_EPOCH';
  }

  #beat(beat: Beat): unknown {
    if (beat.memberEpoch < 0) return this.#leave(beat);
    const known = this.members.get(beat.memberId);
    if (beat.memberEpoch > 0 && known === undefined) return this.#failed('UNKNOWN_MEMBER_ID');
    if (beat.memberEpoch > (known?.epoch ?? 0)) return this.#failed('FENCED_MEMBER_EPOCH');
    const member = beat.memberEpoch === 0 ? this.#join(beat, known) : (known as Member);
    if (beat.topicPartitions !== null) {
      this.news.push(beat);
      const owned = new Set(
        beat.topicPartitions.flatMap(({ topicId, partitions }) => partitions.map((partition) => `${topicId}/${partition}`)),
      );
      for (const key of member.held)
        if (!owned.has(key) && this.#targets.get(member.id)?.has(key) !== true) member.held.delete(key);
    }
    return this.#answer(member, beat.topicPartitions !== null);
  }

  #join(beat: Beat, known: Member | undefined): Member {
    const away = [...this.members.values()].find(({ isAway, instanceId }) => isAway && instanceId === beat.instanceId);
    const member: Member = {
      id: beat.memberId,
      instanceId: beat.instanceId,
      epoch: 0,
      topics: beat.subscribedTopicNames ?? [],
      pattern: beat.subscribedTopicRegex,
      held: new Set(),
      told: '',
      isAway: false,
    };
    if (away !== undefined) {
      this.members.delete(away.id);
      this.#targets.set(member.id, this.#targets.get(away.id) ?? new Set());
    }
    this.members.set(member.id, member);
    if (away === undefined && known === undefined) this.#divide();
    return member;
  }

  #leave({ memberId, memberEpoch }: Beat): unknown {
    const member = this.members.get(memberId);
    if (member === undefined) return this.#failed('UNKNOWN_MEMBER_ID');
    this.left.push(`${memberEpoch}`);
    member.held.clear();
    member.isAway = memberEpoch === -2;
    if (!member.isAway) this.expel(memberId);
    return { memberId, memberEpoch, heartbeatIntervalMs: 0, errorMessage: null, assignment: null };
  }

  /** A new epoch with new targets. */
  #divide(): void {
    this.epoch++;
    const members = [...this.members.values()];
    this.#targets = new Map(members.map(({ id }) => [id, new Set<string>()]));
    for (const [name, { id, partitions }] of this.#cluster.topics) {
      const takers = members.filter(
        ({ topics, pattern }) => topics.includes(name) || (pattern !== null && new RegExp(`^(?:${pattern})$`).test(name)),
      );
      for (const partition of partitions.keys()) {
        const taker = takers[Math.floor((partition * takers.length) / partitions.length)];
        if (taker !== undefined) this.#targets.get(taker.id)?.add(`${id}/${partition}`);
      }
    }
  }

  #answer(member: Member, mustTell: boolean): unknown {
    const target = this.#targets.get(member.id) ?? new Set();
    const kept = [...member.held].filter((key) => target.has(key));
    const hasToGive = kept.length < member.held.size;
    if (!hasToGive) {
      member.epoch = this.epoch;
      for (const key of target) if (this.#isFree(key, member)) member.held.add(key);
    }
    // Until it has given up what it must, it is told only what it keeps.
    const owned = hasToGive ? kept : [...member.held];
    const told = owned.sort().join();
    const isNews = told !== member.told || mustTell;
    member.told = told;
    return {
      memberId: member.id,
      memberEpoch: member.epoch === 0 ? this.epoch : member.epoch,
      heartbeatIntervalMs: INTERVAL_MS,
      errorMessage: null,
      assignment: isNews ? { topicPartitions: byTopicId(owned) } : null,
    };
  }

  #isFree(key: string, taker: Member): boolean {
    return [...this.members.values()].every((other) => other === taker || !other.held.has(key));
  }
}

function byTopicId(keys: readonly string[]): { topicId: string; partitions: number[] }[] {
  const ids = Map.groupBy(keys, (key) => key.slice(0, key.indexOf('/')));
  return [...ids].map(([topicId, ofTopic]) => ({
    topicId,
    partitions: ofTopic.map((key) => Number(key.slice(key.indexOf('/') + 1))),
  }));
}
