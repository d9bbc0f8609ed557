import assert from 'node:assert/strict';
import { createPartitions, createTopic } from '../../../src/client/admin-topics.ts';
import { alterGroupOffsets, listGroupOffsets } from '../../../src/client/admin-group-offsets.ts';
import { Client } from '../../../src/client/client.ts';
import { GroupConsumer } from '../../../src/client/groups/group-consumer.ts';
import type { GroupOptions } from '../../../src/client/groups/group-options.ts';
import { Producer } from '../../../src/client/producer.ts';
import { keyOf } from '../../../src/client/topic-partition.ts';
import { KafkaError } from '../../../src/protocol/errors.ts';
import { type RunningNode, startNode } from '../../../src/server/start-node.ts';
import { type SimulatedHost, SimulatedWorld } from '../../../simulation/simulated-host.ts';

const TOPIC = 'orders';
const GROUP = 'group';
const BROKER = 'broker';
const PORT = 9092;
const SESSION_MS = 6000;
/** Simulated, like all time here. */
const BUSY_MS = 200;

const properties: Readonly<Record<string, string>> = {
  'offsets.topic.num.partitions': '2',
  'group.initial.rebalance.delay.ms': '0',
  'group.min.session.timeout.ms': String(SESSION_MS),
  'group.consumer.min.session.timeout.ms': String(SESSION_MS),
  'group.consumer.session.timeout.ms': String(SESSION_MS),
  'group.consumer.min.heartbeat.interval.ms': '500',
  'group.consumer.heartbeat.interval.ms': '500',
  'group.consumer.assignment.interval.ms': '0',
};

/** A whole node of ours, members of one group around it, each on a machine of its own, and one time for all. */
export class NodeWorld {
  readonly world: SimulatedWorld;
  readonly members: NodeMember[] = [];
  readonly #options: Partial<GroupOptions>;
  #node: RunningNode | null = null;
  readonly #admin: Client;
  readonly #producer: Producer;
  /** By key. */
  readonly written = new Map<string, number>();
  readonly #committed = new Map<string, number>();
  #partitions = 0;
  #names = 0;

  private constructor(seed: number, options: Partial<GroupOptions>) {
    this.world = new SimulatedWorld(seed, { delayMs: [0, 4] });
    this.#options = options;
    this.#admin = clientOn(this.world.host('admin'));
    this.#producer = new Producer(this.#admin);
  }

  static async start(seed: number, partitions: number, options: Partial<GroupOptions>): Promise<NodeWorld> {
    const world = new NodeWorld(seed, options);
    await world.startNode();
    await world.does(async () => {
      await createTopic(world.#admin, { name: TOPIC, partitions });
      world.#partitions = partitions;
    });
    return world;
  }

  /** Lets time pass until the work is done. */
  does<T>(work: () => Promise<T>): Promise<T> {
    return this.world.scheduler.resolve(work(), 600_000);
  }

  async startNode(): Promise<void> {
    this.#node = await this.does(() =>
      startNode(this.world.host(BROKER).environment, {
        texts: new Map(Object.entries(properties)),
        embedded: { dataDirectory: '/data', host: BROKER, port: PORT },
      }),
    );
  }

  /** In order, or as if its process was killed: what it has written stays. */
  async stopNode(how: 'orderly' | 'killed'): Promise<void> {
    if (how === 'orderly') await this.does(async () => this.#node?.stop());
    else this.world.host(BROKER).crash({ unsynced: 'kept' });
    this.#node = null;
  }

  join(): NodeMember {
    const member = new NodeMember(this.world.host(`member-${this.#names++}`), this.#options);
    this.members.push(member);
    return member;
  }

  get living(): NodeMember[] {
    return this.members.filter(({ isAlive }) => isAlive);
  }

  async write(partition: number, count: number): Promise<void> {
    await this.does(async () => {
      const places = Array.from({ length: count }, () => this.#producer.send({ topic: TOPIC, partition, value: 'value' }));
      await Promise.all(places);
    });
    const key = keyOf({ topic: TOPIC, partition });
    this.written.set(key, (this.written.get(key) ?? 0) + count);
  }

  async grow(): Promise<void> {
    await this.does(() => createPartitions(this.#admin, TOPIC, ++this.#partitions));
    await this.does(() => this.#admin.metadata.refresh());
  }

  get partitions(): number {
    return this.#partitions;
  }

  /** Throws if two members own a partition in one epoch. */
  checkOwners(): void {
    const owners = new Map<string, NodeMember>();
    for (const member of this.living) {
      for (const place of member.consumer.assignment) {
        const claim = `${keyOf(place)} in epoch ${member.consumer.identity.epoch}`;
        const other = owners.get(claim);
        assert.equal(other, undefined, `${claim}: ${member.name} and ${other?.name}`);
        owners.set(claim, member);
      }
    }
  }

  /** Throws if a committed offset is lower than it was. */
  async checkCommitted(): Promise<void> {
    const offsets = await this.does(async () => (await listGroupOffsets(this.#admin, [GROUP])).get(GROUP));
    if (offsets === undefined || offsets instanceof KafkaError) throw offsets ?? new Error('no offsets');
    for (const [key, { offset }] of offsets) {
      const before = this.#committed.get(key) ?? 0;
      assert.ok(offset >= before, `${key} went back from ${before} to ${offset}`);
      this.#committed.set(key, offset);
    }
  }

  /** What only a person may do, and no member does. */
  async setBack(): Promise<void> {
    await this.does(() => alterGroupOffsets(this.#admin, GROUP, [{ topic: TOPIC, partition: 0, offset: 1 }]));
  }

  /** Every partition at one member, nothing on its way, all read and all committed. */
  get isDone(): boolean {
    const { living } = this;
    const owned = living.flatMap(({ consumer }) => consumer.assignment.map(keyOf));
    const isWhole = owned.length === this.#partitions && new Set(owned).size === this.#partitions;
    return (
      isWhole &&
      living.every(({ consumer }) => consumer.isSettled) &&
      [...this.written].every(([key, count]) => this.#readOf(key) >= count)
    );
  }

  /** Offsets of a partition that somebody has read, without gaps. */
  #readOf(key: string): number {
    const read = new Set(this.members.flatMap((member) => [...(member.read.get(key) ?? [])]));
    let next = 0;
    while (read.has(next)) next++;
    return next;
  }

  get committed(): ReadonlyMap<string, number> {
    return this.#committed;
  }
}

const clientOn = ({ environment }: SimulatedHost): Client =>
  new Client(environment, { bootstrapServers: `${BROKER}:${PORT}`, metadataMaxAgeMs: 10_000, requestTimeoutMs: 5000 });

/** A member on a machine of its own, which polls, is busy, leaves or dies. */
export class NodeMember {
  readonly name: string;
  readonly consumer: GroupConsumer;
  /** Offsets by key. */
  readonly read = new Map<string, Set<number>>();
  readonly failures: Error[] = [];
  readonly #host: SimulatedHost;
  readonly #client: Client;
  isAlive = true;
  isBusy = false;

  constructor(host: SimulatedHost, options: Partial<GroupOptions>) {
    this.name = host.name;
    this.#host = host;
    this.#client = clientOn(host);
    this.consumer = new GroupConsumer(
      this.#client,
      {
        groupId: GROUP,
        autoOffsetReset: 'earliest',
        sessionTimeoutMs: SESSION_MS,
        heartbeatIntervalMs: 500,
        maxPollIntervalMs: 15_000,
        autoCommitIntervalMs: 1000,
        fetchMaxWaitMs: 500,
        ...options,
      },
      { kind: 'names', topics: [TOPIC] },
    );
    void this.#run();
  }

  async leave(): Promise<void> {
    this.isAlive = false;
    await this.consumer.close();
    this.#client.close();
  }

  /** Whatever runs there stops in the middle. */
  die(): void {
    this.isAlive = false;
    this.#host.crash({ unsynced: 'kept' });
  }

  async #run(): Promise<void> {
    while (this.isAlive) {
      if (this.isBusy) await new Promise<void>((resolve) => this.#host.environment.clock.schedule(BUSY_MS, resolve));
      else await this.#poll();
    }
  }

  async #poll(): Promise<void> {
    try {
      for (const chunk of await this.consumer.poll(300)) {
        const offsets = this.read.get(keyOf(chunk)) ?? new Set();
        for (const { offset } of chunk.records()) offsets.add(offset);
        this.read.set(keyOf(chunk), offsets);
      }
    } catch (error) {
      if (this.isAlive) this.failures.push(error as Error);
    }
  }
}
