import type { Logger } from '../../../base/logger.ts';
import { codeOf, type ErrorName, KafkaError } from '../../../protocol/errors.ts';
import type { LeaveAnswer, LeaveRequest } from '../classic-protocol.ts';
import type { ClassicGroup } from './classic-group.ts';
import { type Effects, NOTHING } from './effects.ts';
import type { Rebalances } from './rebalances.ts';

type Leaver = LeaveRequest['members'][number];

/** LeaveGroup of a classic group: members leave, or an administrator has them removed by their instances. */
export function leaveClassicGroup(
  rebalances: Rebalances,
  group: ClassicGroup,
  { request, log }: { readonly request: LeaveRequest; readonly log: Logger },
): { readonly effects: Effects; readonly answer: LeaveAnswer } {
  if (group.state === 'Dead')
    return { effects: NOTHING, answer: { errorCode: codeOf('COORDINATOR_NOT_AVAILABLE'), members: [] } };
  const members = request.members.map((leaver) => {
    const { memberId, groupInstanceId, reason } = leaver;
    const error = leave(rebalances, group, leaver);
    if (error === null)
      log.info('A member leaves', { group: group.groupId, member: memberId, instance: groupInstanceId, reason });
    return { memberId, groupInstanceId, errorCode: error === null ? 0 : codeOf(error) };
  });
  const hasLost = members.some(({ errorCode }) => errorCode === 0);
  return { effects: hasLost ? goOn(rebalances, group) : NOTHING, answer: { errorCode: 0, members } };
}

function leave(rebalances: Rebalances, group: ClassicGroup, { memberId: named, groupInstanceId }: Leaver): ErrorName | null {
  const isByInstance = named === '';
  const memberId = isByInstance && groupInstanceId !== null ? group.staticMemberId(groupInstanceId) : named;
  if (memberId === undefined) return 'UNKNOWN_MEMBER_ID';
  try {
    if (!group.pendingJoins.has(memberId)) group.validateMember(memberId, groupInstanceId);
  } catch (error) {
    if (!(error instanceof KafkaError)) throw error;
    return error.errorName;
  }
  rebalances.timers.endSession(group, memberId);
  group.remove(memberId);
  return null;
}

function goOn(rebalances: Rebalances, group: ClassicGroup): Effects {
  switch (group.state) {
    case 'Stable':
    case 'CompletingRebalance':
      return rebalances.prepare(group, 'members have left');
    case 'PreparingRebalance':
      return rebalances.completeIfAllJoined(group);
    default:
      return NOTHING;
  }
}
