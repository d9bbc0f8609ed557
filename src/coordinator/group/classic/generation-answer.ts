import type { JoinAnswer } from '../classic-protocol.ts';
import type { ClassicGroup } from './classic-group.ts';

/** A JoinGroup is answered with the generation that the group has. Its leader is told who its members are, and what they say. */
export function generationAnswer(group: ClassicGroup, memberId: string): JoinAnswer {
  const { generationId, protocolType, protocolName, leaderId } = group;
  const members = group.isLeader(memberId) ? membersOf(group) : [];
  return { errorCode: 0, generationId, protocolType, protocolName, leader: leaderId ?? '', memberId, members };
}

const membersOf = (group: ClassicGroup): JoinAnswer['members'] =>
  Array.from(group.members(), (member) => ({
    memberId: member.memberId,
    groupInstanceId: member.groupInstanceId,
    metadata: member.metadata(group.protocolName),
  }));
