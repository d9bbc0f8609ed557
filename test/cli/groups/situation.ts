import { describeGroups } from '../../../src/client/admin-groups.ts';
import { alterGroupOffsets } from '../../../src/client/admin-group-offsets.ts';
import { createTopic } from '../../../src/client/admin-topics.ts';
import { Client } from '../../../src/client/client.ts';
import { GroupConsumer } from '../../../src/client/groups/group-consumer.ts';
import type { GroupOptions } from '../../../src/client/groups/group-options.ts';
import type { Subscription } from '../../../src/client/groups/membership.ts';
import { Producer } from '../../../src/client/producer.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { KafkaError } from '../../../src/protocol/errors.ts';
import { systemEnvironment } from '../../../src/platform/system-environment.ts';

const LONG_TOPIC = 'a-topic-with-a-rather-long-name-indeed';
const LONG_GROUP = "a group, with a rather 'long' name";
/** 2023-11-14T22:13:20Z. */
const FIRST_TIMESTAMP = 1_700_000_000_000;

/** Records of each partition, by topic. */
const topics: Readonly<Record<string, readonly number[]>> = {
  orders: [5, 7, 6],
  other: [4, 4],
  empty: [0],
  [LONG_TOPIC]: [2],
};

/** What a broker has to be told for the groups to settle soon, and to stay as they are while tools look at them. */
export const brokerProperties: Readonly<Record<string, string>> = {
  'group.initial.rebalance.delay.ms': '0',
  'group.consumer.min.heartbeat.interval.ms': '100',
  'group.consumer.heartbeat.interval.ms': '100',
  'group.consumer.assignment.interval.ms': '0',
  'group.consumer.max.session.timeout.ms': '1800000',
  'group.consumer.session.timeout.ms': '1800000',
};
const SESSION_MS = 1_800_000;

interface MemberPlan {
  readonly clientId: string;
  readonly options: GroupOptions;
  readonly subscription: Subscription;
}

const named = (...names: string[]): Subscription => ({ kind: 'names', topics: names });
const member = (
  clientId: string,
  groupId: string,
  rest: Partial<GroupOptions> = {},
  subscription = named('orders'),
): MemberPlan => ({
  clientId,
  options: {
    groupId,
    autoOffsetReset: 'latest',
    enableAutoCommit: false,
    heartbeatIntervalMs: 100,
    sessionTimeoutMs: SESSION_MS,
    ...rest,
  },
  subscription,
});

/** One member after the other, so that the groups get the same epochs each time. */
const members: readonly MemberPlan[] = [
  member('reader-1', 'readers'),
  member('pair-1', 'pair', { groupInstanceId: 'left' }),
  member('pair-2', 'pair', { groupInstanceId: 'the-right-one-of-both' }),
  member('new-1', 'new', { protocol: 'consumer' }, named('orders', 'other')),
  member('new-2', 'new', { protocol: 'consumer', groupInstanceId: 'fixed' }),
  member('new-3', 'new', { protocol: 'consumer' }, { kind: 'pattern', pattern: 'em.*' }),
  ...[1, 2, 3, 4].map((number) => member(`sticky-${number}`, 'sticky', { assignors: ['cooperative-sticky'] })),
];

/** Groups with and without members on a broker, made by our own clients. */
export class GroupSituation {
  readonly #admin: Client;
  readonly #members: RunningMember[] = [];

  private constructor(port: number) {
    this.#admin = clientOf(port, 'situation');
  }

  static async make(port: number): Promise<GroupSituation> {
    const situation = new GroupSituation(port);
    await situation.#admin.connect();
    await situation.#makeTopics();
    await situation.#commit();
    for (const plan of members) {
      situation.#members.push(new RunningMember(port, plan));
      await situation.settled();
    }
    return situation;
  }

  /** Resolves when no group has anything to move any more, in the eyes of its members and of its coordinator. */
  async settled(): Promise<void> {
    // Partitions may be on their way through several rounds: it is quiet when all have said so twice.
    for (let quiet = 0; quiet < 2; ) {
      await Promise.all(this.#members.map((each) => each.polled()));
      const groups = await describeGroups(this.#admin, [...new Set(this.#members.map(({ groupId }) => groupId))]);
      const isStable = [...groups.values()].every((group) => !(group instanceof KafkaError) && group.state === 'Stable');
      quiet = isStable && this.#members.every((each) => each.isSettled) ? quiet + 1 : 0;
    }
  }

  /** One after the other; the static ones last, so that nobody takes what waits for them. */
  async endMembers(): Promise<void> {
    for (const isStatic of [false, true]) {
      for (const each of this.#members.filter((member) => member.isStatic === isStatic)) {
        this.#members.splice(this.#members.indexOf(each), 1);
        await each.close();
        if (!isStatic) await this.settled();
      }
    }
  }

  async close(): Promise<void> {
    await this.endMembers();
    this.#admin.close();
  }

  async #makeTopics(): Promise<void> {
    const producer = new Producer(this.#admin);
    for (const [name, counts] of Object.entries(topics)) {
      await createTopic(this.#admin, { name, partitions: counts.length, configs: { 'retention.ms': '-1' } });
      for (const [partition, count] of counts.entries()) {
        for (let index = 0; index < count; index++) {
          const timestamp = FIRST_TIMESTAMP + index * 1000;
          await producer.send({ topic: name, partition, key: `key-${index}`, value: `value-${index}`, timestamp });
        }
      }
    }
    await producer.close();
  }

  /** The second letter tells two groups of one kind apart: what one tool changes, the other finds as it was. */
  async #commit(): Promise<void> {
    const commit = (groupId: string, topic: string, offsets: readonly number[]): Promise<void> =>
      alterGroupOffsets(
        this.#admin,
        groupId,
        offsets.map((offset, partition) => ({ topic, partition, offset, leaderEpoch: 0 })),
      );
    await commit('readers', 'orders', [2, 3]);
    await commit('new', 'other', [1]);
    for (const letter of ['k', 'o']) {
      await commit(`${letter}-idle`, 'orders', [2, 9, 0]);
      await commit(`${letter}-idle`, 'other', [1]);
      await commit(`${letter}-part`, 'orders', [3]);
      await commit(`${letter}-gone`, 'orders', [3]);
    }
    await commit(LONG_GROUP, LONG_TOPIC, [1]);
  }
}

const clientOf = (port: number, clientId: string): Client =>
  new Client(systemEnvironment({ logger: silentLogger }), { bootstrapServers: `127.0.0.1:${port}`, clientId });

/** A member that polls for as long as it lives. */
class RunningMember {
  readonly groupId: string;
  readonly isStatic: boolean;
  readonly #client: Client;
  readonly #consumer: GroupConsumer;
  #turn: Promise<unknown>;
  #isClosed = false;

  constructor(port: number, { clientId, options, subscription }: MemberPlan) {
    this.groupId = options.groupId;
    this.isStatic = options.groupInstanceId !== undefined;
    this.#client = clientOf(port, clientId);
    this.#consumer = new GroupConsumer(this.#client, options, subscription);
    this.#turn = this.#poll();
  }

  get isSettled(): boolean {
    return this.#consumer.isSettled;
  }

  /** Resolves with the end of the poll that is under way. */
  async polled(): Promise<void> {
    await this.#turn;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#turn;
    await this.#consumer.close();
    this.#client.close();
  }

  async #poll(): Promise<void> {
    await this.#consumer.poll(POLL_MS);
    if (!this.#isClosed) this.#turn = this.#poll();
  }
}

const POLL_MS = 50;
