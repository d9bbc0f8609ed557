import { KafkaError } from '../../../protocol/errors.ts';
import { ProtocolError } from '../../../protocol/codec.ts';
import type { MemberPartitions } from '../assignors/partition-assignor.ts';
import type { ClassicGroup } from '../classic/classic-group.ts';
import { groupMetadataRecord } from '../classic/classic-group-records.ts';
import { ClassicMember } from '../classic/classic-member.ts';
import type { GroupRecord } from '../group-record.ts';
import type { ConsumerGroup } from './consumer-group.ts';
import type { ConsumerGroupContext } from './consumer-group-context.ts';
import type { ConsumerGroupMember } from './consumer-group-member.ts';
import { groupTombstones } from './consumer-group-records.ts';
import { CONSUMER_PROTOCOL_TYPE, writeAssignment } from './consumer-protocol.ts';
import { migrationOf } from './migration-policy.ts';

/** Who is left of a consumer group that becomes a classic one. */
export interface Downgrade {
  readonly leaving: ReadonlySet<ConsumerGroupMember>;
  /** A static member of the classic protocol that comes in the place of one of the consumer protocol; null for nobody. */
  readonly joining: ConsumerGroupMember | null;
  /** Why all members have to join again; null where they go on with what they have. */
  readonly rebalanceReason: string | null;
}

/** Whether only members of the classic protocol are left when these go, and the group may become a classic one. */
export function isDowngradeDue(
  context: ConsumerGroupContext,
  group: ConsumerGroup,
  leaving: ReadonlySet<ConsumerGroupMember>,
): boolean {
  const leavingClassics = [...leaving].filter(({ classic }) => classic !== null).length;
  const left = group.size - leaving.size;
  return left > 0 && group.classicMembers - leavingClassics === left && hasRoom(context, left);
}

/** The same where one of the classic protocol comes in the place of the member. */
export const isDowngradeDueFor = (context: ConsumerGroupContext, group: ConsumerGroup, replaced: ConsumerGroupMember): boolean =>
  replaced.classic === null && group.classicMembers === group.size - 1 && hasRoom(context, group.size);

const hasRoom = (context: ConsumerGroupContext, members: number): boolean =>
  migrationOf(context.config()).mayDowngrade && members <= context.config()['group.max.size'];

/** The group becomes a classic one, at once: the records only keep it. Throws GROUP_ID_NOT_FOUND when what a member said cannot be read. */
export function downgrade(context: ConsumerGroupContext, group: ConsumerGroup, given: Downgrade, records: GroupRecord[]): void {
  const { groupId } = group;
  const replaced = given.joining === null ? undefined : group.staticMember(given.joining.instanceId);
  const idOf = ({ memberId }: ConsumerGroupMember): string =>
    given.joining !== null && memberId === replaced?.memberId ? given.joining.memberId : memberId;
  const regexes = Array.from(group.resolvedRegexes, ([regex]) => regex);
  records.push(...groupTombstones(groupId, group.members().map(idOf), regexes));
  const classic = context.classic.newGroup(groupId, { state: 'Stable', generationId: group.epochs.groupEpoch });
  const staying = group.members().filter((member) => !given.leaving.has(member) && member !== replaced);
  for (const member of [...staying, ...(given.joining === null ? [] : [given.joining])]) classic.add(classicMember(member));
  classic.chooseProtocol();
  const targetOf = (memberId: string): MemberPartitions =>
    group.target(memberId === given.joining?.memberId ? (replaced?.memberId ?? memberId) : memberId);
  giveTargets(context, classic, targetOf);
  const assignments = new Map(Array.from(classic.members(), ({ memberId, assignment }) => [memberId, assignment]));
  records.push(groupMetadataRecord(classic, assignments));
  for (const { memberId } of group.members()) context.timers.cancelAll({ groupId, memberId });
  context.classic.adopt(classic);
  if (given.rebalanceReason !== null) records.push(...context.classic.prepareRebalance(classic, given.rebalanceReason).records);
  context.log.info('A consumer group becomes a classic group', { group: groupId, members: classic.size });
}

const classicMember = (member: ConsumerGroupMember): ClassicMember =>
  new ClassicMember({
    memberId: member.memberId,
    groupInstanceId: member.instanceId,
    clientId: member.clientId,
    clientHost: member.clientHost,
    rebalanceTimeoutMs: member.rebalanceTimeoutMs,
    sessionTimeoutMs: member.classic?.sessionTimeoutMs ?? 0,
    protocolType: CONSUMER_PROTOCOL_TYPE,
    protocols: member.classic?.supportedProtocols ?? [],
  });

/** Members have what they were to have, in the form in which they said what they want. */
function giveTargets(
  context: ConsumerGroupContext,
  classic: ClassicGroup,
  targetOf: (memberId: string) => MemberPartitions,
): void {
  const { topics } = context.metadata();
  try {
    for (const member of classic.members())
      member.assignment = writeAssignment(targetOf(member.memberId), topics, member.metadata(classic.protocolName));
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    throw new KafkaError('GROUP_ID_NOT_FOUND', `Cannot downgrade the classic group ${classic.groupId}: ${error.message}.`);
  }
}
