import type { RequestSender } from '../src/network/request-sender.ts';
import { consumerGroupHeartbeat } from '../src/protocol/messages/68-consumer-group-heartbeat.ts';
import type { ResponseOf } from '../src/protocol/schema.ts';

type Answer = ResponseOf<typeof consumerGroupHeartbeat>;
type Partitions = NonNullable<Answer['assignment']>['topicPartitions'];

const REBALANCE_MS = 300_000;

/** A member of a group of the consumer protocol. */
export class ConsumerMember {
  readonly groupId: string;
  readonly #memberId: string;
  #epoch = 0;
  #owned: Partitions = [];
  /** What it has is to be told with the next heartbeat. */
  #hasNews = false;

  constructor(groupId: string, memberId: string) {
    this.groupId = groupId;
    this.#memberId = memberId;
  }

  get epoch(): number {
    return this.#epoch;
  }

  get partitionCount(): number {
    return this.#owned.reduce((count, { partitions }) => count + partitions.length, 0);
  }

  /** Heartbeats as a client sends them: everything when it joins, and later what has changed. */
  async beat(sender: RequestSender): Promise<void> {
    const isJoining = this.#epoch === 0;
    const answer = await sender.send(consumerGroupHeartbeat, 0, {
      groupId: this.groupId,
      memberId: this.#memberId,
      memberEpoch: this.#epoch,
      instanceId: null,
      rackId: null,
      rebalanceTimeoutMs: isJoining ? REBALANCE_MS : -1,
      subscribedTopicNames: isJoining ? ['orders'] : null,
      subscribedTopicRegex: null,
      serverAssignor: null,
      topicPartitions: isJoining || this.#hasNews ? this.#owned : null,
    });
    if (answer.errorCode !== 0)
      throw new Error(`a member of ${this.groupId} was refused: ${answer.errorCode} ${answer.errorMessage}`);
    this.#epoch = answer.memberEpoch;
    this.#hasNews = answer.assignment !== null;
    if (answer.assignment !== null) this.#owned = answer.assignment.topicPartitions;
  }
}
