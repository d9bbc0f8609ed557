import { decodeResponse, encodeRequest } from '../../../src/protocol/header.ts';
import { apiByKey } from '../../../src/protocol/messages/index.ts';
import { describeGroups } from '../../../src/protocol/messages/15-describe-groups.ts';
import type { Api, RequestInput } from '../../../src/protocol/schema.ts';
import { RawConnection } from '../../conformance/raw-connection.ts';
import { fitToVersion, type Values } from '../differential/fit.ts';
import type { Request } from './conversation.ts';
import { Names } from './names.ts';

const CLIENT_ID = 'talker';
const OBSERVER = ' observer';
const ANSWERED_WITHIN_MS = 20_000;

/** A broker to talk with. */
export interface Broker {
  readonly port: number;
  /** Whether the first rebalance of a group is not put off. */
  readonly isPrompt?: boolean;
  /** Lets its time pass. */
  readonly pass: (ms: number) => Promise<unknown>;
}

interface Waiting {
  readonly api: Api;
  readonly version: number;
}

/** One of the brokers that a conversation is had with. */
export class ConversationSide {
  readonly #port: number;
  readonly #groupId: string;
  readonly isPrompt: boolean;
  readonly #names = new Names();
  readonly #connections = new Map<string, RawConnection>();
  readonly #waiting = new Map<string, Waiting>();
  #correlationId = 0;

  readonly #pass: (ms: number) => Promise<unknown>;

  constructor({ port, pass, isPrompt = false }: Broker, groupId: string) {
    this.#port = port;
    this.isPrompt = isPrompt;
    this.#pass = pass;
    this.#groupId = groupId;
  }

  /** The connections whose requests are not answered yet. */
  get waiting(): readonly string[] {
    return [...this.#waiting.keys()];
  }

  async send({ on, key, version, request, afterMs = 0 }: Request): Promise<void> {
    if (afterMs > 0) await this.#pass(afterMs);
    const api = apiByKey(key);
    if (api === undefined || this.#waiting.has(on)) throw new Error(`nothing can be asked on ${on}`);
    const fitted = fitToVersion(api.request, version, this.#names.toIds(request)) as RequestInput<Api>;
    const connection = await this.#connection(on);
    this.#waiting.set(on, { api, version });
    connection.write(encodeRequest(api, version, { correlationId: ++this.#correlationId, clientId: CLIENT_ID }, fitted));
  }

  /** The answer to what waits on a connection; waits for it. */
  async answer(on: string): Promise<unknown> {
    const { api, version } = this.#waiting.get(on) ?? {};
    const frame = await (await this.#connection(on)).frame(ANSWERED_WITHIN_MS);
    if (api === undefined || version === undefined || frame === null) throw new Error(`nothing is answered on ${on}`);
    this.#waiting.delete(on);
    return this.#names.toNames(this.#ofThisGroup(decodeResponse(api, version, frame).response));
  }

  /** Which of those that wait have been answered by now. */
  async answered(): Promise<string[]> {
    const endings = await Promise.all(
      this.waiting.map(async (on) => ((await (await this.#connection(on)).ending(0)) === 'silent' ? [] : [on])),
    );
    return endings.flat().sort();
  }

  /** The group as it is now. */
  async group(): Promise<unknown> {
    await this.#askForGroup();
    const { groups } = (await this.answer(OBSERVER)) as { readonly groups: readonly unknown[] };
    return groups[0];
  }

  /** What was asked before has been dealt with. */
  async barrier(): Promise<void> {
    await this.#askForGroup();
    await (await this.#connection(OBSERVER)).frame(ANSWERED_WITHIN_MS);
    this.#waiting.delete(OBSERVER);
  }

  #askForGroup(): Promise<void> {
    const request = { groups: [this.#groupId], includeAuthorizedOperations: false };
    return this.send({ on: OBSERVER, key: describeGroups.key, version: describeGroups.maxVersion, request });
  }

  close(): void {
    for (const connection of this.#connections.values()) connection.destroy();
  }

  async #connection(on: string): Promise<RawConnection> {
    const connection = this.#connections.get(on) ?? (await RawConnection.open(this.#port));
    this.#connections.set(on, connection);
    return connection;
  }

  /** Other conversations have groups of their own. */
  #ofThisGroup(answer: unknown): unknown {
    const { groups } = answer as { readonly groups?: readonly { readonly groupId: string }[] };
    if (groups === undefined) return answer;
    return { ...(answer as Values), groups: groups.filter(({ groupId }) => groupId.startsWith(this.#groupId)) };
  }
}
