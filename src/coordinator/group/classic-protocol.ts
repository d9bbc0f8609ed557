import { codeOf, KafkaError } from '../../protocol/errors.ts';
import type { heartbeat } from '../../protocol/messages/12-heartbeat.ts';
import type { joinGroup } from '../../protocol/messages/11-join-group.ts';
import type { leaveGroup } from '../../protocol/messages/13-leave-group.ts';
import type { syncGroup } from '../../protocol/messages/14-sync-group.ts';
import type { RequestOf, ResponseInput } from '../../protocol/schema.ts';
import type { CoordinatorResult } from '../runtime/coordinator-shard.ts';
import type { GroupRecord } from './group-record.ts';

/** Who asks, as far as a group remembers it. */
export interface GroupClient {
  readonly apiVersion: number;
  readonly clientId: string;
  /** As Kafka spells it: `/127.0.0.1`. */
  readonly clientHost: string;
}

/** Byte fields are copies that may be kept. */
export type JoinRequest = RequestOf<typeof joinGroup>;
export type JoinAnswer = ResponseInput<typeof joinGroup>;
/** Byte fields are views of the request: copy what is kept. */
export type SyncRequest = RequestOf<typeof syncGroup>;
export type SyncAnswer = ResponseInput<typeof syncGroup>;
export type HeartbeatRequest = RequestOf<typeof heartbeat>;
export type HeartbeatAnswer = ResponseInput<typeof heartbeat>;
/** As it is since v3: those of older versions have one member. */
export type LeaveRequest = Pick<RequestOf<typeof leaveGroup>, 'groupId' | 'members'>;
export type LeaveAnswer = ResponseInput<typeof leaveGroup>;

/**
 * What members of the classic protocol ask their group. Kinds of groups that may have such members answer it. What is thrown is a KafkaError; answers have null
 * where they have no protocol, whatever the version.
 */
export interface ClassicProtocol {
  joinGroup(client: GroupClient, request: JoinRequest): CoordinatorResult<GroupRecord, JoinAnswer>;
  syncGroup(client: GroupClient, request: SyncRequest): CoordinatorResult<GroupRecord, SyncAnswer>;
  heartbeat(client: GroupClient, request: HeartbeatRequest): CoordinatorResult<GroupRecord, HeartbeatAnswer>;
  leaveGroup(client: GroupClient, request: LeaveRequest): CoordinatorResult<GroupRecord, LeaveAnswer>;
}

/** A JoinGroup that is refused. */
export const joinRefusal = (memberId: string, errorCode: number): JoinAnswer => ({
  errorCode,
  protocolName: null,
  leader: '',
  memberId,
  members: [],
});

/** A SyncGroup that is refused. */
export const syncRefusal = (errorCode: number): SyncAnswer => ({ errorCode, assignment: Buffer.alloc(0) });

/** Groups that have no members of the classic protocol, as share groups. */
export const noClassicMembers: ClassicProtocol = {
  joinGroup: () => ({ records: [], response: joinRefusal('', codeOf('INCONSISTENT_GROUP_PROTOCOL')) }),
  syncGroup: () => ({ records: [], response: syncRefusal(codeOf('UNKNOWN_MEMBER_ID')) }),
  heartbeat: () => {
    throw new KafkaError('UNKNOWN_MEMBER_ID');
  },
  leaveGroup: () => {
    throw new KafkaError('UNKNOWN_MEMBER_ID');
  },
};
