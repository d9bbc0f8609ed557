import assert from 'node:assert/strict';
import { GroupConsumer } from '../../../src/client/groups/group-consumer.ts';
import type { GroupOptions } from '../../../src/client/groups/group-options.ts';
import type { Subscription } from '../../../src/client/groups/membership.ts';
import { keyOf, type TopicPartition } from '../../../src/client/topic-partition.ts';
import { buildBatch } from '../../../src/protocol/records/record-batch-builder.ts';
import { FakeCluster } from '../fake-cluster.ts';

const TOPIC = 'orders';

/** A cluster in memory with one topic and members that poll. */
export class GroupWorld {
  readonly cluster: FakeCluster;
  readonly members: TestMember[] = [];

  private constructor(cluster: FakeCluster) {
    this.cluster = cluster;
  }

  static async start(
    partitions: number,
    options: { readonly nodes?: readonly number[]; readonly seed?: number } = {},
  ): Promise<GroupWorld> {
    const cluster = await FakeCluster.start(options);
    cluster.addTopic(TOPIC, partitions);
    return new GroupWorld(cluster);
  }

  write(partition: number, count: number): void {
    const log = this.cluster.partition(TOPIC, partition);
    const records = Array.from({ length: count }, (_, index) => ({
      timestamp: index,
      key: null,
      value: Buffer.from(`v${index}`),
    }));
    assert.equal(typeof log.append(buildBatch({ records }), log.leader), 'number');
  }

  join(options: Partial<GroupOptions> = {}, subscription: Subscription = { kind: 'names', topics: [TOPIC] }): TestMember {
    const member = new TestMember(this.cluster, { groupId: 'group', autoOffsetReset: 'earliest', ...options }, subscription);
    this.members.push(member);
    return member;
  }

  /** Runs until the condition holds; throws if it does not in ten simulated minutes. */
  async until(condition: () => boolean): Promise<void> {
    await this.cluster.scheduler.runUntil(condition, 600_000);
  }

  /** Runs until each partition has one owner, all shares differ by one at most, and nothing is on its way. */
  async settled(partitions: number): Promise<void> {
    const living = this.members.filter(({ isOpen }) => isOpen);
    await this.until(() => {
      const owned = living.flatMap(({ consumer }) => consumer.assignment.map(keyOf));
      const shares = living.map(({ consumer }) => consumer.assignment.length);
      const isFair = Math.max(...shares) - Math.min(...shares) <= 1;
      const isWhole = owned.length === partitions && new Set(owned).size === partitions;
      return isFair && isWhole && living.every(({ consumer }) => consumer.isSettled);
    });
  }

  /** How many partitions each member owns, in order of joining. */
  get shares(): number[] {
    return this.members.map(({ consumer }) => consumer.assignment.length);
  }
}

/** A member that polls as soon as the last poll has ended, and tells what it hears. */
export class TestMember {
  readonly consumer: GroupConsumer;
  readonly heard: string[] = [];
  /** Values that were handed out, by partition. */
  readonly read = new Map<string, number>();
  failure: Error | null = null;
  isOpen = true;
  #isPolling = true;
  #resume: (() => void) | null = null;
  #nowBusy: (() => void) | null = null;

  constructor(cluster: FakeCluster, options: GroupOptions, subscription: Subscription) {
    const text = (what: string, places: readonly TopicPartition[]): void =>
      void this.heard.push(
        `${what} ${places
          .map(({ partition }) => partition)
          .sort((a, b) => a - b)
          .join()}`,
      );
    this.consumer = new GroupConsumer(cluster.client(), options, subscription, {
      assigned: (places) => text('assigned', places),
      revoked: (places) => text('revoked', places),
      lost: (places) => text('lost', places),
    });
    void this.#run();
  }

  /** Works on what it has without polling, until `goOn`. Resolves when the last poll is over. */
  async getBusy(): Promise<void> {
    this.#isPolling = false;
    await new Promise<void>((resolve) => (this.#nowBusy = resolve));
  }

  goOn(): void {
    this.#isPolling = true;
    this.#resume?.();
  }

  async close(): Promise<void> {
    this.isOpen = false;
    this.goOn();
    await this.consumer.close();
  }

  async #run(): Promise<void> {
    while (this.isOpen) {
      if (!this.#isPolling) {
        this.#nowBusy?.();
        await new Promise<void>((resolve) => (this.#resume = resolve));
      }
      try {
        for (const chunk of await this.consumer.poll(500)) {
          const count = [...chunk.records()].length;
          this.read.set(keyOf(chunk), (this.read.get(keyOf(chunk)) ?? 0) + count);
        }
      } catch (error) {
        if (this.isOpen) this.failure = error as Error;
        return;
      }
    }
  }
}
