import { SimulatedRandom } from '../../../simulation/simulated-random.ts';
import type { Values } from './fit.ts';

/** Topics that are made before the first request and stay. */
export const standingTopics: readonly {
  readonly name: string;
  readonly partitions: number;
  readonly configs: Readonly<Record<string, string>>;
}[] = [
  { name: 'plain', partitions: 3, configs: { 'internal.segment.bytes': '4096', 'index.interval.bytes': '256' } },
  { name: 'stamped', partitions: 1, configs: { 'message.timestamp.type': 'LogAppendTime' } },
  { name: 'compacted', partitions: 2, configs: { 'cleanup.policy': 'compact' } },
  { name: 'zipped', partitions: 1, configs: { 'compression.type': 'gzip' } },
  { name: 'small', partitions: 1, configs: { 'max.message.bytes': '300' } },
  {
    name: 'punctual',
    partitions: 1,
    configs: { 'message.timestamp.before.max.ms': '3600000', 'message.timestamp.after.max.ms': '1' },
  },
  { name: 'careful', partitions: 1, configs: { 'min.insync.replicas': '2' } },
];

const passingNames = ['x0', 'x1', 'x2', 'x3.dot', 'x3_dot', 'x-4'];
const oddNames = ['nope', '', '.', '..', 'bad name', 'a/b', 'größe', 'n'.repeat(249), 'n'.repeat(250)];
/** An id that no cluster has made. */
const UNKNOWN_ID = 'AAAAAAAAAAAAAAAAAAAAKg';
export const ZERO_ID = 'AAAAAAAAAAAAAAAAAAAAAA';

/** By name: id and number of partitions. */
export type TopicsNow = Readonly<Record<string, { readonly id: string; readonly partitions: number }>>;

export interface Producer {
  /** As Kafka knows it. */
  readonly id: number;
  epoch: number;
  readonly nextSequence: Map<string, number>;
}

export interface Session {
  /** As Kafka knows it. */
  readonly id: number;
  nextEpoch: number;
}

/** A member of a group, as Kafka knows it. */
export interface GroupMember {
  readonly groupId: string;
  readonly memberId: string;
  /** Of the group's generation, or of the member. */
  readonly epoch: number;
  readonly instance: string | null;
}

/** What the maker of requests knows of the clusters, from the answers so far. Ids are Kafka's. */
export class World {
  readonly random: SimulatedRandom;
  readonly nowMs: number;
  clusterId = '';
  /** By name: id and number of partitions. */
  readonly topics = new Map<string, { readonly id: string; readonly partitions: number }>();
  readonly endOffsets = new Map<string, number>();
  readonly producers: Producer[] = [];
  readonly sessions: Session[] = [];
  readonly members: GroupMember[] = [];

  constructor(seed: number, nowMs: number) {
    this.random = new SimulatedRandom(seed);
    this.nowMs = nowMs;
  }

  get topicsNow(): TopicsNow {
    return Object.fromEntries(this.topics);
  }

  pick<T>(...choices: readonly T[]): T {
    return this.random.pick(choices);
  }

  /** Half of the time the first, a quarter of the time the second, and so on. */
  mostly<T>(...choices: readonly T[]): T {
    for (const choice of choices.slice(0, -1)) if (this.random.integer(2) === 0) return choice;
    return choices.at(-1) as T;
  }

  /** True once in `times`. */
  rarely(times: number): boolean {
    return this.random.oneIn(times);
  }

  list<T>(max: number, make: () => T, min = 0): T[] {
    return Array.from({ length: min + this.random.integer(max - min + 1) }, make);
  }

  /** A name that is mostly that of a topic. */
  topicName(): string {
    if (this.rarely(12)) return this.pick(...oddNames);
    if (this.rarely(6)) return this.pick(...passingNames);
    return this.pick(...standingTopics.map(({ name }) => name), ...this.topics.keys());
  }

  /** A name for a topic that may come and go. */
  passingName(): string {
    return this.rarely(15) ? this.pick(...oddNames, 'plain') : this.pick(...passingNames);
  }

  topicId(): string {
    if (this.rarely(10)) return this.pick(UNKNOWN_ID, ZERO_ID);
    return this.topics.get(this.topicName())?.id ?? UNKNOWN_ID;
  }

  partition(topic: string | undefined): number {
    const count = (topic === undefined ? undefined : this.topics.get(topic)?.partitions) ?? 1;
    return this.rarely(12) ? this.pick(-1, count, 99) : this.random.integer(count);
  }

  nameOfId(id: string): string | undefined {
    return [...this.topics].find(([, topic]) => topic.id === id)?.[0];
  }

  /** An offset that is mostly near an end of the log. */
  offset(topic: string | undefined, partition: number): number {
    const end = this.endOffsets.get(`${topic}-${partition}`) ?? 0;
    if (this.rarely(20)) return this.pick(-1, -2, 1_000_000, Number.MAX_SAFE_INTEGER);
    return this.pick(0, 1, end, end, end - 1, end + 1, Math.floor(end / 2), this.random.integer(end + 1));
  }

  leaderEpoch(): number {
    return this.rarely(6) ? this.pick(1, 2, 7, -2) : this.pick(-1, -1, 0);
  }
}

/** Makes a request of one API for any version; fields that the version lacks are left out afterwards. */
export type RequestMaker = (world: World, version: number) => Values;
