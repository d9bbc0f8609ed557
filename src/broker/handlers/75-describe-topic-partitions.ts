import { ZERO_UUID } from '../../base/uuid.ts';
import type { TopicImage } from '../../metadata/image/topics-image.ts';
import { codeOf, KafkaError } from '../../protocol/errors.ts';
import { describeTopicPartitions } from '../../protocol/messages/75-describe-topic-partitions.ts';
import type { RequestOf, ResponseInput } from '../../protocol/schema.ts';
import { authorizedOperations } from '../../security/authorizer.ts';
import type { BrokerServices } from '../broker-services.ts';
import { defineHandler, type Handler } from '../handler.ts';
import { isInternalTopic, viewPartition } from '../metadata-view.ts';
import type { RequestContext } from '../request-context.ts';
import { topicNameFault } from '../../config/topic-name.ts';

type Request = RequestOf<typeof describeTopicPartitions>;
type Response = ResponseInput<typeof describeTopicPartitions>;
type TopicAnswer = Response['topics'][number];

/** DescribeTopicPartitions v0 (KIP-966): topics in order of their names, page by page, with eligible leader replicas. */
export const describeTopicPartitionsHandler = (services: BrokerServices): Handler =>
  defineHandler<typeof describeTopicPartitions>({
    api: describeTopicPartitions,
    handle: (request, context) => describe(services, request, context),
    failed: (request, error) => ({
      topics: request.topics.map(({ name }) => ({ errorCode: error.code, name, topicId: ZERO_UUID, partitions: [] })),
    }),
  });

const describe = (services: BrokerServices, request: Request, context: RequestContext): Response => {
  const { cursor } = request;
  checkCursor(request);
  const { visible, hidden } = topicsToDescribe(services, request, context);
  const limitMax = services.configs.broker()['max.request.partition.size.limit'];
  let left = Math.max(1, Math.min(limitMax, request.responsePartitionLimit));
  const topics: TopicAnswer[] = [];
  let nextCursor: { topicName: string; partitionIndex: number } | null = null;
  for (const name of visible) {
    if (left <= 0) {
      nextCursor = { topicName: name, partitionIndex: 0 };
      break;
    }
    const topic = services.metadata.image.topics.byName.get(name);
    const start = cursor?.topicName === name ? cursor.partitionIndex : 0;
    const end = Math.min(topic?.partitions.length ?? 0, start + left);
    topics.push(answer(services, name, { topic, start, end, context }));
    if (topic === undefined) continue;
    left -= Math.max(0, end - start);
    if (end < topic.partitions.length) {
      nextCursor = { topicName: name, partitionIndex: end };
      break;
    }
  }
  return { topics: [...topics, ...hidden.map(unauthorized)], nextCursor };
};

const checkCursor = ({ cursor, topics }: Request): void => {
  if (cursor === null) return;
  if (cursor.partitionIndex < 0) throw new KafkaError('INVALID_REQUEST', 'The cursor needs a partition that can be');
  if (topics.length > 0 && !topics.some(({ name }) => name === cursor.topicName)) {
    throw new KafkaError('INVALID_REQUEST', 'The cursor stands at a topic that is not asked for');
  }
};

/** Without names all topics are meant; what lies before the cursor has been told. */
const topicsToDescribe = (
  { metadata, authorizer }: BrokerServices,
  request: Request,
  context: RequestContext,
): { readonly visible: readonly string[]; readonly hidden: readonly string[] } => {
  const isForAll = request.topics.length === 0;
  const asked = isForAll ? [...metadata.image.topics.byName.keys()] : request.topics.map(({ name }) => name);
  const first = request.cursor?.topicName ?? '';
  const names = [...new Set(asked)].filter((name) => name >= first).toSorted();
  const isVisible = (name: string): boolean => authorizer.isAllowed(context, 'DESCRIBE', 'TOPIC', name);
  return { visible: names.filter(isVisible), hidden: isForAll ? [] : names.filter((name) => !isVisible(name)) };
};

const answer = (
  services: BrokerServices,
  name: string,
  page: {
    readonly topic: TopicImage | undefined;
    readonly start: number;
    readonly end: number;
    readonly context: RequestContext;
  },
): TopicAnswer => {
  const { topic, start, end, context } = page;
  const { image } = services.metadata;
  const rules = { listenerName: context.listenerName, hidesUnreachable: false, knowsListenerNotFound: true };
  const topicAuthorizedOperations = authorizedOperations(services.authorizer, context, 'TOPIC', name);
  if (topic === undefined) {
    const error = topicNameFault(name) === null ? 'UNKNOWN_TOPIC_OR_PARTITION' : 'INVALID_TOPIC_EXCEPTION';
    const isInternal = isInternalTopic(name);
    return { errorCode: codeOf(error), name, topicId: ZERO_UUID, isInternal, partitions: [], topicAuthorizedOperations };
  }
  const partitions = topic.partitions.slice(start, end).map((partition, index) => ({
    ...viewPartition(image, start + index, partition, rules),
    eligibleLeaderReplicas: partition.elr,
    lastKnownElr: partition.lastKnownElr,
  }));
  return { name, topicId: topic.id, isInternal: isInternalTopic(name), partitions, topicAuthorizedOperations };
};

const unauthorized = (name: string): TopicAnswer => ({
  errorCode: codeOf('TOPIC_AUTHORIZATION_FAILED'),
  name,
  topicId: ZERO_UUID,
  partitions: [],
});
