import { inHashOrder } from './member-order.ts';
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
    if (members.every(({ subscribedTopicIds }) => subscribedTopicIds.size === 0)) return nothingForAnybody(ordered);
    return isHomogeneous ? assignHomogeneous(ordered, topics) : assignHeterogeneous(ordered, topics);
  },
};

function nothingForAnybody(members: readonly AssignorMember[]): ReadonlyMap<string, MemberPartitions> {
  return new Map(members.map(({ memberId, current }) => [memberId, current.size === 0 ? current : new Map()]));
}
