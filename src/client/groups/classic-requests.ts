import { errorNameOf, KafkaError } from '../../protocol/errors.ts';
import { joinGroup } from '../../protocol/messages/11-join-group.ts';
import { heartbeat } from '../../protocol/messages/12-heartbeat.ts';
import { leaveGroup } from '../../protocol/messages/13-leave-group.ts';
import { syncGroup } from '../../protocol/messages/14-sync-group.ts';
import type { ResponseOf } from '../../protocol/schema.ts';
import type { TopicPartition } from '../topic-partition.ts';
import { CONSUMER_PROTOCOL_TYPE, decodeAssignment } from './classic-data.ts';
import type { GroupCoordinator } from './group-coordinator.ts';
import type { GroupSettings } from './group-options.ts';
import type { MemberIdentity } from './membership.ts';

/** How long beyond the rebalance timeout a JoinGroup or SyncGroup may be under way. */
const ANSWER_GRACE_MS = 5000;

export type JoinAnswer = ResponseOf<typeof joinGroup>;

/** The four requests of the classic protocol, with errors as exceptions. */
export class ClassicRequests {
  readonly #coordinator: GroupCoordinator;
  readonly #settings: GroupSettings;

  constructor(coordinator: GroupCoordinator, settings: GroupSettings) {
    this.#coordinator = coordinator;
    this.#settings = settings;
  }

  /** Joins; MEMBER_ID_REQUIRED is no failure but an answer that has the id. */
  async join(memberId: string, metadata: Buffer, reason: string): Promise<JoinAnswer> {
    const { groupId, groupInstanceId, sessionTimeoutMs, maxPollIntervalMs, assignors } = this.#settings;
    const input = {
      groupId,
      sessionTimeoutMs,
      rebalanceTimeoutMs: maxPollIntervalMs,
      memberId,
      groupInstanceId,
      protocolType: CONSUMER_PROTOCOL_TYPE,
      protocols: assignors.map((name) => ({ name, metadata })),
      reason,
    };
    const answer = await this.#coordinator.requestAsMember(joinGroup, input, { timeoutMs: maxPollIntervalMs + ANSWER_GRACE_MS });
    const error = errorNameOf(answer.errorCode);
    if (error !== 'NONE' && error !== 'MEMBER_ID_REQUIRED') throw new KafkaError(error);
    return answer;
  }

  /** Waits for the leader's assignment, or hands it in. */
  async sync(
    identity: MemberIdentity,
    protocolName: string | null,
    assignments: readonly { readonly memberId: string; readonly assignment: Buffer }[],
  ): Promise<TopicPartition[]> {
    const input = { ...this.#member(identity), protocolType: CONSUMER_PROTOCOL_TYPE, protocolName, assignments };
    const timeoutMs = this.#settings.maxPollIntervalMs + ANSWER_GRACE_MS;
    const answer = await this.#coordinator.requestAsMember(syncGroup, input, { timeoutMs });
    throwIfError(answer.errorCode);
    return decodeAssignment(answer.assignment);
  }

  async heartbeat(identity: MemberIdentity): Promise<void> {
    throwIfError((await this.#coordinator.request(heartbeat, this.#member(identity))).errorCode);
  }

  async leave({ memberId, instanceId: groupInstanceId }: MemberIdentity, reason: string): Promise<void> {
    const { groupId } = this.#settings;
    const connection = await this.#coordinator.connection();
    // Old brokers are told about one member, newer ones about several.
    const isBatched = connection.versionOf(leaveGroup) >= FIRST_BATCHED_LEAVE;
    const input = isBatched ? { groupId, members: [{ memberId, groupInstanceId, reason }] } : { groupId, memberId, members: [] };
    const answer = await this.#coordinator.request(leaveGroup, input);
    throwIfError(answer.errorCode);
    throwIfError(answer.members[0]?.errorCode ?? 0);
  }

  #member({ memberId, epoch: generationId, instanceId: groupInstanceId }: MemberIdentity): {
    groupId: string;
    memberId: string;
    generationId: number;
    groupInstanceId: string | null;
  } {
    return { groupId: this.#settings.groupId, memberId, generationId, groupInstanceId };
  }
}

const FIRST_BATCHED_LEAVE = 3;

function throwIfError(code: number): void {
  if (code !== 0) throw new KafkaError(errorNameOf(code));
}
