import type { GroupRecord } from '../../../../../src/coordinator/group/group-record.ts';
import { textOf, errorNameOf } from '../../../../../src/protocol/errors.ts';
import { apiByKey } from '../../../../../src/protocol/messages/index.ts';
import type { Api } from '../../../../../src/protocol/schema.ts';
import type { Side } from './side.ts';

export type Values = Readonly<Record<string, unknown>>;

/** One thing that was done to a broker, and what came of it. */
export type Step =
  | { readonly do: 'topic'; readonly name: string; readonly partitions: number; readonly id: string }
  | { readonly do: 'grow'; readonly name: string; readonly partitions: number }
  | { readonly do: 'delete'; readonly name: string }
  | { readonly do: 'configure'; readonly group: string; readonly configs: Readonly<Record<string, string>> }
  | { readonly do: 'wait'; readonly ms: number }
  /** A request; its answer comes with `receive` of the same tag, if it has one. */
  | {
      readonly do: 'ask';
      readonly key: number;
      readonly version: number;
      readonly as: string;
      readonly request: unknown;
      readonly answer: unknown;
    }
  | { readonly do: 'send'; readonly key: number; readonly version: number; readonly as: string; readonly request: unknown }
  | { readonly do: 'receive'; readonly as: string; readonly key: number; readonly answer: unknown };

/** What was said to Apache Kafka 4.4.0 and what it answered. */
export interface Conversation {
  readonly title: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
  /** What it wrote about groups meanwhile. */
  readonly records: readonly unknown[];
}

/** Where the other side's answer is not what Kafka's is. */
export interface Difference {
  readonly step: number;
  readonly asked: unknown;
  readonly kafka: unknown;
  readonly ours: unknown;
}

/** Ids that each side makes for itself: Kafka's, and what stands for it on the other side. */
export type Pairs = Map<string, string>;

/** Says the same to another broker, and gives where it answers something else. */
export async function replay(
  side: Side,
  steps: readonly Step[],
): Promise<{ readonly differences: Difference[]; readonly pairs: Pairs }> {
  const differences: Difference[] = [];
  const pairs: Pairs = new Map();
  const pending = new Map<string, Promise<unknown>>();
  const compare = (
    step: number,
    api: Api,
    asked: unknown,
    answers: { readonly kafka: unknown; readonly ours: unknown },
  ): void => {
    learn(pairs, answers);
    const kafka = normalized(api.key, translated(answers.kafka, pairs));
    const ours = normalized(api.key, plain(answers.ours));
    if (JSON.stringify(kafka) !== JSON.stringify(ours)) differences.push({ step, asked, kafka, ours });
  };
  for (const [index, step] of steps.entries()) {
    switch (step.do) {
      case 'topic':
        await side.createTopic(step.name, step.partitions, step.id);
        break;
      case 'grow':
        await side.growTopic(step.name, step.partitions);
        break;
      case 'delete':
        await side.deleteTopic(step.name);
        break;
      case 'configure':
        await side.configureGroup(step.group, step.configs);
        break;
      case 'wait':
        await side.wait(step.ms);
        break;
      case 'ask': {
        const api = apiOf(step.key);
        const ours = await side.ask(step.as, api, step.version, translated(step.request, pairs) as never);
        compare(index, api, { api: api.name, ...(step.request as Values) }, { kafka: step.answer, ours });
        break;
      }
      case 'send':
        pending.set(step.as, side.ask(step.as, apiOf(step.key), step.version, translated(step.request, pairs) as never));
        await side.settle();
        break;
      case 'receive': {
        const ours = await pending.get(step.as);
        compare(index, apiOf(step.key), { receive: step.as }, { kafka: step.answer, ours });
        break;
      }
    }
  }
  return { differences, pairs };
}

export function apiOf(key: number): Api {
  const api = apiByKey(key);
  if (api === undefined) throw new Error(`there is no API ${key}`);
  return api;
}

/** As JSON can hold it: bytes as { base64 }, hashes as text. */
export const plain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_key, field: unknown) => {
      if (typeof field === 'bigint') return `${field}n`;
      const bytes = field as { readonly type?: unknown; readonly data?: unknown } | null;
      if (bytes !== null && typeof bytes === 'object' && bytes.type === 'Buffer')
        return { base64: Buffer.from(bytes.data as number[]).toString('base64') };
      return field;
    }),
  );

/** The other way round, with the other side's ids instead of Kafka's. */
function translated(value: unknown, pairs: Pairs): unknown {
  if (typeof value === 'string') return pairs.get(value) ?? value;
  if (Array.isArray(value)) return value.map((element) => translated(element, pairs));
  if (value === null || typeof value !== 'object') return value;
  const { base64 } = value as { readonly base64?: unknown };
  if (typeof base64 === 'string') return Buffer.from(base64, 'base64');
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, translated(field, pairs)]));
}

/** Member ids that brokers make. */
function learn(pairs: Pairs, { kafka, ours }: { readonly kafka: unknown; readonly ours: unknown }): void {
  const [theirs, own] = [kafka, ours].map((answer) => (answer as { readonly memberId?: unknown } | null)?.memberId);
  if (typeof theirs === 'string' && typeof own === 'string' && theirs !== own && theirs !== '' && own !== '')
    pairs.set(theirs, own);
}

/** Without the order in which hash tables give things back, and without words that are each side's own. */
function normalized(key: number, answer: unknown): unknown {
  const value = plain(answer) as Record<string, unknown>;
  if (typeof value['errorCode'] === 'number' && value['errorMessage'] !== undefined)
    value['errorMessage'] = ownWords(value['errorCode'], value['errorMessage']);
  sortDeep(value);
  if (key === 11 || key === 14) delete value['throttleTimeMs'];
  return value;
}

/** The text that Kafka has for an error as such. */
const KAFKA_TEXTS: ReadonlySet<string> = new Set([
  'This is not the correct coordinator.',
  "The coordinator is loading and hence can't process requests.",
]);

const ownWords = (code: number, message: unknown): unknown =>
  message === textOf(errorNameOf(code)) || KAFKA_TEXTS.has(String(message)) ? null : message;

/** Lists of topics, partitions, members and groups are sets. */
function sortDeep(value: unknown): void {
  if (value === null || typeof value !== 'object') return;
  for (const [key, field] of Object.entries(value)) {
    sortDeep(field);
    if (Array.isArray(field) && unordered.has(key)) field.sort((a, b) => compareTexts(JSON.stringify(a), JSON.stringify(b)));
  }
  if (Array.isArray(value)) for (const element of value) sortDeep(element);
}

const unordered = new Set(['topicPartitions', 'partitions', 'members', 'subscribedTopicNames', 'groups', 'topics']);

const compareTexts = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

/** Records as they are compared: without the times at which they were made, and without the versions of metadata. */
export function comparableRecord(record: GroupRecord, pairs: Pairs = new Map()): unknown {
  const { type, key, version, value } = plain(record) as {
    type: string;
    key: unknown;
    version: number;
    value: Record<string, unknown> | null;
  };
  if (value !== null) {
    for (const time of ['assignmentTimestamp', 'currentStateTimestamp', 'commitTimestamp', 'timestamp', 'version']) {
      if (typeof value[time] === 'number' && value[time] > 0) value[time] = 'some';
    }
  }
  return plain(translated({ type, key, version: value === null ? 0 : version, value }, pairs));
}
