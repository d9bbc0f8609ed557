import type { GroupRecord } from '../group-record.ts';
import type { ConsumerGroup } from './consumer-group.ts';
import type { ConsumerGroupContext } from './consumer-group-context.ts';
import { type ConsumerGroupMember, regexOf } from './consumer-group-member.ts';
import { groupEpochRecord, partitionMetadataTombstone } from './consumer-group-records.ts';
import { count, countMatches, countNames, isHomogeneous } from './subscription-count.ts';

/** Time until the topics of a group are looked at although nothing was heard of them. */
export const METADATA_REFRESH_MS = 2_147_483_647;

export interface EpochAndSubscription {
  readonly groupEpoch: number;
  readonly isHomogeneous: boolean;
}

/** A member as it was, and as it is about to be. */
export interface MemberChange {
  readonly before: ConsumerGroupMember;
  readonly after: ConsumerGroupMember;
}

/** A new group epoch if one is due: because of the member, or because the topics that the group subscribes to have changed. */
export function nextGroupEpoch(
  context: ConsumerGroupContext,
  group: ConsumerGroup,
  { before, after, isDue }: MemberChange & { readonly isDue: boolean },
): EpochAndSubscription & { readonly records: GroupRecord[] } {
  const { groupId, epochs } = group;
  const subscriptions = group.copyOfSubscriptions();
  countNames(subscriptions, before, after);
  const regexes = regexesAfter(group, before, after);
  const oldRegex = regexOf(before);
  if (oldRegex !== null && oldRegex !== regexOf(after) && group.membersWithRegex(oldRegex) === 1)
    countMatches(subscriptions, group.resolvedRegex(oldRegex)?.topics, undefined);
  const metadataHash = context.hashes.ofGroup(subscriptions.keys(), context.metadata());
  const isNew = !group.isMember(after.memberId) && !group.hasStaticMember(after.instanceId);
  const records: GroupRecord[] = [];
  let { groupEpoch } = epochs;
  if (isDue || metadataHash !== epochs.metadataHash) {
    groupEpoch++;
    records.push(groupEpochRecord(groupId, groupEpoch, metadataHash));
  }
  group.refreshMetadataAt(context.environment.clock.now() + METADATA_REFRESH_MS, groupEpoch);
  if (epochs.hasPartitionMetadataRecord) records.push(partitionMetadataTombstone(groupId));
  return {
    records,
    groupEpoch,
    isHomogeneous: isHomogeneous(regexes, subscriptions.values(), group.size + (isNew ? 1 : 0)),
  };
}

function regexesAfter(
  group: ConsumerGroup,
  before: ConsumerGroupMember,
  after: ConsumerGroupMember,
): ReadonlyMap<string, number> {
  const regexes = group.copyOfRegexes();
  const [from, to] = [regexOf(before), regexOf(after)];
  if (from === to) return regexes;
  if (from !== null) count(regexes, from, -1);
  if (to !== null) count(regexes, to, 1);
  return regexes;
}
