import type { Millis } from '../../../base/clock.ts';
import { mapInTurns } from '../../../base/turns.ts';
import type { CoordinatorResult } from '../../runtime/coordinator-shard.ts';
import type { GroupRecord } from '../group-record.ts';
import { ConsumerGroup } from './consumer-group.ts';
import type { ConsumerClient, ConsumerGroupContext } from './consumer-group-context.ts';
import { regexOf, sameSet } from './consumer-group-member.ts';
import { groupEpochRecord, regularExpressionRecord, regularExpressionTombstone } from './consumer-group-records.ts';
import { METADATA_REFRESH_MS, type MemberChange } from './group-epoch.ts';
import type { ResolvedRegularExpression } from './resolved-regular-expression.ts';
import { count, countMatches } from './subscription-count.ts';
import { type TopicPattern, checkTopicPattern, compileTopicPattern } from './topic-patterns.ts';

/** Time between two looks for the topics of a group, however many regular expressions come. */
const REFRESH_MIN_MS: Millis = 10_000;

/** What a heartbeat did to the regular expression of its member: nothing; it is another one; it is another one, and it is known what it matches. */
export type RegexChange = 'same' | 'updated' | 'resolved';

/** Finds the topics of regular expressions, beside the requests: a member that brings a new one has to wait for its topics. */
export class RegularExpressions {
  /** Groups for which topics are looked up now. */
  readonly #running = new Set<string>();
  /** The offset of the last metadata in which there was a new topic. */
  #newTopicsVersion = -1;

  /** The shard begins to serve. */
  loaded(version: number): void {
    this.#newTopicsVersion = version;
  }

  topicsCreated(version: number): void {
    this.#newTopicsVersion = version;
  }

  /** A member brings a regular expression, or none any more; null is somebody for whom no topics are looked up. Throws INVALID_REGULAR_EXPRESSION. */
  update(
    context: ConsumerGroupContext,
    client: ConsumerClient | null,
    { group, before, after, records }: MemberChange & { readonly group: ConsumerGroup; readonly records: GroupRecord[] },
  ): RegexChange {
    const [from, to] = [regexOf(before), regexOf(after)];
    let change: RegexChange = 'same';
    let isUnknown = false;
    if (before.subscribedTopicRegex !== after.subscribedTopicRegex) {
      change = 'updated';
      if (from !== null && group.membersWithRegex(from) === 1) records.push(regularExpressionTombstone(group.groupId, from));
      if (to === null) {
        if (from !== null) change = 'resolved';
      } else if (group.membersWithRegex(to) === 0) {
        checkTopicPattern(to);
        isUnknown = true;
      } else if (group.resolvedRegex(to) !== undefined) change = 'resolved';
    }
    if (client !== null && (isUnknown || group.hasRegexes)) this.#refreshIfDue(context, client, { group, from, to, isUnknown });
    return change;
  }

  #refreshIfDue(
    context: ConsumerGroupContext,
    client: ConsumerClient,
    asked: {
      readonly group: ConsumerGroup;
      readonly from: string | null;
      readonly to: string | null;
      readonly isUnknown: boolean;
    },
  ): void {
    const { group, from, to, isUnknown } = asked;
    if (this.#running.has(group.groupId)) return;
    const now = context.environment.clock.now();
    const [last] = group.resolvedRegexes;
    const lastTime = last?.[1].timestamp ?? Number.NEGATIVE_INFINITY;
    if (now <= lastTime + REFRESH_MIN_MS) return;
    const regexes = new Map(group.regexes);
    if (from !== to) {
      if (from !== null) count(regexes, from, -1);
      if (to !== null) count(regexes, to, 1);
    }
    const isDue =
      isUnknown ||
      regexes.size !== group.resolvedRegexCount ||
      (last?.[1].version ?? 0) < this.#newTopicsVersion ||
      now > lastTime + context.config()['group.consumer.regex.refresh.interval.ms'];
    if (isDue && regexes.size > 0) this.#start(context, client, group.groupId, [...regexes.keys()]);
  }

  #start(context: ConsumerGroupContext, client: ConsumerClient, groupId: string, regexes: readonly string[]): void {
    this.#running.add(groupId);
    const finish = (operation: () => CoordinatorResult<GroupRecord>): void =>
      context.enqueue('topics of regular expressions', () => {
        this.#running.delete(groupId);
        return operation();
      });
    resolve(context, client, regexes).then(
      (resolved) => finish(() => resolvedResult(context, groupId, resolved)),
      (error: unknown) => {
        context.log.error('The topics of regular expressions were not found', { group: groupId, error });
        finish(() => ({ records: [], response: undefined }));
      },
    );
  }
}

type Resolved = readonly (readonly [string, ResolvedRegularExpression])[];

/** The topics that match, of those that the client may know of. */
async function resolve(context: ConsumerGroupContext, client: ConsumerClient, regexes: readonly string[]): Promise<Resolved> {
  const { clock } = context.environment;
  const timestamp = clock.now();
  const { topics, provenance } = context.metadata();
  const found = new Map(regexes.map((regex) => [regex, new Set<string>()]));
  const patterns = regexes.flatMap((regex): [string, TopicPattern][] => {
    const pattern = compileTopicPattern(regex);
    return pattern === null ? [] : [[regex, pattern]];
  });
  await mapInTurns(clock, [...topics.byName.keys()], (topic) => {
    const matching = patterns.filter(([, pattern]) => pattern.matches(topic));
    if (matching.length === 0 || !client.mayDescribe(topic)) return;
    for (const [regex] of matching) found.get(regex)?.add(topic);
  });
  return Array.from(found, ([regex, matched]) => [regex, { topics: matched, version: provenance.offset, timestamp }] as const);
}

/** What the regular expressions of a group match is known: a new group epoch where it is other than before. */
function resolvedResult(context: ConsumerGroupContext, groupId: string, resolved: Resolved): CoordinatorResult<GroupRecord> {
  const group = context.groups.get(groupId);
  if (!(group instanceof ConsumerGroup)) return { records: [], response: undefined };
  const records: GroupRecord[] = [];
  const subscriptions = new Map(group.subscriptions);
  let isDue = false;
  for (const [regex, after] of resolved) {
    if (group.membersWithRegex(regex) === 0) continue;
    const before = group.resolvedRegex(regex)?.topics ?? new Set();
    if (!sameSet(before, after.topics)) {
      isDue = true;
      countMatches(subscriptions, before, after.topics);
    }
    records.push(regularExpressionRecord(groupId, regex, after));
  }
  const metadataHash = context.hashes.ofGroup(subscriptions.keys(), context.metadata());
  if (isDue || metadataHash !== group.epochs.metadataHash) {
    const groupEpoch = group.epochs.groupEpoch + 1;
    records.push(groupEpochRecord(groupId, groupEpoch, metadataHash));
    group.refreshMetadataAt(context.environment.clock.now() + METADATA_REFRESH_MS, groupEpoch);
  }
  return { records, response: undefined };
}
