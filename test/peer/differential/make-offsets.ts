import { type RequestMaker, type World, ZERO_ID } from './world.ts';

/** Groups that have no members but offsets. */
const groupIds = ['g0', 'g1', 'g2', 'g-3', 'größe'];

const groupId = (world: World): string => {
  if (world.rarely(12)) return world.pick('', 'nobody');
  return world.pick(...groupIds, ...world.members.map((member) => member.groupId));
};

/** Somebody who is mostly in no group, or a member of it, as whom others pass themselves off now and then. */
const committer = (world: World) => {
  const id = groupId(world);
  const member = world.members.find((each) => each.groupId === id);
  const epoch = member?.epoch ?? -1;
  return {
    groupId: id,
    generationIdOrMemberEpoch: world.rarely(8) ? world.pick(0, 1, epoch + 1, epoch - 1, -1, -2) : epoch,
    memberId: world.rarely(8) ? world.pick('nobody', '') : (member?.memberId ?? ''),
    groupInstanceId: world.rarely(10) ? world.pick('instance', 'another', null) : (member?.instance ?? null),
  };
};

const topicNameOrId = (world: World) => {
  const name = world.topicName();
  return { name, topicId: world.rarely(8) ? world.topicId() : (world.topics.get(name)?.id ?? world.topicId()) };
};

const metadata = (world: World): string | null => world.pick(null, '', 'note', 'größe ✓');
const largeMetadata = (world: World): string => world.pick('x'.repeat(4096), 'x'.repeat(4097), 'ö'.repeat(4096));

/** Metadata may be too large where another offset can be kept: in Kafka a commit of which nothing is kept leaves an empty group behind, and here none. */
export const makeOffsetCommit: RequestMaker = (world) => {
  const offset = (partitionIndex: number, committedMetadata: string | null) => ({
    partitionIndex,
    committedOffset: world.pick(0, 1, 17, 4_000_000_000, world.random.integer(1000), world.rarely(4) ? -1 : 2),
    committedLeaderEpoch: world.leaderEpoch(),
    committedMetadata,
  });
  const topics = world.list(3, () => {
    const topic = topicNameOrId(world);
    return { ...topic, partitions: world.list(3, () => offset(world.partition(topic.name), metadata(world))) };
  });
  const plain = { name: 'plain', topicId: world.topics.get('plain')?.id ?? ZERO_ID };
  const withLarge = { ...plain, partitions: [offset(0, null), offset(world.partition('plain'), largeMetadata(world))] };
  return {
    ...committer(world),
    retentionTimeMs: world.rarely(4) ? world.pick(0, 1, -2, 3_600_000) : -1,
    topics: world.rarely(5) ? [...topics, withLarge] : topics,
  };
};

const fetchedTopics = (world: World) =>
  world.rarely(3)
    ? null
    : world.list(3, () => {
        const topic = topicNameOrId(world);
        return { ...topic, partitionIndexes: world.list(4, () => world.partition(topic.name)) };
      });

export const makeOffsetFetch: RequestMaker = (world, version) => ({
  groupId: groupId(world),
  topics: version === 1 ? (fetchedTopics(world) ?? []) : fetchedTopics(world),
  groups: world.list(3, () => {
    const { generationIdOrMemberEpoch: memberEpoch, memberId, ...group } = committer(world);
    const asMember = world.rarely(3) ? { memberId, memberEpoch } : { memberId: null, memberEpoch: -1 };
    return { groupId: group.groupId, ...asMember, topics: fetchedTopics(world) };
  }),
  requireStable: world.rarely(2),
});

export const makeOffsetDelete: RequestMaker = (world) => ({
  groupId: groupId(world),
  topics: world.list(3, () => {
    const name = world.topicName();
    return { name, partitions: world.list(3, () => ({ partitionIndex: world.partition(name) })) };
  }),
});

export const makeDeleteGroups: RequestMaker = (world) => ({ groupsNames: world.list(3, () => groupId(world)) });

/** Groups, and types that have no coordinator. */
export const makeFindCoordinator: RequestMaker = (world) => ({
  key: groupId(world),
  keyType: world.rarely(3) ? world.pick(3, -1, 7) : 0,
  coordinatorKeys: world.list(3, () => groupId(world)),
});
