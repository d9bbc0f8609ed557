import type { ConfigStore } from '../../../config/config-store.ts';
import { codeOf } from '../../../protocol/errors.ts';
import type { CoordinatorResult } from '../../runtime/coordinator-shard.ts';
import {
  type ClassicProtocol,
  type GroupClient,
  type HeartbeatAnswer,
  type HeartbeatRequest,
  type JoinAnswer,
  joinRefusal,
  type JoinRequest,
  type LeaveAnswer,
  type LeaveRequest,
  type SyncAnswer,
  syncRefusal,
  type SyncRequest,
} from '../classic-protocol.ts';
import { coordinatorError } from '../../runtime/coordinator-errors.ts';
import { ID_LENGTH_MAX } from '../../runtime/id-length.ts';
import type { GroupCoordinator } from '../group-coordinator.ts';
import type { GroupRecord } from '../group-record.ts';
import type { ClassicGroupDescription } from './describe-classic-group.ts';

/** v0 has no timeout for rebalances: a session's is meant. */
const REBALANCE_TIMEOUT_VERSION = 1;
/** A group that is not there is an error, from this version on (KIP-1043). */
const GROUP_ID_NOT_FOUND_VERSION = 6;

export interface ClassicGroupServiceOptions {
  readonly coordinator: GroupCoordinator;
  readonly configs: ConfigStore;
}

/** What is asked by the classic protocol of whatever group, and of classic groups. Answers carry errors; what is thrown is a bug. */
export class ClassicGroupService {
  readonly #coordinator: GroupCoordinator;
  readonly #configs: ConfigStore;

  constructor({ coordinator, configs }: ClassicGroupServiceOptions) {
    this.#coordinator = coordinator;
    this.#configs = configs;
  }

  /** Waits until the group is complete. */
  async joinGroup(client: GroupClient, request: JoinRequest): Promise<JoinAnswer> {
    const { groupId, memberId, sessionTimeoutMs, rebalanceTimeoutMs, protocols } = request;
    if (groupId === '') return joinRefusal(memberId, codeOf('INVALID_GROUP_ID'));
    if ((request.groupInstanceId?.length ?? 0) > ID_LENGTH_MAX) return joinRefusal(memberId, codeOf('INVALID_REQUEST'));
    const config = this.#configs.broker();
    const isTooShort = sessionTimeoutMs < config['group.min.session.timeout.ms'];
    if (isTooShort || sessionTimeoutMs > config['group.max.session.timeout.ms']) {
      return joinRefusal(memberId, codeOf('INVALID_SESSION_TIMEOUT'));
    }
    const kept: JoinRequest = {
      ...request,
      rebalanceTimeoutMs: client.apiVersion < REBALANCE_TIMEOUT_VERSION ? sessionTimeoutMs : rebalanceTimeoutMs,
      protocols: protocols.map(({ name, metadata }) => ({ name, metadata: Buffer.from(metadata) })),
    };
    try {
      return await this.#ask(groupId, (protocol) => protocol.joinGroup(client, kept));
    } catch (error) {
      return joinRefusal('', coordinatorError(error).code);
    }
  }

  /** Waits until the leader has shared out. */
  async syncGroup(client: GroupClient, request: SyncRequest): Promise<SyncAnswer> {
    if (request.groupId === '') return syncRefusal(codeOf('INVALID_GROUP_ID'));
    try {
      return await this.#ask(request.groupId, (protocol) => protocol.syncGroup(client, request));
    } catch (error) {
      return syncRefusal(coordinatorError(error).code);
    }
  }

  async heartbeat(client: GroupClient, request: HeartbeatRequest): Promise<HeartbeatAnswer> {
    if (request.groupId === '') return { errorCode: codeOf('INVALID_GROUP_ID') };
    try {
      return await this.#ask(request.groupId, (protocol) => protocol.heartbeat(client, request));
    } catch (error) {
      const told = coordinatorError(error);
      // The group may well be there once it is loaded: nobody has to join again for that.
      return { errorCode: told.errorName === 'COORDINATOR_LOAD_IN_PROGRESS' ? 0 : told.code };
    }
  }

  async leaveGroup(client: GroupClient, request: LeaveRequest): Promise<LeaveAnswer> {
    if (request.groupId === '') return { errorCode: codeOf('INVALID_GROUP_ID'), members: [] };
    try {
      return await this.#ask(request.groupId, (protocol) => protocol.leaveGroup(client, request));
    } catch (error) {
      const { errorName, code } = coordinatorError(error);
      if (errorName !== 'UNKNOWN_MEMBER_ID') return { errorCode: code, members: [] };
      // There is no such group, and so none of the members.
      const members = request.members.map(({ memberId, groupInstanceId }) => ({ memberId, groupInstanceId, errorCode: code }));
      return { errorCode: 0, members };
    }
  }

  describeGroup(groupId: string, apiVersion: number): ClassicGroupDescription {
    try {
      return this.#coordinator.runtime.read(this.#coordinator.partitionOf(groupId), (shard, committedOffset) =>
        shard.classic.describe(groupId, committedOffset),
      );
    } catch (error) {
      const told = coordinatorError(error);
      if (told.errorName !== 'GROUP_ID_NOT_FOUND') return { ...nothingOf(groupId), errorCode: told.code };
      const isToldSo = apiVersion >= GROUP_ID_NOT_FOUND_VERSION;
      return {
        ...nothingOf(groupId),
        groupState: 'Dead',
        ...(isToldSo ? { errorCode: told.code, errorMessage: told.message } : {}),
      };
    }
  }

  #ask<Response>(
    groupId: string,
    ask: (protocol: ClassicProtocol) => CoordinatorResult<GroupRecord, Response>,
  ): Promise<Response> {
    const { runtime } = this.#coordinator;
    return runtime.write(this.#coordinator.partitionOf(groupId), (shard) => ask(shard.classicProtocol(groupId)));
  }
}

/** A description of a group of which nothing is known. */
export const nothingOf = (groupId: string): ClassicGroupDescription => ({
  groupId,
  groupState: '',
  protocolType: '',
  protocolData: '',
  members: [],
});
