import type { Millis } from '../../../base/clock.ts';
import type { GroupRecordValue } from '../group-record.ts';
import { fromRecord, NO_PARTITIONS, type PartitionEpochs, samePartitions } from './partition-epochs.ts';

/** Of the epoch in a heartbeat: the member joins, leaves, or leaves for a while (KIP-848). */
export const JOIN_EPOCH = 0;
export const LEAVE_EPOCH = -1;
export const STATIC_LEAVE_EPOCH = -2;

/** Where a member is on its way to its target assignment, by the number in its record. */
export const memberStates = {
  STABLE: 0,
  /** It has to give partitions back before it can go on. */
  UNREVOKED_PARTITIONS: 1,
  /** Others have to give partitions back that it is to get. */
  UNRELEASED_PARTITIONS: 2,
  /** Of a later release. */
  UNKNOWN: 127,
} as const;

export type MemberState = keyof typeof memberStates;

/** What a member that speaks the classic protocol brought with its JoinGroup. */
export type ClassicMemberMetadata = NonNullable<GroupRecordValue<'ConsumerGroupMemberMetadata'>['classicMemberMetadata']>;

/** A member of a consumer group. Never changed in place. */
export interface ConsumerGroupMember {
  readonly memberId: string;
  readonly memberEpoch: number;
  readonly previousMemberEpoch: number;
  readonly state: MemberState;
  readonly instanceId: string | null;
  readonly rackId: string | null;
  readonly rebalanceTimeoutMs: Millis;
  readonly clientId: string;
  readonly clientHost: string;
  readonly subscribedTopicNames: ReadonlySet<string>;
  /** Empty or null for none. */
  readonly subscribedTopicRegex: string | null;
  readonly serverAssignor: string | null;
  /** What it may read. */
  readonly assigned: PartitionEpochs;
  /** What it has been asked to give back and may still read. */
  readonly pendingRevocation: PartitionEpochs;
  /** Null for a member that speaks the consumer protocol. */
  readonly classic: ClassicMemberMetadata | null;
}

const NO_TOPICS: ReadonlySet<string> = new Set();

/** Somebody who is about to become a member. */
export const newMember = (memberId: string): ConsumerGroupMember => ({
  memberId,
  memberEpoch: JOIN_EPOCH,
  previousMemberEpoch: -1,
  state: 'STABLE',
  instanceId: null,
  rackId: null,
  rebalanceTimeoutMs: -1,
  clientId: '',
  clientHost: '',
  subscribedTopicNames: NO_TOPICS,
  subscribedTopicRegex: '',
  serverAssignor: null,
  assigned: NO_PARTITIONS,
  pendingRevocation: NO_PARTITIONS,
  classic: null,
});

/** The regular expression that the member subscribes to, or null. */
export const regexOf = (member: ConsumerGroupMember | null): string | null => {
  const regex = member?.subscribedTopicRegex ?? '';
  return regex === '' ? null : regex;
};

export const isReconciledTo = (member: ConsumerGroupMember, assignmentEpoch: number): boolean =>
  member.state === 'STABLE' && member.memberEpoch === assignmentEpoch;

/** The member as the record of its metadata says. */
export const withMetadata = (
  member: ConsumerGroupMember,
  value: GroupRecordValue<'ConsumerGroupMemberMetadata'>,
): ConsumerGroupMember => ({
  ...member,
  instanceId: value.instanceId,
  rackId: value.rackId,
  clientId: value.clientId,
  clientHost: value.clientHost,
  subscribedTopicNames: sameOrNewSet(member.subscribedTopicNames, value.subscribedTopicNames),
  subscribedTopicRegex: value.subscribedTopicRegex,
  rebalanceTimeoutMs: value.rebalanceTimeoutMs,
  serverAssignor: value.serverAssignor,
  classic: value.classicMemberMetadata === null ? null : copyOf(value.classicMemberMetadata),
});

/** The member as the record of its current assignment says. */
export const withCurrentAssignment = (
  member: ConsumerGroupMember,
  value: GroupRecordValue<'ConsumerGroupCurrentMemberAssignment'>,
): ConsumerGroupMember => ({
  ...member,
  memberEpoch: value.memberEpoch,
  previousMemberEpoch: value.previousMemberEpoch,
  state: stateOf(value.state),
  assigned: fromRecord(value.assignedPartitions, value.memberEpoch),
  pendingRevocation: fromRecord(value.partitionsPendingRevocation, value.memberEpoch),
});

/** The member when the record of its current assignment is gone: it has left, and what it had is free. */
export const withoutCurrentAssignment = (member: ConsumerGroupMember): ConsumerGroupMember => ({
  ...member,
  memberEpoch: LEAVE_EPOCH,
  previousMemberEpoch: LEAVE_EPOCH,
  assigned: NO_PARTITIONS,
  pendingRevocation: NO_PARTITIONS,
});

/** Whether what the member tells about itself is the same: what its metadata record holds. */
export const sameMetadata = (a: ConsumerGroupMember, b: ConsumerGroupMember): boolean =>
  a.instanceId === b.instanceId &&
  a.rackId === b.rackId &&
  a.rebalanceTimeoutMs === b.rebalanceTimeoutMs &&
  a.clientId === b.clientId &&
  a.clientHost === b.clientHost &&
  a.subscribedTopicRegex === b.subscribedTopicRegex &&
  a.serverAssignor === b.serverAssignor &&
  sameSet(a.subscribedTopicNames, b.subscribedTopicNames) &&
  sameClassic(a.classic, b.classic);

/** Whether the member is where it was: what the record of its current assignment holds. */
export const sameCurrentAssignment = (a: ConsumerGroupMember, b: ConsumerGroupMember): boolean =>
  a.memberEpoch === b.memberEpoch &&
  a.previousMemberEpoch === b.previousMemberEpoch &&
  a.state === b.state &&
  samePartitions(a.assigned, b.assigned) &&
  samePartitions(a.pendingRevocation, b.pendingRevocation);

export function sameSet(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  if (a === b) return true;
  if (a.size !== b.size) return false;
  for (const element of a) if (!b.has(element)) return false;
  return true;
}

/** The set itself where it has just these names: groups have many members with the same, long subscriptions. */
export const sameOrNewSet = (known: ReadonlySet<string>, names: readonly string[]): ReadonlySet<string> => {
  const set = new Set(names);
  return sameSet(known, set) ? known : set;
};

/** The bytes are views of the batch, or of the request, that they came with. */
const copyOf = ({ sessionTimeoutMs, supportedProtocols }: ClassicMemberMetadata): ClassicMemberMetadata => ({
  sessionTimeoutMs,
  supportedProtocols: supportedProtocols.map(({ name, metadata }) => ({ name, metadata: Buffer.from(metadata) })),
});

function sameClassic(a: ClassicMemberMetadata | null, b: ClassicMemberMetadata | null): boolean {
  if (a === null || b === null) return a === b;
  if (a.sessionTimeoutMs !== b.sessionTimeoutMs || a.supportedProtocols.length !== b.supportedProtocols.length) return false;
  return a.supportedProtocols.every(({ name, metadata }, at) => {
    const other = b.supportedProtocols[at];
    return other !== undefined && other.name === name && Buffer.compare(other.metadata, metadata) === 0;
  });
}

const states = new Map<number, MemberState>(
  Object.entries(memberStates).map(([state, number]) => [number, state as MemberState]),
);

const stateOf = (number: number): MemberState => states.get(number) ?? 'UNKNOWN';
