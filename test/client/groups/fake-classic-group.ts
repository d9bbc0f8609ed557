import { codeOf, type ErrorName } from '../../../src/protocol/errors.ts';
import { joinGroup } from '../../../src/protocol/messages/11-join-group.ts';
import { heartbeat } from '../../../src/protocol/messages/12-heartbeat.ts';
import { leaveGroup } from '../../../src/protocol/messages/13-leave-group.ts';
import { syncGroup } from '../../../src/protocol/messages/14-sync-group.ts';
import type { RequestOf } from '../../../src/protocol/schema.ts';
import type { FakeCluster, FakeHandler } from '../fake-cluster.ts';
import { FakeOffsets } from './fake-offsets.ts';

type Join = RequestOf<typeof joinGroup>;

interface Member {
  readonly id: string;
  readonly instanceId: string | null;
  join: Join;
  /** Its JoinGroup waits for the others. */
  joined: ((answer: unknown) => void) | null;
  synced: ((answer: unknown) => void) | null;
}

/** The first JoinGroup that sends a new member back with its id. */
const FIRST_WITH_REQUIRED_IDS = 4;

/** How long a rebalance waits for members that have not come back; shorter than any of theirs. */
const REBALANCE_MS = 20_000;

const failed = (error: ErrorName): unknown => ({
  errorCode: codeOf(error),
  protocolName: null,
  leader: '',
  memberId: '',
  members: [],
  assignment: Buffer.alloc(0),
});

/** A group of the classic protocol with what its clients can see of a coordinator. */
export class FakeClassicGroup {
  readonly #cluster: FakeCluster;
  readonly offsets: FakeOffsets;
  readonly members = new Map<string, Member>();
  /** Ids that were handed out but not used to join yet. */
  readonly #pending = new Set<string>();
  generation = 0;
  #leader = '';
  #isRebalancing = false;
  #nextId = 1;
  /** Members that left in order. */
  readonly left: string[] = [];

  constructor(cluster: FakeCluster) {
    this.#cluster = cluster;
    this.offsets = new FakeOffsets(cluster);
    this.offsets.check = (memberId, epoch) => this.#check(memberId, epoch);
    this.#serve(joinGroup.key, (request, version) => this.#join(request as Join, version));
    this.#serve(syncGroup.key, (request) => this.#sync(request as RequestOf<typeof syncGroup>));
    this.#serve(heartbeat.key, (request) => this.#heartbeat(request as RequestOf<typeof heartbeat>));
    this.#serve(leaveGroup.key, (request) => this.#leave(request as RequestOf<typeof leaveGroup>));
  }

  /** Forgets a member as if its session had ended. */
  expel(memberId: string): void {
    if (this.members.delete(memberId)) this.rebalance();
  }

  rebalance(): void {
    if (this.#isRebalancing) return;
    this.#isRebalancing = true;
    for (const member of this.members.values()) {
      member.synced?.(failed('REBALANCE_IN_PROGRESS'));
      member.synced = null;
    }
    const { generation } = this;
    this.#cluster.scheduler.after(REBALANCE_MS, () => {
      if (!this.#isRebalancing || generation !== this.generation) return;
      for (const [id, { joined }] of this.members) if (joined === null) this.members.delete(id);
      this.#complete();
    });
  }

  #serve(key: number, handler: (request: unknown, version: number) => unknown): void {
    const served: FakeHandler = (request, context) => {
      const error = this.offsets.errorAt(context);
      return error === null ? handler(request, context.version) : failed(error);
    };
    this.#cluster.handlers.set(key, served);
  }

  #join(join: Join, version: number): unknown {
    const known = [...this.members.values()].find(
      ({ id, instanceId }) => id === join.memberId || (instanceId !== null && instanceId === join.groupInstanceId),
    );
    if (known === undefined && join.memberId !== '' && !this.#pending.delete(join.memberId)) return failed('UNKNOWN_MEMBER_ID');
    if (known === undefined && join.memberId === '' && join.groupInstanceId === null && version >= FIRST_WITH_REQUIRED_IDS) {
      const memberId = `member-${this.#nextId++}`;
      this.#pending.add(memberId);
      return { ...(failed('MEMBER_ID_REQUIRED') as object), memberId };
    }
    const id = known?.id ?? (join.memberId === '' ? `new-${this.#nextId++}` : join.memberId);
    return new Promise((joined) => {
      this.members.set(id, { id, instanceId: join.groupInstanceId, join, joined, synced: null });
      this.rebalance();
      this.#complete();
    });
  }

  /** All are there: a new generation begins. */
  #complete(): void {
    const members = [...this.members.values()];
    if (!this.#isRebalancing || members.some(({ joined }) => joined === null)) return;
    this.#isRebalancing = false;
    this.generation++;
    this.#leader = members[0]?.id ?? '';
    const names = members[0]?.join.protocols.map(({ name }) => name) ?? [];
    const protocolName =
      names.find((name) => members.every(({ join }) => join.protocols.some((other) => other.name === name))) ?? '';
    for (const member of members) {
      const { joined } = member;
      member.joined = null;
      joined?.({
        generationId: this.generation,
        protocolType: 'consumer',
        protocolName,
        leader: this.#leader,
        memberId: member.id,
        members:
          member.id === this.#leader
            ? members.map(({ id, instanceId, join }) => ({
                memberId: id,
                groupInstanceId: instanceId,
                metadata: join.protocols.find(({ name }) => name === protocolName)?.metadata ?? Buffer.alloc(0),
              }))
            : [],
      });
    }
  }

  #sync(request: RequestOf<typeof syncGroup>): unknown {
    const error = this.#check(request.memberId, request.generationId);
    const member = this.members.get(request.memberId);
    if (error !== null || member === undefined) return failed(error ?? 'UNKNOWN_MEMBER_ID');
    if (this.#isRebalancing) return failed('REBALANCE_IN_PROGRESS');
    return new Promise((synced) => {
      member.synced = synced;
      if (request.memberId !== this.#leader) return;
      for (const { memberId, assignment } of request.assignments) this.#assign(memberId, assignment);
    });
  }

  #assign(memberId: string, assignment: Buffer): void {
    const { generation } = this;
    // Those that ask later than the leader get it when they ask.
    const deliver = (): void => {
      const member = this.members.get(memberId);
      if (member === undefined || this.#isRebalancing || generation !== this.generation) return;
      if (member.synced === null) {
        this.#cluster.scheduler.after(1, deliver);
        return;
      }
      member.synced({ protocolType: 'consumer', protocolName: null, assignment });
      member.synced = null;
    };
    deliver();
  }

  #heartbeat({ memberId, generationId }: RequestOf<typeof heartbeat>): unknown {
    const error = this.#check(memberId, generationId) ?? (this.#isRebalancing ? 'REBALANCE_IN_PROGRESS' : null);
    return { errorCode: error === null ? 0 : codeOf(error) };
  }

  #leave({ memberId: only, members }: RequestOf<typeof leaveGroup>): unknown {
    const ids = members.length === 0 ? [only] : members.map(({ memberId }) => memberId);
    for (const memberId of ids) {
      if (!this.members.delete(memberId)) continue;
      this.left.push(memberId);
      this.rebalance();
      this.#complete();
    }
    return { members: members.map(({ memberId, groupInstanceId }) => ({ memberId, groupInstanceId })) };
  }

  #check(memberId: string, generation: number): ErrorName | null {
    if (!this.members.has(memberId)) return 'UNKNOWN_MEMBER_ID';
    return generation === this.generation ? null : 'ILLEGAL_GENERATION';
  }
}
