import { KafkaError } from '../../protocol/errors.ts';
import type { Api, RequestInput, ResponseOf } from '../../protocol/schema.ts';
import type { Client } from '../client.ts';
import type { Connection, RequestOptions } from '../connection.ts';
import { Connections } from '../connections.ts';
import {
  COORDINATOR_KINDS,
  type CoordinatorKind,
  type CoordinatorNode,
  coordinatorMoved,
  findCoordinators,
} from './coordinators.ts';

/**
 * The way to the coordinator of one group, or of one transactional id: found when it is first needed, and again whenever an answer says that it moved. Requests that
 * wait at the broker (JoinGroup) have a connection of their own, because a broker answers each connection in order.
 */
export class GroupCoordinator {
  readonly groupId: string;
  readonly #client: Client;
  readonly #kind: CoordinatorKind;
  readonly #waiting: Connections;
  #node: CoordinatorNode | null = null;
  #finding: Promise<CoordinatorNode> | null = null;

  constructor(client: Client, groupId: string, kind: CoordinatorKind = COORDINATOR_KINDS.group) {
    this.#client = client;
    this.#kind = kind;
    this.groupId = groupId;
    this.#waiting = new Connections(client.environment, client.settings);
  }

  /** Sends beside everything else: commits, offsets. */
  async request<A extends Api>(api: A, input: RequestInput<A>, options: RequestOptions = {}): Promise<ResponseOf<A>> {
    return await this.#noticing(async () => (await this.connection()).request(api, input, options));
  }

  /** Sends what belongs to the membership, where an answer may take as long as a rebalance. */
  async requestAsMember<A extends Api>(api: A, input: RequestInput<A>, options: RequestOptions = {}): Promise<ResponseOf<A>> {
    return await this.#noticing(async () => (await this.#waiting.get(await this.#find())).request(api, input, options));
  }

  async connection(): Promise<Connection> {
    return await this.#noticing(async () => this.#client.connections.get(await this.#find()));
  }

  /** Does something again while the coordinator moves or loads, for as long as an operation may take. */
  async retrying<T>(action: () => Promise<T>, timeoutMs?: number): Promise<T> {
    return await this.#client.retrying(() => this.#noticing(action), timeoutMs === undefined ? {} : { timeoutMs });
  }

  /** Looks at an error that came in an answer. */
  notice(error: unknown): void {
    if (coordinatorMoved(error)) this.#node = null;
  }

  close(): void {
    this.#waiting.close();
  }

  async #noticing<T>(action: () => Promise<T>): Promise<T> {
    try {
      return await action();
    } catch (error) {
      this.notice(error);
      throw error;
    }
  }

  async #find(): Promise<CoordinatorNode> {
    if (this.#node !== null) return this.#node;
    this.#finding ??= this.#ask().finally(() => {
      this.#finding = null;
    });
    return await this.#finding;
  }

  async #ask(): Promise<CoordinatorNode> {
    const found = (await findCoordinators(this.#client, [this.groupId], this.#kind)).get(this.groupId);
    if (found === undefined || found instanceof KafkaError) throw found ?? new KafkaError('COORDINATOR_NOT_AVAILABLE');
    this.#node = found;
    return found;
  }
}
