import type { TimelineEpoch } from '../../../base/timeline-map.ts';
import type { Uuid } from '../../../base/uuid.ts';
import type { TopicsImage } from '../../../metadata/image/topics-image.ts';
import type { consumerGroupDescribe } from '../../../protocol/messages/69-consumer-group-describe.ts';
import type { ResponseInput } from '../../../protocol/schema.ts';
import type { MemberPartitions } from '../assignors/partition-assignor.ts';
import { askedAssignor } from './assignor-choice.ts';
import type { ConsumerGroup } from './consumer-group.ts';
import type { ConsumerGroupMember } from './consumer-group-member.ts';

export type DescribedConsumerGroup = ResponseInput<typeof consumerGroupDescribe>['groups'][number];
type DescribedMember = DescribedConsumerGroup['members'][number];
type DescribedAssignment = DescribedMember['assignment'];

const CLASSIC = 0;
const CONSUMER = 1;

/** A group as it was at an offset of its log. */
export function describeConsumerGroup(
  group: ConsumerGroup,
  committedOffset: TimelineEpoch,
  { topics, defaultAssignor }: { readonly topics: TopicsImage; readonly defaultAssignor: string },
): DescribedConsumerGroup {
  const { groupEpoch, assignmentEpoch } = group.epochsAt(committedOffset);
  return {
    groupId: group.groupId,
    groupState: group.stateAt(committedOffset),
    groupEpoch,
    assignmentEpoch,
    assignorName: askedAssignor(group.serverAssignorsAt(committedOffset)) ?? defaultAssignor,
    members: Array.from(group.membersAt(committedOffset), (member) =>
      describeMember(member, group.targetAt(member.memberId, committedOffset), topics),
    ),
  };
}

const describeMember = (member: ConsumerGroupMember, target: MemberPartitions, topics: TopicsImage): DescribedMember => ({
  memberId: member.memberId,
  instanceId: member.instanceId,
  rackId: member.rackId,
  memberEpoch: member.memberEpoch,
  clientId: member.clientId,
  clientHost: member.clientHost,
  subscribedTopicNames: [...member.subscribedTopicNames],
  subscribedTopicRegex: member.subscribedTopicRegex,
  assignment: describeAssignment(held(member), topics),
  targetAssignment: describeAssignment(target, topics),
  memberType: member.classic === null ? CONSUMER : CLASSIC,
});

/** What the member may read still, and what it has been asked to give back. */
function held({ assigned, pendingRevocation }: ConsumerGroupMember): MemberPartitions {
  const partitions = new Map<Uuid, number[]>();
  for (const part of [assigned, pendingRevocation]) {
    for (const [topicId, indexes] of part) partitions.set(topicId, [...(partitions.get(topicId) ?? []), ...indexes.keys()]);
  }
  return partitions;
}

/** Topics that are gone are left out. */
const describeAssignment = (partitions: MemberPartitions, topics: TopicsImage): DescribedAssignment => ({
  topicPartitions: [...partitions].flatMap(([topicId, indexes]) => {
    const topic = topics.byId.get(topicId);
    return topic === undefined ? [] : [{ topicId, topicName: topic.name, partitions: [...indexes] }];
  }),
});
