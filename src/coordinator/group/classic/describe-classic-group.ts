import type { describeGroups } from '../../../protocol/messages/15-describe-groups.ts';
import type { ResponseInput } from '../../../protocol/schema.ts';
import type { ClassicGroup } from './classic-group.ts';
import { NO_ASSIGNMENT } from './classic-member.ts';

export type ClassicGroupDescription = ResponseInput<typeof describeGroups>['groups'][number];

/** What DescribeGroups tells of a group. What members say for their protocol is told once it is chosen and in use. */
export function describeClassicGroup(group: ClassicGroup): ClassicGroupDescription {
  const isStable = group.state === 'Stable';
  return {
    groupId: group.groupId,
    groupState: group.state,
    protocolType: group.protocolType ?? '',
    protocolData: isStable ? (group.protocolName ?? '') : '',
    members: Array.from(group.members(), (member) => ({
      memberId: member.memberId,
      groupInstanceId: member.groupInstanceId,
      clientId: member.clientId,
      clientHost: member.clientHost,
      memberMetadata: isStable ? member.metadata(group.protocolName) : NO_ASSIGNMENT,
      memberAssignment: member.assignment,
    })),
  };
}
