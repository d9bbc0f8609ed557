import { codeOf, type ErrorName, KafkaError } from '../../../protocol/errors.ts';
import { type SyncAnswer, syncRefusal, type SyncRequest } from '../classic-protocol.ts';
import type { ClassicGroup } from './classic-group.ts';
import { groupMetadataRecord } from './classic-group-records.ts';
import { type Answer, type ClassicMember, NO_ASSIGNMENT } from './classic-member.ts';
import { type Effects, NOTHING } from './effects.ts';
import type { Rebalances } from './rebalances.ts';

/** SyncGroup of a classic group: the leader gives all assignments, everybody is given its own. */
export function syncClassicGroup(
  rebalances: Rebalances,
  group: ClassicGroup,
  { request, answer }: { readonly request: SyncRequest; readonly answer: Answer<SyncAnswer> },
): Effects {
  const member = memberThatSyncs(group, request);
  if (typeof member === 'string') {
    answer(syncRefusal(codeOf(member)));
    return NOTHING;
  }
  const { protocolType, protocolName } = group;
  if (group.state === 'Stable') {
    rebalances.hasSynced(group, member.memberId);
    answer({ errorCode: 0, protocolType, protocolName, assignment: member.assignment });
    return NOTHING;
  }
  group.awaitSync(member, answer);
  rebalances.hasSynced(group, member.memberId);
  return group.isLeader(member.memberId) ? keepAssignments(rebalances, group, request) : NOTHING;
}

/** What the leader has shared out counts once it is written, if the group has not gone on meanwhile. */
function keepAssignments(rebalances: Rebalances, group: ClassicGroup, request: SyncRequest): Effects {
  const given = new Map(request.assignments.map(({ memberId, assignment }) => [memberId, assignment]));
  // Copies: the request is gone when its record is written.
  const assignments = new Map(
    Array.from(group.members(), ({ memberId }) => [memberId, Buffer.from(given.get(memberId) ?? NO_ASSIGNMENT)]),
  );
  return {
    records: [groupMetadataRecord(group, assignments)],
    settled: (error) => {
      if (group.state !== 'CompletingRebalance' || group.generationId !== request.generationId) return;
      if (error === null) rebalances.giveAssignments(group, assignments);
      else rebalances.assignmentsNotWritten(group, error);
    },
  };
}

/** The member that asks, or why it is refused. */
function memberThatSyncs(group: ClassicGroup, request: SyncRequest): ClassicMember | ErrorName {
  if (group.state === 'Dead') return 'COORDINATOR_NOT_AVAILABLE';
  try {
    const member = group.validateMember(request.memberId, request.groupInstanceId);
    if (request.generationId !== group.generationId) return 'ILLEGAL_GENERATION';
    if (isAnother(request.protocolType, group.protocolType)) return 'INCONSISTENT_GROUP_PROTOCOL';
    if (isAnother(request.protocolName, group.protocolName)) return 'INCONSISTENT_GROUP_PROTOCOL';
    return group.state === 'PreparingRebalance' ? 'REBALANCE_IN_PROGRESS' : member;
  } catch (error) {
    if (!(error instanceof KafkaError)) throw error;
    return error.errorName;
  }
}

const isAnother = (named: string | null, chosen: string | null): boolean => named !== null && chosen !== null && named !== chosen;
