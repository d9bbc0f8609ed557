import { codeOf } from '../../../../../src/protocol/errors.ts';
import type { ConsumerWorld, HeartbeatAnswer, HeartbeatRequest } from '../consumer-world.ts';

export const GROUP = 'g';

export interface ModelMemberOptions {
  readonly memberId: string;
  readonly instanceId: string | null;
  readonly topics: readonly string[];
  readonly regex: string | null;
  readonly rebalanceTimeoutMs: number;
}

const FENCED: ReadonlySet<number> = new Set([codeOf('FENCED_MEMBER_EPOCH'), codeOf('UNKNOWN_MEMBER_ID')]);

/** A consumer that does what it is told: it reads just the partitions that it was given, until it gives them back. */
export class ModelMember {
  readonly options: ModelMemberOptions;
  topics: readonly string[];
  regex: string | null;
  epoch = 0;
  /** What it reads: `topic id/partition`. */
  owned = new Set<string>();
  /** What it was told to read. */
  #told = new Set<string>();
  #hasToSayEverything = true;
  #saidOwned = '';
  /** It does nothing any more. */
  isGone = false;

  constructor(options: ModelMemberOptions) {
    this.options = options;
    this.topics = options.topics;
    this.regex = options.regex;
  }

  get memberId(): string {
    return this.options.memberId;
  }

  /** Sends a heartbeat, and gives its answer. */
  async beat(world: ConsumerWorld): Promise<HeartbeatAnswer> {
    const answer = await world.heartbeat(this.request());
    this.hear(answer);
    return answer;
  }

  request(): Partial<HeartbeatRequest> & { readonly groupId: string } {
    const { memberId, instanceId, rebalanceTimeoutMs } = this.options;
    const owned = this.#ownedTopics();
    const said = JSON.stringify(owned);
    const isNew = said !== this.#saidOwned;
    this.#saidOwned = said;
    const everything = {
      rebalanceTimeoutMs,
      subscribedTopicNames: [...this.topics],
      subscribedTopicRegex: this.regex ?? '',
      topicPartitions: this.epoch === 0 ? [] : owned,
    };
    const changes = this.#hasToSayEverything || this.epoch === 0 ? everything : { topicPartitions: isNew ? owned : null };
    this.#hasToSayEverything = false;
    return { groupId: GROUP, memberId, instanceId, memberEpoch: this.epoch, ...changes };
  }

  hear(answer: HeartbeatAnswer): void {
    if (FENCED.has(answer.errorCode)) this.#drop();
    else if (answer.errorCode === codeOf('FENCED_INSTANCE_ID')) this.stop();
    if (answer.errorCode !== 0) {
      this.#hasToSayEverything = true;
      return;
    }
    this.epoch = answer.memberEpoch;
    if (answer.assignment === null) return;
    const topics = answer.assignment.topicPartitions;
    this.#told = new Set(topics.flatMap(({ topicId, partitions }) => partitions.map((index) => `${topicId}/${index}`)));
  }

  /** The answer has been lost on its way. */
  hearNothing(): void {
    this.#hasToSayEverything = true;
  }

  /** Gives back what it shall not read, and reads what it may. */
  obey(): void {
    this.owned = new Set(this.#told);
  }

  subscribe(topics: readonly string[], regex: string | null): void {
    this.topics = topics;
    this.regex = regex;
    this.#hasToSayEverything = true;
  }

  async leave(world: ConsumerWorld, memberEpoch: -1 | -2): Promise<void> {
    const { memberId, instanceId } = this.options;
    this.stop();
    await world.heartbeat({ groupId: GROUP, memberId, instanceId, memberEpoch });
  }

  stop(): void {
    this.isGone = true;
    this.owned = new Set();
  }

  #drop(): void {
    this.epoch = 0;
    this.owned = new Set();
    this.#told = new Set();
  }

  #ownedTopics(): { readonly topicId: string; readonly partitions: number[] }[] {
    const topics = new Map<string, number[]>();
    for (const key of [...this.owned].sort()) {
      const [topicId = '', partition] = key.split('/');
      topics.set(topicId, [...(topics.get(topicId) ?? []), Number(partition)]);
    }
    return Array.from(topics, ([topicId, partitions]) => ({ topicId, partitions }));
  }
}
