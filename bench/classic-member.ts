import type { RequestSender } from '../src/network/request-sender.ts';
import { joinGroup } from '../src/protocol/messages/11-join-group.ts';
import { heartbeat } from '../src/protocol/messages/12-heartbeat.ts';
import { syncGroup } from '../src/protocol/messages/14-sync-group.ts';
import { offsetCommit } from '../src/protocol/messages/08-offset-commit.ts';
import { codeOf } from '../src/protocol/errors.ts';
import { ZERO_UUID } from '../src/base/uuid.ts';

/** Longer than a run. */
const SESSION_MS = 1_800_000;
const REBALANCE_IN_PROGRESS = codeOf('REBALANCE_IN_PROGRESS');
/** A subscription to the topic `orders`. */
const SUBSCRIPTION = Buffer.from('00000000000100066f7264657273ffffffff', 'hex');
const ASSIGNMENT = Buffer.from('00000000000100066f72646572730000000100000000ffffffff', 'hex');

/** A member of a classic group on a connection that nobody blocks while it waits for others to join. */
export class ClassicMember {
  readonly groupId: string;
  #memberId = '';
  #generationId = -1;

  constructor(groupId: string) {
    this.groupId = groupId;
  }

  get generationId(): number {
    return this.#generationId;
  }

  /** Joins until there is a generation that it has its part of. */
  async join(sender: RequestSender): Promise<void> {
    for (;;) {
      const joined = await sender.send(joinGroup, 3, {
        groupId: this.groupId,
        sessionTimeoutMs: SESSION_MS,
        rebalanceTimeoutMs: SESSION_MS,
        memberId: this.#memberId,
        protocolType: 'consumer',
        protocols: [{ name: 'range', metadata: SUBSCRIPTION }],
      });
      if (joined.errorCode !== 0) throw new Error(`a member of ${this.groupId} could not join: ${joined.errorCode}`);
      this.#memberId = joined.memberId;
      this.#generationId = joined.generationId;
      const assignments = joined.members.map(({ memberId }) => ({ memberId, assignment: ASSIGNMENT }));
      const { groupId, memberId, generationId } = {
        groupId: this.groupId,
        memberId: joined.memberId,
        generationId: joined.generationId,
      };
      const { errorCode } = await sender.send(syncGroup, 2, { groupId, memberId, generationId, assignments });
      if (errorCode === 0) return;
      if (errorCode !== REBALANCE_IN_PROGRESS) throw new Error(`a member of ${groupId} could not sync: ${errorCode}`);
    }
  }

  /** False when it has to join again. */
  async beat(sender: RequestSender): Promise<boolean> {
    const { groupId } = this;
    const { errorCode } = await sender.send(heartbeat, 3, {
      groupId,
      memberId: this.#memberId,
      generationId: this.#generationId,
      groupInstanceId: null,
    });
    if (errorCode !== 0 && errorCode !== REBALANCE_IN_PROGRESS) throw new Error(`a heartbeat was refused: ${errorCode}`);
    return errorCode === 0;
  }

  /** Commits an offset for one partition. */
  async commit(sender: RequestSender, committedOffset: number): Promise<void> {
    const { groupId } = this;
    const partition = { partitionIndex: 0, committedOffset, committedLeaderEpoch: 0, committedMetadata: '' };
    const { topics } = await sender.send(offsetCommit, 8, {
      groupId,
      memberId: this.#memberId,
      generationIdOrMemberEpoch: this.#generationId,
      groupInstanceId: null,
      retentionTimeMs: -1,
      topics: [{ name: 'orders', topicId: ZERO_UUID, partitions: [partition] }],
    });
    const errorCode = topics[0]?.partitions[0]?.errorCode;
    if (errorCode !== 0) throw new Error(`a commit was refused: ${errorCode}`);
  }
}
