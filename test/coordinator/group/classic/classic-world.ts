import assert from 'node:assert/strict';
import { TimerQueue } from '../../../../src/base/timer-queue.ts';
import { ConfigStore } from '../../../../src/config/config-store.ts';
import type { ClassicGroupDescription } from '../../../../src/coordinator/group/classic/describe-classic-group.ts';
import { ClassicGroupService } from '../../../../src/coordinator/group/classic/classic-group-service.ts';
import type {
  GroupClient,
  HeartbeatAnswer,
  JoinAnswer,
  JoinRequest,
  LeaveAnswer,
  SyncAnswer,
  SyncRequest,
} from '../../../../src/coordinator/group/classic-protocol.ts';
import { GroupCoordinator } from '../../../../src/coordinator/group/group-coordinator.ts';
import { type GroupRecord, groupRecordSerde } from '../../../../src/coordinator/group/group-record.ts';
import type { GroupCoordinatorShard } from '../../../../src/coordinator/group/group-coordinator-shard.ts';
import { EMPTY_METADATA_IMAGE } from '../../../../src/metadata/metadata-image.ts';
import { codeOf, type ErrorName, errorNames } from '../../../../src/protocol/errors.ts';
import { type SimulatedEnvironment, simulatedEnvironment } from '../../../../simulation/simulated-environment.ts';
import { MemoryLog } from '../../runtime/counters.ts';

export const GROUP = 'readers';
export const PARTITION = 0;

export interface WorldOptions {
  readonly properties?: Readonly<Record<string, string>>;
  readonly log?: MemoryLog;
  readonly environment?: SimulatedEnvironment;
  readonly seed?: number;
}

export interface JoinOptions extends Partial<Omit<JoinRequest, 'protocols'>> {
  readonly version?: number;
  readonly clientId?: string;
  /** Names, or names with what is said for them. */
  readonly protocols?: readonly (string | readonly [name: string, metadata: string])[];
}

export interface SyncOptions extends Partial<Omit<SyncRequest, 'assignments'>> {
  readonly version?: number;
  readonly assignments?: Readonly<Record<string, string>>;
}

/** A request that was sent, and its answer once there is one. */
export class Sent<Answer> {
  answer: Answer | null = null;
  readonly promise: Promise<Answer>;

  constructor(promise: Promise<Answer>) {
    this.promise = promise;
    void promise.then((answer) => (this.answer = answer));
  }

  get isWaiting(): boolean {
    return this.answer === null;
  }

  /** What it was answered with; fails while it waits. */
  get given(): Answer {
    assert.ok(this.answer !== null, 'the request is answered');
    return this.answer;
  }
}

/** A group coordinator of one partition over a log in memory and a clock that is moved by hand. */
export class ClassicWorld {
  readonly environment: SimulatedEnvironment;
  readonly log: MemoryLog;
  readonly coordinator: GroupCoordinator;
  readonly service: ClassicGroupService;
  readonly timers: TimerQueue;

  private constructor({ properties = {}, log = new MemoryLog(), environment, seed = 1 }: WorldOptions) {
    this.environment = environment ?? simulatedEnvironment({ seed });
    this.log = log;
    const fromFile = new Map(
      Object.entries({ 'offsets.topic.num.partitions': '1', 'group.initial.rebalance.delay.ms': '0', ...properties }),
    );
    const configs = new ConfigStore({ nodeId: 1, fromFile });
    const timers = new TimerQueue(this.environment.clock);
    this.timers = timers;
    this.coordinator = new GroupCoordinator(this.environment, {
      timers,
      configs,
      metadata: () => EMPTY_METADATA_IMAGE,
      writer: log,
      loader: log,
    });
    this.service = new ClassicGroupService({ coordinator: this.coordinator, configs });
  }

  static async start(options: WorldOptions = {}): Promise<ClassicWorld> {
    const world = new ClassicWorld(options);
    await world.resolve(world.coordinator.becomeLeader(PARTITION, 0));
    return world;
  }

  /** The coordinator stops, and another one begins with what is in the log. */
  async restart(options: WorldOptions = {}): Promise<ClassicWorld> {
    this.coordinator.close();
    await this.run(0);
    return ClassicWorld.start({ environment: this.environment, log: this.log, ...options });
  }

  /** Lets time pass, and everything happen that is due. */
  run(durationMs: number): Promise<void> {
    return this.environment.clock.scheduler.run(durationMs);
  }

  resolve<T>(promise: Promise<T>): Promise<T> {
    return this.environment.clock.scheduler.resolve(promise);
  }

  get shard(): GroupCoordinatorShard {
    return this.coordinator.runtime.read(PARTITION, (shard) => shard);
  }

  join(options: JoinOptions = {}): Sent<JoinAnswer> {
    const { version = 9, clientId = 'c', protocols = ['range'], ...request } = options;
    const promise = this.service.joinGroup(client(version, clientId), {
      groupId: GROUP,
      sessionTimeoutMs: 10_000,
      rebalanceTimeoutMs: 60_000,
      memberId: '',
      groupInstanceId: null,
      protocolType: 'consumer',
      reason: null,
      ...request,
      protocols: protocols.map((protocol) => {
        const [name, metadata] = typeof protocol === 'string' ? [protocol, ''] : protocol;
        return { name, metadata: Buffer.from(metadata) };
      }),
    });
    return new Sent(promise);
  }

  /** A new member, which comes back with the id that it is given. */
  async joinTwice(options: JoinOptions = {}): Promise<Sent<JoinAnswer> & { readonly memberId: string }> {
    const { errorCode, memberId } = await this.resolve(this.join(options).promise);
    assert.equal(errorName(errorCode), 'MEMBER_ID_REQUIRED');
    return Object.assign(this.join({ ...options, memberId }), { memberId });
  }

  sync(options: SyncOptions): Sent<SyncAnswer> {
    const { version = 5, assignments = {}, ...request } = options;
    const promise = this.service.syncGroup(client(version, 'c'), {
      groupId: GROUP,
      generationId: 1,
      memberId: '',
      groupInstanceId: null,
      protocolType: null,
      protocolName: null,
      ...request,
      assignments: Object.entries(assignments).map(([memberId, text]) => ({ memberId, assignment: Buffer.from(text) })),
    });
    return new Sent(promise);
  }

  async heartbeat(memberId: string, generationId: number, groupInstanceId: string | null = null): Promise<string> {
    const request = { groupId: GROUP, generationId, memberId, groupInstanceId };
    return errorName((await this.resolve(this.service.heartbeat(client(4, 'c'), request))).errorCode);
  }

  leave(
    ...members: readonly (string | { readonly memberId?: string; readonly groupInstanceId: string })[]
  ): Promise<LeaveAnswer> {
    const request = {
      groupId: GROUP,
      members: members.map((member) => ({
        memberId: '',
        groupInstanceId: null,
        reason: null,
        ...(typeof member === 'string' ? { memberId: member } : member),
      })),
    };
    return this.resolve(this.service.leaveGroup(client(5, 'c'), request));
  }

  describe(groupId = GROUP): ClassicGroupDescription {
    return this.service.describeGroup(groupId, 6);
  }

  get state(): string {
    return this.describe().groupState;
  }

  /** One member, which has an assignment. */
  async stableMember(options: JoinOptions = {}, assignment = 'all'): Promise<string> {
    const { version = 9, groupInstanceId = null } = options;
    const joined = version < 4 || groupInstanceId !== null ? this.join(options) : await this.joinTwice(options);
    const { memberId, generationId } = await this.resolve(joined.promise);
    const synced = this.sync({ memberId, generationId: generationId ?? -1, assignments: { [memberId]: assignment } });
    const { errorCode } = await this.resolve(synced.promise);
    assert.equal(errorName(errorCode), 'NONE');
    return memberId;
  }

  /** What was written, in order. */
  records(): GroupRecord[] {
    return [...this.log.batches()].flatMap(({ records }) =>
      [...records].flatMap(({ key, value }) => (key === null ? [] : (groupRecordSerde.decode(key, value) ?? []))),
    );
  }
}

export const errorName = (code: number | undefined): ErrorName =>
  errorNames.find((name) => codeOf(name) === (code ?? 0)) ?? assert.fail(`code ${code}`);

export const answeredWith = (sent: Sent<JoinAnswer | SyncAnswer | HeartbeatAnswer>): string =>
  sent.answer === null ? 'waits' : errorName(sent.answer.errorCode);

const client = (apiVersion: number, clientId: string): GroupClient => ({ apiVersion, clientId, clientHost: '/127.0.0.1' });
