import { ZERO_UUID } from '../../base/uuid.ts';
import type { MetadataImage } from '../../metadata/metadata-image.ts';
import { codeOf, type ErrorName } from '../../protocol/errors.ts';
import type { BrokerServices } from '../broker-services.ts';
import type { RequestContext } from '../request-context.ts';

/** A topic of a request about offsets, by the name that versions before some have, or by the id that the later ones have. */
interface AskedTopic<Partition> {
  readonly name: string;
  readonly topicId: string;
  readonly partitions: readonly Partition[];
}

interface Indexed {
  readonly partitionIndex: number;
}

type Outcome = Indexed & { readonly errorCode: number };
export type TopicAnswer = AskedTopic<Outcome>;

export interface SortedTopics<Partition> {
  /** What may be done, with both names of the topics. */
  readonly allowed: readonly AskedTopic<Partition>[];
  /** What may not, and why. */
  readonly refused: readonly TopicAnswer[];
}

export interface SortingRules {
  readonly usesIds: boolean;
  /** Whether topics that are allowed take part without any partition. */
  readonly keepsEmpty?: boolean;
}

/** Sorts out the partitions whose offsets cannot be touched: of topics that are unknown, or that the sender may not read, and those that do not exist. */
export function sortTopics<Partition extends Indexed>(
  { authorizer, metadata }: BrokerServices,
  context: RequestContext,
  topics: readonly AskedTopic<Partition>[],
  { usesIds, keepsEmpty = false }: SortingRules,
): SortedTopics<Partition> {
  const { image } = metadata;
  const allowed: AskedTopic<Partition>[] = [];
  const refused = new TopicAnswers(usesIds);
  for (const topic of topics) {
    const { partitions } = topic;
    const name = usesIds ? nameOf(image, topic.topicId) : topic.name;
    const known = name === null ? undefined : image.topics.byName.get(name);
    const resolved = { name: name ?? '', topicId: usesIds ? topic.topicId : (known?.id ?? ZERO_UUID) };
    const refuse = (error: ErrorName, which: readonly Partition[]): void => refused.add(withError(resolved, which, error));
    if (name === null) refuse('UNKNOWN_TOPIC_ID', partitions);
    else if (!authorizer.isAllowed(context, 'READ', 'TOPIC', name)) refuse('TOPIC_AUTHORIZATION_FAILED', partitions);
    else if (known === undefined) refuse('UNKNOWN_TOPIC_OR_PARTITION', partitions);
    else {
      const isThere = ({ partitionIndex }: Partition): boolean => known.partitions[partitionIndex] !== undefined;
      const existing = partitions.filter(isThere);
      if (existing.length > 0 || keepsEmpty) allowed.push({ ...resolved, partitions: existing });
      for (const partition of partitions) if (!isThere(partition)) refuse('UNKNOWN_TOPIC_OR_PARTITION', [partition]);
    }
  }
  return { allowed, refused: refused.topics };
}

/** All partitions of topics with one error. */
export const refuseTopics = (topics: readonly AskedTopic<Indexed>[], error: ErrorName): TopicAnswer[] =>
  topics.map((topic) => withError(topic, topic.partitions, error));

/** An answer about what was refused and what was done. A topic that is in both is answered once. */
export const mergeTopics = (
  refused: readonly TopicAnswer[],
  done: readonly TopicAnswer[],
  { usesIds }: SortingRules,
): readonly TopicAnswer[] => {
  if (refused.length === 0) return done;
  const answers = new TopicAnswers(usesIds);
  for (const topic of [...refused, ...done]) answers.add(topic);
  return answers.topics;
};

const nameOf = ({ topics }: MetadataImage, topicId: string): string | null => topics.byId.get(topicId)?.name ?? null;

const withError = (
  { name, topicId }: { readonly name: string; readonly topicId: string },
  partitions: readonly Indexed[],
  error: ErrorName,
): TopicAnswer => ({
  name,
  topicId,
  partitions: partitions.map(({ partitionIndex }) => ({ partitionIndex, errorCode: codeOf(error) })),
});

/** Answers of topics, each topic once. */
class TopicAnswers {
  readonly #usesIds: boolean;
  readonly #byKey = new Map<string, TopicAnswer & { readonly partitions: Outcome[] }>();

  constructor(usesIds: boolean) {
    this.#usesIds = usesIds;
  }

  get topics(): TopicAnswer[] {
    return [...this.#byKey.values()];
  }

  add({ name, topicId, partitions }: TopicAnswer): void {
    const key = this.#usesIds ? topicId : name;
    let answer = this.#byKey.get(key);
    if (answer === undefined) this.#byKey.set(key, (answer = { name, topicId, partitions: [] }));
    for (const partition of partitions) answer.partitions.push(partition);
  }
}
