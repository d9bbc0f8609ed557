import { javaHashCode } from '../../../base/bytes/murmur2.ts';
import { JavaHashMap } from './java-hash-map.ts';
import type {
  AssignorGroup,
  AssignorMember,
  MemberPartitions,
  PartitionAssignor,
  SubscribedTopics,
} from './partition-assignor.ts';
import { assignHomogeneous } from './uniform-homogeneous.ts';
import { assignHeterogeneous } from './uniform-heterogeneous.ts';

/**
 * Gives every member as many partitions as the others, or one more, whatever topics they are of; and moves as few as it can. Groups whose members
 * want different topics are harder, and have an algorithm of their own.
 */
export const uniformAssignor: PartitionAssignor = {
  name: 'uniform',

  assign({ members, isHomogeneous }: AssignorGroup, topics: SubscribedTopics): ReadonlyMap<string, MemberPartitions> {
    if (members.length === 0) return new Map();
    const ordered = inHashOrder(members);
    return isHomogeneous ? assignHomogeneous(ordered, topics) : assignHeterogeneous(ordered, topics);
  },
};

function inHashOrder(members: readonly AssignorMember[]): readonly AssignorMember[] {
  const map = new JavaHashMap<string, AssignorMember>(javaHashCode);
  for (const member of members) map.set(member.memberId, member);
  return [...map.entries()].map(([, member]) => member);
}
