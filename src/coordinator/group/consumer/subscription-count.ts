import type { ConsumerGroupMember } from './consumer-group-member.ts';

/** How many members subscribe to a topic by its name, and how many regular expressions of the group match it. */
export interface SubscriptionCount {
  readonly byName: number;
  readonly byRegex: number;
}

/** A map that counts are kept in: the group's own, or a copy that shows what would be. */
export interface Counts<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): unknown;
  delete(key: string): unknown;
}

const NONE: SubscriptionCount = { byName: 0, byRegex: 0 };

/** Adds to the counts of a topic; one that nobody subscribes to any more is taken out. */
function add(counts: Counts<SubscriptionCount>, topic: string, byName: number, byRegex: number): void {
  const before = counts.get(topic) ?? NONE;
  const after = { byName: before.byName + byName, byRegex: before.byRegex + byRegex };
  if (after.byName <= 0 && after.byRegex <= 0) counts.delete(topic);
  else counts.set(topic, after);
}

/** The member's names instead of those that it had; null for somebody who is no member. */
export function countNames(
  counts: Counts<SubscriptionCount>,
  before: ConsumerGroupMember | null,
  after: ConsumerGroupMember | null,
): void {
  if (before?.subscribedTopicNames === after?.subscribedTopicNames) return;
  for (const topic of before?.subscribedTopicNames ?? []) add(counts, topic, -1, 0);
  for (const topic of after?.subscribedTopicNames ?? []) add(counts, topic, 1, 0);
}

/** What a regular expression matches now instead of what it matched. */
export function countMatches(
  counts: Counts<SubscriptionCount>,
  before: ReadonlySet<string> | undefined,
  after: ReadonlySet<string> | undefined,
): void {
  for (const topic of before ?? []) add(counts, topic, 0, -1);
  for (const topic of after ?? []) add(counts, topic, 0, 1);
}

/** Counts one more or one less of something; what is not there any more is taken out. */
export function count(counts: Counts<number>, key: string, by: 1 | -1): void {
  const after = (counts.get(key) ?? 0) + by;
  if (after <= 0) counts.delete(key);
  else counts.set(key, after);
}

/** Whether all members have the same subscription, as Kafka judges it: assignors take the easier way then. */
export function isHomogeneous(
  regexes: ReadonlyMap<string, number>,
  topics: Iterable<SubscriptionCount>,
  members: number,
): boolean {
  const [membersOfFirst] = regexes.values();
  if (membersOfFirst !== undefined && membersOfFirst !== members) return false;
  for (const { byName, byRegex } of topics) {
    if (membersOfFirst === undefined ? byName !== members : byRegex !== 1 || byName > 0) return false;
  }
  return true;
}
