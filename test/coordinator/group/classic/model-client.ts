import type { Millis } from '../../../../src/base/clock.ts';
import type { JoinAnswer } from '../../../../src/coordinator/group/classic-protocol.ts';
import type { ModelGroup } from './model-group.ts';
import { errorName } from './classic-world.ts';

const HEARTBEAT_MS = 3_000;
const SESSION_MS = 10_000;
const RETRY_MS = 200;

/** A consumer as clients are: joins, shares out when it leads, sends heartbeats, joins again when it is told to. May be slow, crash, leave or start again. */
export class ModelClient {
  /** Who it is, whatever id it has: a static member keeps its partitions under a new one. */
  readonly name: string;
  readonly groupInstanceId: string | null;
  readonly #group: ModelGroup;
  memberId = '';
  generationId = -1;
  /** Its part of the partitions; null while it has none. */
  assignment: string | null = null;
  #isAlive = true;
  /** How long it takes for whatever it does; a slow one is missed. */
  slownessMs: Millis = 0;

  constructor(group: ModelGroup, name: string, groupInstanceId: string | null) {
    this.#group = group;
    this.name = name;
    this.groupInstanceId = groupInstanceId;
    void this.#live();
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Is never heard of again. */
  crash(): void {
    this.#isAlive = false;
    this.assignment = null;
  }

  async leave(): Promise<void> {
    const { memberId, groupInstanceId } = this;
    this.crash();
    if (memberId !== '') await this.#group.leave(groupInstanceId === null ? { memberId } : { memberId, groupInstanceId });
  }

  async #live(): Promise<void> {
    while (this.#isAlive) {
      if (!(await this.#joinAndSync())) continue;
      while (this.#isAlive && (await this.#beat()));
      this.assignment = null;
    }
  }

  async #beat(): Promise<boolean> {
    await this.#pass(HEARTBEAT_MS + this.slownessMs);
    if (!this.#isAlive) return false;
    const error = await this.#group.heartbeat(this);
    if (error !== 'NONE') this.#hear(error);
    // A coordinator that is gone for a while does not take partitions away.
    return error === 'NONE' || error === 'NOT_COORDINATOR' || error === 'COORDINATOR_NOT_AVAILABLE';
  }

  async #joinAndSync(): Promise<boolean> {
    await this.#pass(this.slownessMs + this.#group.random.integer(50));
    if (!this.#isAlive) return false;
    const joined = await this.#group.join(this, SESSION_MS);
    if (!this.#isAlive) return false;
    const error = errorName(joined.errorCode);
    if (error !== 'NONE') return this.#retry(error, joined.memberId);
    this.memberId = joined.memberId;
    this.generationId = joined.generationId ?? -1;
    return this.#sync(joined);
  }

  async #sync(joined: JoinAnswer): Promise<boolean> {
    await this.#pass(this.slownessMs + this.#group.random.integer(50));
    if (!this.#isAlive) return false;
    const isLeader = joined.leader === joined.memberId && joined.skipAssignment !== true;
    const synced = await this.#group.sync(this, isLeader ? joined.members.map(({ memberId }) => memberId) : []);
    const error = errorName(synced.errorCode);
    if (error !== 'NONE') return this.#retry(error);
    if (!this.#isAlive) return false;
    this.assignment = Buffer.from(synced.assignment).toString();
    this.#group.owns(this);
    return true;
  }

  async #retry(error: string, memberId = ''): Promise<boolean> {
    this.#hear(error, memberId);
    if (error !== 'MEMBER_ID_REQUIRED') await this.#pass(RETRY_MS);
    return false;
  }

  #hear(error: string, memberId = ''): void {
    switch (error) {
      case 'MEMBER_ID_REQUIRED':
        this.memberId = memberId;
        break;
      case 'UNKNOWN_MEMBER_ID':
        this.memberId = '';
        break;
      case 'FENCED_INSTANCE_ID':
        this.crash();
        break;
      case 'REBALANCE_IN_PROGRESS':
      case 'ILLEGAL_GENERATION':
      case 'NOT_COORDINATOR':
      case 'COORDINATOR_NOT_AVAILABLE':
        break;
      default:
        throw new Error(`${this.name} does not know what to do with ${error}`);
    }
  }

  #pass(ms: Millis): Promise<void> {
    return this.#group.pass(ms);
  }
}
