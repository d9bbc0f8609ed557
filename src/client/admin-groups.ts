import { ProtocolError } from '../protocol/codec.ts';
import { errorNameOf, KafkaError } from '../protocol/errors.ts';
import { describeGroups as describeGroupsApi } from '../protocol/messages/15-describe-groups.ts';
import { listGroups as listGroupsApi } from '../protocol/messages/16-list-groups.ts';
import { deleteGroups as deleteGroupsApi } from '../protocol/messages/42-delete-groups.ts';
import { consumerGroupDescribe } from '../protocol/messages/69-consumer-group-describe.ts';
import type { ResponseOf } from '../protocol/schema.ts';
import { throwIfError } from './admin-topics.ts';
import type { Client } from './client.ts';
import type { Connection } from './connection.ts';
import { CONSUMER_PROTOCOL_TYPE, decodeAssignment, decodeSubscription } from './groups/classic-data.ts';
import { askCoordinators, type CoordinatorNode } from './groups/coordinators.ts';
import type { TopicPartition } from './topic-partition.ts';

export interface GroupListing {
  readonly groupId: string;
  /** consumer for consumers; empty for a group that only has offsets. */
  readonly protocolType: string;
  /** Such as Stable; empty where the broker is too old to tell. */
  readonly state: string;
  /** Such as Classic; empty where the broker is too old to tell. */
  readonly type: string;
}

interface ListFilter {
  /** All, if empty. Upper and lower case are the same to the broker. */
  readonly states?: readonly string[];
  readonly types?: readonly string[];
}

/** The groups that any broker coordinates, in order of id. */
export async function listGroups(client: Client, { states = [], types = [] }: ListFilter = {}): Promise<GroupListing[]> {
  const nodes = client.metadata.brokers.map(({ id }) => id);
  const lists = await Promise.all(
    nodes.map((id) =>
      client.retrying(async () => {
        const answer = await client.sendTo(id, listGroupsApi, { statesFilter: states, typesFilter: types });
        throwIfError(answer.errorCode, null);
        return answer.groups;
      }),
    ),
  );
  return lists
    .flat()
    .map(({ groupId, protocolType, groupState: state, groupType }) => ({
      groupId,
      protocolType,
      state,
      type: capitalized(groupType),
    }))
    .sort((a, b) => (a.groupId < b.groupId ? -1 : 1));
}

/** Brokers say classic, where people read Classic. */
const capitalized = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

export interface MemberDescription {
  readonly memberId: string;
  readonly instanceId: string | null;
  readonly rackId: string | null;
  readonly clientId: string;
  readonly host: string;
  /** Null with the classic protocol. */
  readonly epoch: number | null;
  readonly assignment: readonly TopicPartition[];
  /** What the coordinator wants it to own; null with the classic protocol. */
  readonly target: readonly TopicPartition[] | null;
  /** Whether it uses the consumer protocol in a group that has members of both; null where that is not told. */
  readonly isUpgraded: boolean | null;
  readonly topics: readonly string[];
  readonly topicPattern: string | null;
}

export interface GroupDescription {
  readonly groupId: string;
  readonly type: 'Classic' | 'Consumer';
  readonly state: string;
  /** Empty while there is none. */
  readonly assignor: string;
  readonly coordinator: CoordinatorNode;
  /** Null with the classic protocol, like the next. */
  readonly groupEpoch: number | null;
  readonly targetEpoch: number | null;
  readonly members: readonly MemberDescription[];
}

type Described = Map<string, GroupDescription | KafkaError>;

/** Consumer groups by id, of either protocol. One that cannot be described has the reason. */
export async function describeGroups(client: Client, groupIds: readonly string[]): Promise<Described> {
  return await askCoordinators(client, groupIds, async (connection, ids, node) => {
    const described = connection.features.versions.has(consumerGroupDescribe.key)
      ? await describeConsumerGroups(connection, ids, node)
      : new Map<string, GroupDescription | KafkaError>();
    const classic = ids.filter((id) => isNoConsumerGroup(described.get(id)));
    if (classic.length > 0)
      for (const [id, group] of await describeClassicGroups(connection, classic, node)) described.set(id, group);
    return described;
  });
}

const isNoConsumerGroup = (group: GroupDescription | KafkaError | undefined): boolean =>
  group === undefined ||
  (group instanceof KafkaError && (group.errorName === 'GROUP_ID_NOT_FOUND' || group.errorName === 'UNSUPPORTED_VERSION'));

async function describeConsumerGroups(
  connection: Connection,
  groupIds: readonly string[],
  coordinator: CoordinatorNode,
): Promise<Described> {
  const answer = await connection.request(consumerGroupDescribe, { groupIds, includeAuthorizedOperations: false });
  return new Map(
    answer.groups.map((group) => [group.groupId, group.errorCode === 0 ? consumerGroup(group, coordinator) : errorOf(group)]),
  );
}

type ConsumerGroupAnswer = ResponseOf<typeof consumerGroupDescribe>['groups'][number];
type MemberAnswer = ConsumerGroupAnswer['members'][number];

function consumerGroup(group: ConsumerGroupAnswer, coordinator: CoordinatorNode): GroupDescription {
  return {
    groupId: group.groupId,
    type: 'Consumer',
    state: group.groupState,
    assignor: group.assignorName,
    coordinator,
    groupEpoch: group.groupEpoch,
    targetEpoch: group.assignmentEpoch,
    members: group.members.map((member) => ({
      memberId: member.memberId,
      instanceId: member.instanceId,
      rackId: member.rackId,
      clientId: member.clientId,
      host: member.clientHost,
      epoch: member.memberEpoch,
      assignment: placesOf(member.assignment),
      target: placesOf(member.targetAssignment),
      isUpgraded: member.memberType < 0 ? null : member.memberType === 1,
      topics: member.subscribedTopicNames,
      topicPattern: member.subscribedTopicRegex === '' ? null : member.subscribedTopicRegex,
    })),
  };
}

const placesOf = ({ topicPartitions }: MemberAnswer['assignment']): TopicPartition[] =>
  topicPartitions.flatMap(({ topicName: topic, partitions }) => partitions.map((partition) => ({ topic, partition })));

async function describeClassicGroups(
  connection: Connection,
  groups: readonly string[],
  coordinator: CoordinatorNode,
): Promise<Described> {
  const answer = await connection.request(describeGroupsApi, { groups, includeAuthorizedOperations: false });
  return new Map(
    answer.groups.map((group) => [group.groupId, group.errorCode === 0 ? classicGroup(group, coordinator) : errorOf(group)]),
  );
}

type ClassicGroupAnswer = ResponseOf<typeof describeGroupsApi>['groups'][number];
type ClassicMemberAnswer = ClassicGroupAnswer['members'][number];

function classicGroup(group: ClassicGroupAnswer, coordinator: CoordinatorNode): GroupDescription | KafkaError {
  const { groupId, protocolType, groupState: state, protocolData: assignor } = group;
  if (protocolType !== CONSUMER_PROTOCOL_TYPE && protocolType !== '') {
    return new KafkaError('INVALID_GROUP_ID', `GroupId ${groupId} is not a consumer group (${protocolType}).`);
  }
  // Old brokers tell of a group that does not exist that it is dead.
  if (state === 'Dead') return new KafkaError('GROUP_ID_NOT_FOUND', `Group ${groupId} not found.`);
  const members = group.members.map(classicMember);
  return { groupId, type: 'Classic', state, assignor, coordinator, groupEpoch: null, targetEpoch: null, members };
}

function classicMember(member: ClassicMemberAnswer): MemberDescription {
  const { memberId, groupInstanceId: instanceId, clientId, clientHost: host, memberMetadata, memberAssignment } = member;
  // While the group forms there is nothing to be told yet; and nobody checks what members say to each other.
  const topics = orNone(() =>
    memberMetadata.length === 0 ? [] : decodeSubscription(memberId, instanceId, memberMetadata).topics,
  );
  return {
    memberId,
    instanceId,
    rackId: null,
    clientId,
    host,
    epoch: null,
    assignment: orNone(() => decodeAssignment(memberAssignment)),
    target: null,
    isUpgraded: null,
    topics,
    topicPattern: null,
  };
}

function orNone<T>(read: () => readonly T[]): readonly T[] {
  try {
    return read();
  } catch (error) {
    if (error instanceof ProtocolError) return [];
    throw error;
  }
}

function errorOf({ errorCode, errorMessage }: { readonly errorCode: number; readonly errorMessage: string | null }): KafkaError {
  const name = errorNameOf(errorCode);
  return errorMessage === null || errorMessage === '' ? new KafkaError(name) : new KafkaError(name, errorMessage);
}

/** Deletes groups with their offsets. Each has null, or why it is still there. */
export async function deleteGroups(client: Client, groupIds: readonly string[]): Promise<Map<string, KafkaError | null>> {
  return await askCoordinators<null>(client, groupIds, async (connection, groupsNames) => {
    const answer = await connection.request(deleteGroupsApi, { groupsNames });
    return new Map(answer.results.map((result) => [result.groupId, result.errorCode === 0 ? null : errorOf(result)]));
  });
}
