import { javaHashCode } from '../../../base/bytes/murmur2.ts';
import type { Clock, Millis } from '../../../base/clock.ts';
import { Turns } from '../../../base/turns.ts';
import { KafkaError } from '../../../protocol/errors.ts';
import type { CoordinatorResult } from '../../runtime/coordinator-shard.ts';
import { JavaHashMap } from '../assignors/java-hash-map.ts';
import type { GroupRecord } from '../group-record.ts';
import { ConsumerGroup } from './consumer-group.ts';
import type { ConsumerClient, ConsumerGroupContext } from './consumer-group-context.ts';
import { regexOf, sameSet } from './consumer-group-member.ts';
import { groupEpochRecord, regularExpressionRecord, regularExpressionTombstone } from './consumer-group-records.ts';
import { METADATA_REFRESH_MS, type MemberChange } from './group-epoch.ts';
import type { ResolvedRegularExpression } from './resolved-regular-expression.ts';
import { count, countMatches } from './subscription-count.ts';
import { compileTopicPattern, type TopicPattern } from '../regex/topic-pattern.ts';

/** Time between two looks for the topics of a group, however many regular expressions come. */
const REFRESH_MIN_MS: Millis = 10_000;

/** Computing that a look for the topics of one regular expression may cost. Ten thousand topics take an ordinary one 10 ms, and the worst four minutes. */
const SEARCH_MAX_MS: Millis = 500;
/** And of all regular expressions of a group. */
const SEARCHES_MAX_MS: Millis = 2000;

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
        compileTopicPattern(to);
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
    const regexes = group.copyOfRegexes();
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
    const search = context.searches.run(() => resolve(context, client, regexes));
    search.then(
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
  const mayBeTold = new Map<string, boolean>();
  const turns = new Turns(clock);
  const found: (readonly [string, ReadonlySet<string>])[] = [];
  let leftMs = SEARCHES_MAX_MS;
  for (const regex of regexes) {
    // Made when it is looked for, and not all at once: what a large one is compiled to takes a megabyte.
    const search = new Search(regex, Math.min(SEARCH_MAX_MS, leftMs));
    for (const topic of topics.byName.keys()) {
      if (search.isOver) break;
      if (search.matches(topic, clock)) {
        if (!mayBeTold.has(topic)) mayBeTold.set(topic, client.mayDescribe(topic));
        if (mayBeTold.get(topic) === true) search.found.add(topic);
      }
      if (turns.isOver) await turns.next();
    }
    if (turns.isOver) await turns.next();
    leftMs -= search.spentMs;
    found.push([regex, search.found]);
    if (search.isOver) context.log.warn('A regular expression takes too long: not all topics were looked at', { regex });
  }
  // Kafka writes them in the order of a hash table.
  const resolved = new JavaHashMap<string, ResolvedRegularExpression>(javaHashCode, regexes.length);
  for (const [regex, topicsFound] of found) resolved.set(regex, { topics: topicsFound, version: provenance.offset, timestamp });
  return [...resolved.entries()];
}

/** One regular expression, and how long it has been matched. One that a member of another release brought, and that is none here, matches nothing. */
class Search {
  readonly found = new Set<string>();
  readonly #pattern: TopicPattern | null;
  readonly #maxMs: Millis;
  spentMs: Millis = 0;

  constructor(regex: string, maxMs: Millis) {
    this.#maxMs = maxMs;
    this.#pattern = compiled(regex);
  }

  get isOver(): boolean {
    return this.spentMs > this.#maxMs;
  }

  matches(topic: string, clock: Clock): boolean {
    if (this.#pattern === null) return false;
    const start = clock.monotonic();
    const isMatch = this.#pattern.matches(topic);
    this.spentMs += clock.monotonic() - start;
    return isMatch;
  }
}

function compiled(regex: string): TopicPattern | null {
  try {
    return compileTopicPattern(regex);
  } catch (error) {
    if (error instanceof KafkaError) return null;
    throw error;
  }
}

/** What the regular expressions of a group match is known: a new group epoch where it is other than before. */
function resolvedResult(context: ConsumerGroupContext, groupId: string, resolved: Resolved): CoordinatorResult<GroupRecord> {
  const group = context.groups.get(groupId);
  if (!(group instanceof ConsumerGroup)) return { records: [], response: undefined };
  const records: GroupRecord[] = [];
  const subscriptions = group.copyOfSubscriptions();
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
