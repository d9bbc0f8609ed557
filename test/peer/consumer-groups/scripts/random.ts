import { SimulatedRandom } from '../../../../simulation/simulated-random.ts';
import { offsetCommit } from '../../../../src/protocol/messages/08-offset-commit.ts';
import { type Talk, TalkingMember } from '../../../coordinator/group/consumer/talk/talk.ts';
import { TalkingClassic } from '../../../coordinator/group/consumer/talk/talking-classic.ts';
import { AT_ONCE, type Script } from './script.ts';

const MEMBERS_MAX = 6;
const STEPS = 60;

/** A group whose members do what comes to their minds. */
class RandomGroup {
  readonly #talk: Talk;
  readonly #random: SimulatedRandom;
  readonly #groupId: string;
  readonly #topicNames: readonly string[];
  readonly #partitions = new Map<string, number>();
  readonly #consumers: TalkingMember[] = [];
  readonly #classics: TalkingClassic[] = [];
  /** Instances that have left for a while. */
  readonly #away: string[] = [];
  readonly #speaksClassic: boolean;
  #members = 0;

  constructor(talk: Talk, seed: number) {
    this.#talk = talk;
    this.#random = new SimulatedRandom(seed);
    this.#groupId = `g${seed}`;
    this.#topicNames = ['a', 'b', 'c'].map((name) => `${name}${seed}`);
    this.#speaksClassic = seed % 2 === 0;
  }

  async live(): Promise<void> {
    await this.#topic();
    for (let step = 0; step < STEPS; step++) await this.#step();
    await this.#talk.describe(this.#groupId);
  }

  #step(): Promise<unknown> {
    const dice = this.#random.integer(100);
    if (this.#consumers.length === 0 || dice < 12) return this.#join();
    if (dice < 18) return this.#topic();
    if (dice < 22) return this.#talk.describe(this.#groupId);
    if (dice < 30) return this.#leave();
    if (dice < 37) return this.#commit();
    if (dice < 55 && this.#classics.length > 0) return this.#classicStep();
    return this.#consumerStep();
  }

  async #topic(): Promise<void> {
    const name = this.#random.pick(this.#topicNames);
    const partitions = this.#partitions.get(name);
    if (partitions === undefined) {
      this.#partitions.set(name, 1 + this.#random.integer(5));
      await this.#talk.topic(name, this.#partitions.get(name) ?? 1);
    } else if (this.#random.oneIn(3)) {
      this.#partitions.delete(name);
      await this.#talk.delete(name);
    } else {
      this.#partitions.set(name, partitions + 1 + this.#random.integer(3));
      await this.#talk.grow(name, this.#partitions.get(name) ?? 1);
    }
  }

  async #join(): Promise<void> {
    const id = `m${this.#members++}`;
    const topics = this.#topicNames.filter(() => this.#random.integer(3) > 0);
    if (this.#consumers.length + this.#classics.length >= MEMBERS_MAX) return;
    const isStatic = this.#random.oneIn(3);
    const back = isStatic && this.#random.oneIn(2) ? this.#away.shift() : undefined;
    const instance = isStatic ? { instanceId: back ?? `i-${id}` } : {};
    if (this.#speaksClassic && this.#consumers.length > 0 && this.#random.oneIn(3)) {
      const classic = new TalkingClassic(this.#talk, this.#groupId, `${this.#groupId}-${id}`, { topics, ...instance });
      this.#classics.push(classic);
      await classic.join();
      return;
    }
    const consumer = new TalkingMember(this.#talk, this.#groupId, id, { topics, ...instance });
    this.#consumers.push(consumer);
    await consumer.join();
  }

  async #leave(): Promise<void> {
    const { instanceId } = this.#random.pick(this.#consumers).options;
    const member = this.#random.pick(this.#consumers);
    if (this.#classics.length > 0 && this.#random.oneIn(3)) {
      const classic = this.#random.pick(this.#classics);
      this.#classics.splice(this.#classics.indexOf(classic), 1);
      await classic.leave();
      return;
    }
    this.#consumers.splice(this.#consumers.indexOf(member), 1);
    const isForAWhile = member.options.instanceId !== undefined && this.#random.oneIn(2);
    if (isForAWhile) this.#away.push(member.options.instanceId ?? '');
    else if (instanceId !== undefined && instanceId === member.options.instanceId) this.#random.integer(2);
    await member.leave(isForAWhile ? -2 : -1);
  }

  async #commit(): Promise<void> {
    const name = this.#random.pick(this.#topicNames);
    const member = this.#random.pick([...this.#consumers, ...this.#classics]);
    const epoch =
      (member instanceof TalkingMember ? member.epoch : member.generationId) - this.#random.integer(3) + this.#random.integer(2);
    const partitionIndex = this.#random.integer(4);
    if (!this.#partitions.has(name)) return;
    await this.#talk.ask(offsetCommit, 9, {
      groupId: this.#groupId,
      generationIdOrMemberEpoch: epoch,
      memberId: member.memberId,
      topics: [
        {
          name,
          topicId: this.#talk.topics.get(name) ?? '',
          partitions: [{ partitionIndex, committedOffset: 1, committedLeaderEpoch: -1, committedMetadata: '' }],
        },
      ],
    });
  }

  async #classicStep(): Promise<unknown> {
    const classic = this.#random.pick(this.#classics);
    switch (this.#random.integer(5)) {
      case 0:
        return classic.heartbeat();
      case 1:
        return classic.sync();
      case 2:
        return classic.heartbeat(classic.generationId + this.#random.integer(3) - 1);
      default: {
        // It keeps what it was told to, in so far as it was told.
        const joined = await classic.join();
        return joined.errorCode === 0 ? classic.sync() : joined;
      }
    }
  }

  async #consumerStep(): Promise<unknown> {
    const member = this.#random.pick(this.#consumers);
    const dice = this.#random.integer(20);
    if (member.last !== null && member.last.errorCode !== 0) return member.join();
    if (dice < 9) return member.follow();
    if (dice < 12) return member.beat();
    if (dice < 14) return member.beatFully();
    if (dice < 16) {
      member.options = { ...member.options, topics: this.#topicNames.filter(() => this.#random.oneIn(2)) };
      return member.beat({ subscribedTopicNames: member.options.topics ?? [] });
    }
    if (dice < 18) {
      // Late or early, with what it has.
      const topicPartitions = [...member.owned].map(([topicId, partitions]) => ({ topicId, partitions }));
      return member.beat({ memberEpoch: Math.max(1, member.epoch - 1 + this.#random.integer(3)), topicPartitions });
    }
    // It gives back only a part of what it was asked for.
    for (const [topicId, partitions] of member.owned) {
      const assigned = member.assigned.get(topicId) ?? [];
      const isGone = (partition: number): boolean => !assigned.includes(partition) && this.#random.oneIn(2);
      member.owned.set(
        topicId,
        partitions.filter((partition) => !isGone(partition)),
      );
    }
    return member.beat({ topicPartitions: [...member.owned].map(([topicId, partitions]) => ({ topicId, partitions })) });
  }
}

const seeds = (from: number, count: number): readonly number[] => Array.from({ length: count }, (_, index) => from + index);

export const randomScripts: readonly Script[] = [
  {
    title: 'groups of seeds 1 to 20',
    properties: { ...AT_ONCE, 'group.consumer.migration.policy': 'upgrade' },
    seeds: seeds(1, 20),
  },
  {
    title: 'groups of seeds 21 to 40, with ranges',
    properties: { ...AT_ONCE, 'group.consumer.migration.policy': 'upgrade', 'group.consumer.assignors': 'range,uniform' },
    seeds: seeds(21, 20),
  },
].map(({ title, properties, seeds: all }) => ({
  title,
  properties,
  say: async (talk) => {
    for (const seed of all) await new RandomGroup(talk, seed).live();
  },
}));
