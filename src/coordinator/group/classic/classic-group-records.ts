import { type GroupRecord, groupRecord, type GroupRecordValue } from '../group-record.ts';
import { ClassicGroup, type ClassicGroupHost } from './classic-group.ts';
import { ClassicMember, NO_ASSIGNMENT } from './classic-member.ts';

/** The version that 4.4 writes. */
const VALUE_VERSION = 3;
/** In old records: as long as the session. */
const NO_REBALANCE_TIMEOUT = -1;
const NO_TIMESTAMP = -1;

/** Keeps a generation, with the assignments as given. */
export function groupMetadataRecord(group: ClassicGroup, assignments: ReadonlyMap<string, Uint8Array>): GroupRecord {
  const members = Array.from(group.members(), (member) => ({
    memberId: member.memberId,
    groupInstanceId: member.groupInstanceId,
    clientId: member.clientId,
    clientHost: member.clientHost,
    rebalanceTimeout: member.rebalanceTimeoutMs,
    sessionTimeout: member.sessionTimeoutMs,
    subscription: asBuffer(member.metadata(group.protocolName)),
    assignment: asBuffer(assignments.get(member.memberId) ?? NO_ASSIGNMENT),
  }));
  const value = {
    protocolType: group.protocolType ?? '',
    generation: group.generationId,
    protocol: group.protocolName,
    leader: group.leaderId,
    currentStateTimestamp: group.stateTimestamp ?? NO_TIMESTAMP,
    members,
  };
  return groupRecord('GroupMetadata', { group: group.groupId }, { version: VALUE_VERSION, value });
}

/** Keeps that there is a group, which has had no generation. */
export function newGroupRecord(group: ClassicGroup): GroupRecord {
  const value = {
    protocolType: '',
    generation: 0,
    protocol: null,
    leader: null,
    currentStateTimestamp: group.stateTimestamp ?? NO_TIMESTAMP,
    members: [],
  };
  return groupRecord('GroupMetadata', { group: group.groupId }, { version: VALUE_VERSION, value });
}

/** What a record keeps of a group: its members know only the protocol that was chosen. */
export function groupOfRecord(groupId: string, value: GroupRecordValue<'GroupMetadata'>, host: ClassicGroupHost): ClassicGroup {
  const { protocolType, protocol, members, currentStateTimestamp } = value;
  const group = new ClassicGroup({
    groupId,
    host,
    state: members.length === 0 ? 'Empty' : 'Stable',
    generationId: value.generation,
    protocolType: protocolType === '' ? null : protocolType,
    protocolName: protocol,
    leaderId: value.leader,
    stateTimestamp: currentStateTimestamp === NO_TIMESTAMP ? null : currentStateTimestamp,
  });
  for (const { rebalanceTimeout, sessionTimeout, subscription, assignment, ...member } of members) {
    group.add(
      new ClassicMember({
        ...member,
        protocolType,
        rebalanceTimeoutMs: rebalanceTimeout === NO_REBALANCE_TIMEOUT ? sessionTimeout : rebalanceTimeout,
        sessionTimeoutMs: sessionTimeout,
        // Copies: the record may be a small part of what was read.
        protocols: [{ name: protocol ?? '', metadata: Buffer.from(subscription) }],
        assignment: Buffer.from(assignment),
      }),
    );
  }
  group.learnSubscribedTopics();
  return group;
}

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
