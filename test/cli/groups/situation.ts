import { alterGroupOffsets } from '../../../src/client/admin-group-offsets.ts';
import { createTopic } from '../../../src/client/admin-topics.ts';
import { Client } from '../../../src/client/client.ts';
import { GroupConsumer } from '../../../src/client/groups/group-consumer.ts';
import type { GroupOptions } from '../../../src/client/groups/group-options.ts';
import type { Subscription } from '../../../src/client/groups/membership.ts';
import { Producer } from '../../../src/client/producer.ts';
import { silentLogger } from '../../../src/base/logger.ts';
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
  options: { groupId, autoOffsetReset: 'latest', enableAutoCommit: false, ...rest },
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

  /** Resolves when no group has anything to move any more. */
  async settled(): Promise<void> {
    // Partitions may be on their way through several rounds: it is quiet when all have said so twice.
    for (let quiet = 0; quiet < 2; ) {
      await Promise.all(this.#members.map((each) => each.polled()));
      quiet = this.#members.every((each) => each.isSettled) ? quiet + 1 : 0;
    }
  }

  async endMembers(): Promise<void> {
    for (const each of this.#members.splice(0)) await each.close();
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
  readonly #client: Client;
  readonly #consumer: GroupConsumer;
  #turn: Promise<unknown>;
  #isClosed = false;

  constructor(port: number, { clientId, options, subscription }: MemberPlan) {
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

const POLL_MS = 250;
