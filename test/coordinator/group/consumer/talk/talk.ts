import { consumerGroupHeartbeat } from '../../../../../src/protocol/messages/68-consumer-group-heartbeat.ts';
import { consumerGroupDescribe } from '../../../../../src/protocol/messages/69-consumer-group-describe.ts';
import type { Api, RequestInput, ResponseOf } from '../../../../../src/protocol/schema.ts';
import { plain, type Step } from './conversation.ts';
import type { Side } from './side.ts';

type HeartbeatInput = RequestInput<typeof consumerGroupHeartbeat>;
export type HeartbeatAnswer = ResponseOf<typeof consumerGroupHeartbeat>;

/** Talks to a broker and keeps what was said. */
export class Talk {
  readonly steps: Step[] = [];
  readonly topics = new Map<string, string>();
  readonly side: Side;
  readonly #pending = new Map<string, { readonly api: Api; readonly sent: { readonly answer: Promise<unknown> } }>();

  constructor(side: Side) {
    this.side = side;
  }

  async topic(name: string, partitions: number): Promise<string> {
    const id = await this.side.createTopic(name, partitions);
    this.topics.set(name, id);
    this.steps.push({ do: 'topic', name, partitions, id });
    return id;
  }

  async grow(name: string, partitions: number): Promise<void> {
    await this.side.growTopic(name, partitions);
    this.steps.push({ do: 'grow', name, partitions });
  }

  async delete(name: string): Promise<void> {
    await this.side.deleteTopic(name);
    this.topics.delete(name);
    this.steps.push({ do: 'delete', name });
  }

  async configure(group: string, configs: Readonly<Record<string, string>>): Promise<void> {
    await this.side.configureGroup(group, configs);
    this.steps.push({ do: 'configure', group, configs });
  }

  async wait(ms: number): Promise<void> {
    await this.side.wait(ms);
    this.steps.push({ do: 'wait', ms });
  }

  async ask<A extends Api>(api: A, version: number, request: RequestInput<A>, as = 'client'): Promise<ResponseOf<A>> {
    const answer = await this.side.ask(as, api, version, request);
    this.steps.push({ do: 'ask', key: api.key, version, as, request: plain(request), answer: plain(answer) });
    return answer;
  }

  /** Asks something that may be answered only after something else has happened. */
  async send<A extends Api>(api: A, version: number, request: RequestInput<A>, as: string): Promise<void> {
    this.steps.push({ do: 'send', key: api.key, version, as, request: plain(request) });
    this.#pending.set(as, { api, sent: await this.side.send(as, api, version, request) });
  }

  async receive<A extends Api>(_api: A, as: string): Promise<ResponseOf<A>> {
    const pending = this.#pending.get(as);
    if (pending === undefined) throw new Error(`nothing was sent as ${as}`);
    const answer = (await this.side.receive(pending.sent)) as ResponseOf<A>;
    this.steps.push({ do: 'receive', as, key: pending.api.key, answer: plain(answer) });
    return answer;
  }

  /** A heartbeat that says nothing but what is given. */
  heartbeat(request: Partial<HeartbeatInput> & Pick<HeartbeatInput, 'groupId'>, version = 1): Promise<HeartbeatAnswer> {
    return this.ask(consumerGroupHeartbeat, version, { memberId: '', memberEpoch: 0, ...request });
  }

  describe(...groupIds: string[]): Promise<ResponseOf<typeof consumerGroupDescribe>> {
    return this.ask(consumerGroupDescribe, 1, { groupIds, includeAuthorizedOperations: false });
  }
}

export interface TalkingMemberOptions {
  readonly topics?: string[];
  readonly regex?: string;
  readonly instanceId?: string;
  readonly rackId?: string;
  readonly assignor?: string;
  readonly rebalanceTimeoutMs?: number;
  readonly version?: number;
}

/** A member of a consumer group that does what it is told. */
export class TalkingMember {
  readonly talk: Talk;
  readonly groupId: string;
  memberId: string;
  epoch = 0;
  options: TalkingMemberOptions;
  /** Topic id → partitions that it reads. */
  owned = new Map<string, number[]>();
  /** What it was told last. */
  assigned = new Map<string, number[]>();
  last: HeartbeatAnswer | null = null;

  constructor(talk: Talk, groupId: string, memberId: string, options: TalkingMemberOptions = {}) {
    this.talk = talk;
    this.groupId = groupId;
    this.memberId = memberId;
    this.options = options;
  }

  async join(): Promise<HeartbeatAnswer> {
    this.owned = new Map();
    this.assigned = new Map();
    return this.#told(await this.#send({ ...this.#everything(), memberEpoch: 0, topicPartitions: [] }));
  }

  /** The least that there is to say. */
  async beat(changes: Partial<HeartbeatInput> = {}): Promise<HeartbeatAnswer> {
    return this.#told(await this.#send({ ...changes }));
  }

  /** Says everything, as after an answer that did not come. */
  async beatFully(): Promise<HeartbeatAnswer> {
    return this.#told(await this.#send({ ...this.#everything(), topicPartitions: this.#owns() }));
  }

  /** Does what it was told, and says so. */
  async follow(): Promise<HeartbeatAnswer> {
    this.obey();
    return this.#told(await this.#send({ topicPartitions: this.#owns() }));
  }

  obey(): void {
    this.owned = new Map([...this.assigned].map(([topicId, partitions]) => [topicId, [...partitions]]));
  }

  async leave(memberEpoch = -1): Promise<HeartbeatAnswer> {
    return this.#send({ memberEpoch });
  }

  #owns() {
    return [...this.owned].map(([topicId, partitions]) => ({ topicId, partitions }));
  }

  #everything(): Partial<HeartbeatInput> {
    const { topics, regex, assignor, rackId, rebalanceTimeoutMs = 300_000 } = this.options;
    return {
      rebalanceTimeoutMs,
      subscribedTopicNames: topics ?? (regex === undefined ? [] : null),
      ...(this.#version === 0 ? {} : { subscribedTopicRegex: regex ?? null }),
      serverAssignor: assignor ?? null,
      rackId: rackId ?? null,
    };
  }

  get #version(): number {
    return this.options.version ?? 1;
  }

  #send(request: Partial<HeartbeatInput>): Promise<HeartbeatAnswer> {
    const { groupId, memberId, epoch: memberEpoch } = this;
    const instanceId = this.options.instanceId ?? null;
    return this.talk.heartbeat({ groupId, memberId, memberEpoch, instanceId, ...request }, this.#version);
  }

  #told(answer: HeartbeatAnswer): HeartbeatAnswer {
    this.last = answer;
    if (answer.errorCode !== 0) return answer;
    this.memberId = answer.memberId ?? this.memberId;
    this.epoch = answer.memberEpoch;
    if (answer.assignment !== null)
      this.assigned = new Map(answer.assignment.topicPartitions.map(({ topicId, partitions }) => [topicId, partitions]));
    return answer;
  }
}
