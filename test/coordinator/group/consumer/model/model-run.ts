import assert from 'node:assert/strict';
import { KafkaError } from '../../../../../src/protocol/errors.ts';
import { SimulatedRandom } from '../../../../../simulation/simulated-random.ts';
import { ConsumerWorld } from '../consumer-world.ts';
import { compacted } from './compacted-log.ts';
import { GROUP, ModelMember } from './model-member.ts';
import { holders, stateOf } from './state-of-group.ts';

const TOPICS = ['orders-eu', 'orders-us', 'audit', 'bulk'];
const REGEXES = ['orders-.*', '.*', 'audit|bulk', 'nothing-at-all'];
const MEMBERS_MAX = 7;
const SESSION_MS = 45_000;
const BEAT_MS = 3_000;
const CALM_ROUNDS = 40;

/** One life of a group, and what must hold at any time of it. */
export class ModelRun {
  readonly world: ConsumerWorld;
  readonly #random: SimulatedRandom;
  readonly #members: ModelMember[] = [];
  /** Instances that have left for a while, or have died. */
  readonly #instances: string[] = [];
  /** `partition@epoch` → who read the partition at the epoch. */
  readonly #claims = new Map<string, string>();
  #nextMember = 0;
  counts: Record<string, number> = {};

  private constructor(world: ConsumerWorld, random: SimulatedRandom) {
    this.world = world;
    this.#random = random;
  }

  static async start(seed: number): Promise<ModelRun> {
    const random = new SimulatedRandom(seed);
    const properties = {
      'group.consumer.assignment.interval.ms': random.oneIn(2) ? '0' : '1000',
      'group.consumer.assignors': random.oneIn(3) ? 'range,uniform' : 'uniform,range',
    };
    const run = new ModelRun(await ConsumerWorld.start(properties, seed), random);
    for (const topic of TOPICS) if (!random.oneIn(3)) run.world.createTopic(topic, 1 + random.integer(6));
    return run;
  }

  async live(steps: number): Promise<void> {
    for (let step = 0; step < steps; step++) {
      await this.#step();
      this.#check();
    }
    await this.#calmDown();
  }

  async #step(): Promise<unknown> {
    const alive = this.#members.filter(({ isGone }) => !isGone);
    const dice = this.#random.integer(100);
    if (alive.length === 0 || (dice < 8 && alive.length < MEMBERS_MAX)) return this.#join();
    const member = this.#random.pick(alive);
    if (dice < 60) return this.#act(member);
    if (dice < 68) return this.world.run(this.#random.integer(BEAT_MS));
    if (dice < 74) return this.#changeTopics();
    if (dice < 78) return this.#subscribe(member);
    if (dice < 82) return this.#leave(member);
    if (dice < 86) return this.#die(member);
    if (dice < 90) return this.#loseAnswer(member);
    if (dice < 93) return this.#failWrite(member);
    if (dice < 95) return this.#loseTail(member);
    if (dice < 98) return this.#reload();
    this.#did('silence');
    return this.world.run(SESSION_MS / 2);
  }

  /** Sends a heartbeat and does what it says, or only one of both. */
  async #act(member: ModelMember): Promise<void> {
    this.#did('heartbeat');
    if (!this.#random.oneIn(4)) await member.beat(this.world);
    if (!this.#random.oneIn(3)) member.obey();
  }

  async #join(): Promise<void> {
    this.#did('join');
    const known = this.#random.oneIn(2) ? this.#instances.shift() : undefined;
    const instanceId = known ?? (this.#random.oneIn(4) ? `i${this.#nextMember}` : null);
    const byRegex = this.#random.oneIn(3);
    const member = new ModelMember({
      memberId: `m${this.#nextMember++}`,
      instanceId,
      topics: byRegex && this.#random.oneIn(2) ? [] : this.#topics(),
      regex: byRegex ? this.#random.pick(REGEXES) : null,
      rebalanceTimeoutMs: 5_000 + this.#random.integer(60_000),
    });
    this.#members.push(member);
    await member.beat(this.world);
  }

  #topics(): string[] {
    return TOPICS.filter(() => this.#random.oneIn(2));
  }

  async #subscribe(member: ModelMember): Promise<void> {
    this.#did('subscribe');
    const byRegex = this.#random.oneIn(3);
    member.subscribe(this.#topics(), byRegex ? this.#random.pick(REGEXES) : null);
    await member.beat(this.world);
  }

  async #changeTopics(): Promise<void> {
    const name = this.#random.pick(TOPICS);
    const topic = this.world.image.topics.byName.get(name);
    if (topic === undefined) this.world.createTopic(name, 1 + this.#random.integer(6));
    else if (this.#random.oneIn(3)) this.world.deleteTopic(name);
    else this.world.growTopic(name, topic.partitions.length + 1 + this.#random.integer(2));
    this.#did('topics');
  }

  async #leave(member: ModelMember): Promise<void> {
    const { instanceId } = member.options;
    const isForAWhile = instanceId !== null && this.#random.oneIn(2);
    this.#did(isForAWhile ? 'leave for a while' : 'leave');
    if (instanceId !== null) this.#instances.push(instanceId);
    await member.leave(this.world, isForAWhile ? -2 : -1);
  }

  /** It says nothing any more, and reads nothing. */
  async #die(member: ModelMember): Promise<void> {
    this.#did('die');
    if (member.options.instanceId !== null) this.#instances.push(member.options.instanceId);
    member.stop();
  }

  async #loseAnswer(member: ModelMember): Promise<void> {
    this.#did('lost answer');
    await this.world.heartbeat(member.request());
    member.hearNothing();
  }

  /** What is not written has not happened. */
  async #failWrite(member: ModelMember): Promise<void> {
    this.#did('failed write');
    const before = stateOf(this.world.group(GROUP));
    this.world.log.failure = new KafkaError('NOT_ENOUGH_REPLICAS');
    await member.beat(this.world);
    this.world.log.failure = null;
    assert.deepEqual(stateOf(this.world.group(GROUP)), before, 'a write that failed leaves nothing behind');
  }

  /** The coordinator dies before what it wrote was replicated: nobody was told. */
  async #loseTail(member: ModelMember): Promise<void> {
    this.#did('lost tail');
    const { log } = this.world;
    const before = stateOf(this.world.group(GROUP));
    const kept = log.batchesWritten.length;
    log.isReplicated = false;
    const answer = this.world.send(member.request());
    await this.world.run(0);
    log.batchesWritten.length = kept;
    log.end = log.committed;
    log.isReplicated = true;
    await this.world.restart();
    member.hear(await answer);
    assert.deepEqual(stateOf(this.world.group(GROUP)), before, 'what was not committed is gone');
  }

  async #reload(): Promise<void> {
    const before = stateOf(this.world.group(GROUP));
    const isCompacted = this.#random.oneIn(2);
    this.#did(isCompacted ? 'reload of a compacted log' : 'reload');
    if (isCompacted) this.world.log = compacted(this.world.log);
    await this.world.restart();
    assert.deepEqual(stateOf(this.world.group(GROUP)), before, 'the log tells everything');
  }

  /** Nobody reads what somebody else reads, unless the coordinator has given him up; and never at the same epoch. */
  #check(): void {
    const group = this.world.group(GROUP);
    for (const [partition, memberIds] of group === null ? [] : holders(group)) {
      assert.ok(memberIds.length === 1, `${partition} is held by ${memberIds.join(' and ')}`);
    }
    const readers = new Map<string, string>();
    for (const member of this.#members) {
      const { memberId, epoch, owned } = member;
      const isKnown = (group?.member(memberId)?.memberEpoch ?? 0) > 0;
      const who = member.options.instanceId ?? memberId;
      for (const partition of owned) {
        const claim = `${partition}@${epoch}`;
        const claimed = this.#claims.get(claim) ?? who;
        assert.equal(claimed, who, `${claim} has two readers`);
        this.#claims.set(claim, who);
        if (!isKnown) continue;
        assert.equal(readers.get(partition), undefined, `${partition} is read by ${readers.get(partition)} and ${memberId}`);
        readers.set(partition, memberId);
      }
    }
  }

  /** When nothing happens any more, everybody reads his part. */
  async #calmDown(): Promise<void> {
    const alive = this.#members.filter(({ isGone }) => !isGone);
    for (let round = 0; round < CALM_ROUNDS; round++) {
      for (const member of alive) {
        await member.beat(this.world);
        member.obey();
        this.#check();
      }
      await this.world.run(BEAT_MS);
    }
    const still = alive.filter(({ isGone }) => !isGone);
    const group = this.world.group(GROUP);
    if (still.length === 0 || group === null) return;
    const { lastCommitted } = this.world;
    assert.equal(group.stateAt(lastCommitted), 'Stable');
    assert.equal(group.size, still.length, 'those who are gone are out');
    const readers = new Map(still.flatMap(({ memberId, owned }) => [...owned].map((partition) => [partition, memberId])));
    for (const { name, id, partitions } of this.world.image.topics.byName.values()) {
      const subscribers = still.filter(
        ({ topics, regex }) => topics.includes(name) || (regex !== null && new RegExp(`^(${regex})$`).test(name)),
      );
      for (const index of partitions.keys()) {
        const reader = readers.get(`${id}/${index}`);
        readers.delete(`${id}/${index}`);
        if (subscribers.length === 0) assert.equal(reader, undefined, `${name}-${index} is read by nobody`);
        else
          assert.ok(
            subscribers.some(({ memberId }) => memberId === reader),
            `${name}-${index} is read by a subscriber`,
          );
      }
    }
    assert.deepEqual(readers, new Map(), 'nothing is read that is not there');
  }

  #did(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1;
  }
}
