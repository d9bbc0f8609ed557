import { errorNameOf, textOf } from '../../../../../src/protocol/errors.ts';
import { plain } from './conversation.ts';

/** Lists that are sets. */
const unordered: ReadonlySet<string> = new Set([
  'topicPartitions',
  'partitions',
  'members',
  'subscribedTopicNames',
  'groups',
  'topics',
]);

/** Fields that tell when something was done, or at which offset of the metadata. */
const accidents: readonly string[] = ['assignmentTimestamp', 'currentStateTimestamp', 'commitTimestamp', 'timestamp', 'version'];

/** An answer as it is compared: without the order in which hash tables give things back, and without words that are each side's own. */
export function comparableAnswer(answer: unknown): unknown {
  const value = plain(answer) as Record<string, unknown>;
  const { errorCode, errorMessage } = value;
  if (typeof errorCode === 'number' && errorMessage === textOf(errorNameOf(errorCode))) value['errorMessage'] = null;
  sortSets(value);
  return value;
}

function sortSets(value: unknown): void {
  if (value === null || typeof value !== 'object') return;
  for (const [key, field] of Object.entries(value)) {
    sortSets(field);
    if (Array.isArray(field) && unordered.has(key)) field.sort(inOrderOfTexts);
  }
}

interface PlainRecord {
  readonly type: string;
  readonly key: unknown;
  readonly version: number;
  readonly value: Readonly<Record<string, unknown>> | null;
}

/** Records as they are compared. The order of the records is Kafka's, but for those of one look for topics, which come from a table whose order depends on its past. */
export function comparableRecords(records: readonly unknown[]): unknown[] {
  const comparable = records.map((record) => withoutAccidents(plain(record) as PlainRecord));
  for (let at = 0; at < comparable.length; at++) {
    let end = at;
    while (comparable[end]?.type === 'ConsumerGroupRegularExpression') end++;
    const sorted = comparable.slice(at, end).sort(inOrderOfTexts);
    comparable.splice(at, sorted.length, ...sorted);
    at = Math.max(at, end - 1);
  }
  return comparable;
}

function withoutAccidents({ type, key, version, value }: PlainRecord): PlainRecord {
  if (value === null) return { type, key, version: 0, value };
  const told = Object.entries(value).map(([name, field]) => [
    name,
    accidents.includes(name) && Number(field) > 0 ? 'some' : field,
  ]);
  const comparable = { type, key, version, value: Object.fromEntries(told) };
  // The members of a classic group: the order in which they are written is that of a hash table.
  if (type === 'GroupMetadata') sortSets(comparable.value);
  return comparable;
}

function inOrderOfTexts(a: unknown, b: unknown): number {
  const [left, right] = [JSON.stringify(a), JSON.stringify(b)] as [string, string];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
