import assert from 'node:assert/strict';
import type { Millis } from '../../../../src/base/clock.ts';
import type { ClassicGroupDescription } from '../../../../src/coordinator/group/classic/describe-classic-group.ts';
import type { JoinAnswer, SyncAnswer } from '../../../../src/coordinator/group/classic-protocol.ts';
import { KafkaError } from '../../../../src/protocol/errors.ts';
import { SimulatedRandom } from '../../../../simulation/simulated-random.ts';
import { ClassicWorld, errorName, GROUP } from './classic-world.ts';
import { MemoryLog } from '../../runtime/counters.ts';
import { ModelClient } from './model-client.ts';

const PARTITIONS = 6;
const CLIENTS_MAX = 6;
const INSTANCES = 3;
/** Longer than sessions and rebalances, so that whoever is gone is gone. */
const CALM_MS = 60_000;
/** Nothing waits longer than the longest rebalance, and what may come before it. */
const ANSWERED_WITHIN_MS = 60_000;

/** Clients of one group by chance, a coordinator that fails and moves by chance, and what must hold whatever happens. */
export class ModelGroup {
  readonly random: SimulatedRandom;
  #world: ClassicWorld;
  readonly #clients: ModelClient[] = [];
  #count = 0;
  /** By generation: who owns each partition, by name. */
  readonly #owners = new Map<number, Map<string, string>>();
  readonly #waiting = new Map<symbol, { readonly what: string; readonly since: Millis }>();
  readonly events: string[] = [];

  readonly #properties: Readonly<Record<string, string>>;

  private constructor(seed: number, world: ClassicWorld, properties: Readonly<Record<string, string>>) {
    this.random = new SimulatedRandom(seed);
    this.#world = world;
    this.#properties = properties;
  }

  static async start(seed: number): Promise<ModelGroup> {
    const delayMs = [0, 0, 500, 3_000][seed % 4] ?? 0;
    const properties = { 'group.initial.rebalance.delay.ms': String(delayMs) };
    return new ModelGroup(seed, await ClassicWorld.start({ seed, properties }), properties);
  }

  get world(): ClassicWorld {
    return this.#world;
  }

  get living(): readonly ModelClient[] {
    return this.#clients.filter(({ isAlive }) => isAlive);
  }

  async happen(steps: number): Promise<void> {
    const happenings: readonly (() => void | Promise<unknown>)[] = [
      () => this.#startClient(),
      () => this.#startClient(),
      () => void this.#one()?.leave(),
      () => this.#one()?.crash(),
      () => this.#startStaticAgain(),
      () => this.#beSlow(),
      () => this.#failWrites(),
      () => this.#holdCommits(),
      () => this.#moveCoordinator(),
      () => undefined,
    ];
    for (let step = 0; step < steps; step++) {
      await this.random.pick(happenings)();
      await this.#world.run(this.random.pick([0, 10, 100, 1_000, 5_000, 12_000]));
      this.#checkAnswered();
      await this.#checkKept();
    }
  }

  /** Nothing goes wrong any more: all who live share everything out. */
  async calm(): Promise<void> {
    this.#world.log.failure = null;
    this.#world.log.isReplicated = true;
    this.#world.log.commit();
    for (const client of this.living) client.slownessMs = 0;
    await this.#world.run(CALM_MS);
    this.#checkAnswered();
    const { living } = this;
    const generations = new Set(living.map(({ generationId }) => generationId));
    assert.ok(generations.size <= 1, `one generation: ${[...generations].join(', ')}`);
    const owned = living.flatMap(({ assignment }) => (assignment === null ? ['nothing'] : partitionsOf(assignment)));
    const all = living.length === 0 ? [] : Array.from({ length: PARTITIONS }, (_, index) => String(index));
    assert.deepEqual(owned.sort(), all, 'all partitions are shared out once');
    const { groupState } = this.#world.describe();
    assert.ok(living.length > 0 ? groupState === 'Stable' : groupState === 'Empty' || groupState === 'Dead', groupState);
    await this.#checkKept();
  }

  join(client: ModelClient, sessionTimeoutMs: Millis): Promise<JoinAnswer> {
    const { memberId, groupInstanceId, name } = client;
    const { promise } = this.#world.join({
      memberId,
      groupInstanceId,
      sessionTimeoutMs,
      rebalanceTimeoutMs: 20_000,
      clientId: name,
    });
    return this.#watch(`join of ${name}`, promise);
  }

  /** A leader shares out among the members that it was told of. */
  sync(client: ModelClient, members: readonly string[]): Promise<SyncAnswer> {
    const { memberId, groupInstanceId, generationId, name } = client;
    const assignments = Object.fromEntries(
      members.map((member, at) => [
        member,
        Array.from({ length: PARTITIONS }, (_, p) => p)
          .filter((p) => p % members.length === at)
          .join(),
      ]),
    );
    const { promise } = this.#world.sync({ memberId, groupInstanceId, generationId, assignments });
    return this.#watch(`sync of ${name}`, promise);
  }

  async heartbeat({ memberId, groupInstanceId, generationId }: ModelClient): Promise<string> {
    const request = { groupId: GROUP, generationId, memberId, groupInstanceId };
    const { service } = this.#world;
    const client = { apiVersion: 4, clientId: 'c', clientHost: '/127.0.0.1' };
    return errorName((await this.#watch('heartbeat', service.heartbeat(client, request))).errorCode);
  }

  async leave(member: { readonly memberId: string; readonly groupInstanceId?: string }): Promise<void> {
    const client = { apiVersion: 5, clientId: 'c', clientHost: '/127.0.0.1' };
    const members = [{ groupInstanceId: null, reason: null, ...member }];
    await this.#watch('leave', this.#world.service.leaveGroup(client, { groupId: GROUP, members }));
  }

  /** No partition has two owners in one generation. */
  owns({ name, generationId, assignment }: ModelClient): void {
    this.events.push(`${name} has ${assignment} in ${generationId}`);
    const owners = this.#owners.get(generationId) ?? new Map<string, string>();
    this.#owners.set(generationId, owners);
    for (const partition of partitionsOf(assignment ?? '')) {
      const owner = owners.get(partition);
      assert.ok(
        owner === undefined || owner === name,
        `${partition} of generation ${generationId} is of ${owner} and of ${name}`,
      );
      owners.set(partition, name);
    }
  }

  pass(ms: Millis): Promise<void> {
    return new Promise((resolve) => void this.#world.environment.clock.schedule(ms, resolve));
  }

  #startClient(): void {
    if (this.living.length >= CLIENTS_MAX) return;
    const instance = this.random.integer(3) === 0 ? `i${this.random.integer(INSTANCES)}` : null;
    if (instance !== null && this.living.some(({ groupInstanceId }) => groupInstanceId === instance)) return;
    this.#clients.push(new ModelClient(this, instance ?? `c${this.#count++}`, instance));
  }

  /** The one before may go on for a while: it does not know that it is fenced. */
  #startStaticAgain(): void {
    const before = this.living.find(({ groupInstanceId }) => groupInstanceId !== null);
    if (before === undefined) return;
    if (this.random.integer(2) === 0) before.crash();
    this.#clients.push(new ModelClient(this, before.name, before.groupInstanceId));
  }

  #one(): ModelClient | undefined {
    return this.living.length === 0 ? undefined : this.random.pick(this.living);
  }

  #beSlow(): void {
    const client = this.#one();
    if (client !== undefined) client.slownessMs = this.random.pick([0, 500, 5_000, 15_000, 30_000]);
  }

  #failWrites(): void {
    const failures = [null, null, 'NOT_ENOUGH_REPLICAS', 'NOT_LEADER_OR_FOLLOWER', 'MESSAGE_TOO_LARGE'] as const;
    const name = this.random.pick(failures);
    this.#world.log.failure = name === null || name === 'MESSAGE_TOO_LARGE' ? null : new KafkaError(name);
  }

  #holdCommits(): void {
    const { log } = this.#world;
    log.isReplicated = !log.isReplicated;
    if (log.isReplicated) log.commit();
  }

  /** What is not committed is lost. */
  async #moveCoordinator(): Promise<void> {
    this.#world.coordinator.close();
    await this.#world.run(this.random.pick([0, 1_000]));
    const { environment, log } = this.#world;
    this.#world = await ClassicWorld.start({ environment, log: committedPart(log), properties: this.#properties });
  }

  async #watch<T>(what: string, promise: Promise<T>): Promise<T> {
    const key = Symbol(what);
    this.#waiting.set(key, { what, since: this.#now });
    try {
      return await promise;
    } finally {
      this.#waiting.delete(key);
    }
  }

  get #now(): Millis {
    return this.#world.environment.clock.monotonic();
  }

  #checkAnswered(): void {
    for (const { what, since } of this.#waiting.values()) {
      assert.ok(this.#now - since <= ANSWERED_WITHIN_MS, `${what} waits for ${this.#now - since} ms`);
    }
  }

  /** What is written is the state, whenever nothing is under way. */
  async #checkKept(): Promise<void> {
    const { log, environment } = this.#world;
    const now = this.#world.describe();
    if (log.end > log.committed || log.failure !== null || now.groupState !== 'Stable') return;
    const copy = await ClassicWorld.start({ log: committedPart(log), environment });
    const kept = copy.describe();
    copy.coordinator.close();
    assert.deepEqual(inOrder(kept), inOrder(now), 'what is written is the state');
  }
}

/** The log as the next leader has it. */
function committedPart(log: MemoryLog): MemoryLog {
  const kept = new MemoryLog();
  const committed = [...log.batches()].filter(({ nextOffset }) => nextOffset <= log.committed);
  kept.batchesWritten.push(...log.batchesWritten.slice(0, committed.length));
  kept.end = committed.at(-1)?.nextOffset ?? 0;
  kept.committed = kept.end;
  return kept;
}

const inOrder = ({ members, ...group }: ClassicGroupDescription): ClassicGroupDescription => ({
  ...group,
  members: [...members].sort((a, b) => (a.memberId < b.memberId ? -1 : 1)),
});

const partitionsOf = (assignment: string): string[] => (assignment === '' ? [] : assignment.split(','));
