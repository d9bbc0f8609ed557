import type { TopicImage } from '../../metadata/image/topics-image.ts';
import type { MetadataImage } from '../../metadata/metadata-image.ts';
import { codeOf, type ErrorName, KafkaError } from '../../protocol/errors.ts';
import { metadata } from '../../protocol/messages/03-metadata.ts';
import { ZERO_UUID } from '../../base/uuid.ts';
import type { RequestOf, ResponseInput } from '../../protocol/schema.ts';
import { authorizedOperations, CLUSTER_NAME } from '../../security/authorizer.ts';
import { AutoTopicCreation } from '../auto-topic-creation.ts';
import type { BrokerServices } from '../broker-services.ts';
import { defineHandler, type Handler } from '../handler.ts';
import { aliveNodes, isInternalTopic, viewPartition } from '../metadata-view.ts';
import type { RequestContext } from '../request-context.ts';
import { topicNameFault } from '../../config/topic-name.ts';
import { NO_AUTHORIZED_OPERATIONS } from './answers.ts';

type Request = RequestOf<typeof metadata>;
type Response = ResponseInput<typeof metadata>;
type TopicAnswer = Response['topics'][number];

/** From here on a topic may be asked for by its id. */
const TOPIC_ID_VERSION = 12;

/**
 * Metadata v0-13. v0 asks for all topics with an empty list, later ones with null; v4 may forbid to create topics, v6 tells of missing listeners, v8-10
 * authorized operations (KIP-430), v12 topics by id. v13's top-level error is for clients that have to bootstrap again (KIP-1102): never needed here.
 */
export const metadataHandler = (services: BrokerServices): Handler => {
  const autoCreation = new AutoTopicCreation(services);
  const handle = (request: Request, context: RequestContext): Response => {
    const { image } = services.metadata;
    const nodes = aliveNodes(image, context.listenerName);
    return {
      brokers: nodes,
      clusterId: services.clusterId,
      controllerId: nodes[services.environment.random.integer(Math.max(1, nodes.length))]?.nodeId ?? -1,
      topics: topicsFor(services, autoCreation, request, context),
      clusterAuthorizedOperations: clusterOperations(services, request, context),
    };
  };
  return defineHandler<typeof metadata>({ api: metadata, handle, failed });
};

const clusterOperations = ({ authorizer }: BrokerServices, request: Request, context: RequestContext): number => {
  if (!request.includeClusterAuthorizedOperations || context.apiVersion < 8) return NO_AUTHORIZED_OPERATIONS;
  if (!authorizer.isAllowed(context, 'DESCRIBE', 'CLUSTER', CLUSTER_NAME)) return 0;
  return authorizedOperations(authorizer, context, 'CLUSTER', CLUSTER_NAME);
};

const topicsFor = (
  services: BrokerServices,
  autoCreation: AutoTopicCreation,
  request: Request,
  context: RequestContext,
): TopicAnswer[] => {
  const { image } = services.metadata;
  const asked = request.topics;
  const isForAll = asked === null || (context.apiVersion === 0 && asked.length === 0);
  if (isForAll) return describeKnown(services, image, [...image.topics.byName.values()], { request, context });
  const ids = asked.filter(({ topicId }) => topicId !== ZERO_UUID).map(({ topicId }) => topicId);
  if (ids.length > 0 && context.apiVersion < TOPIC_ID_VERSION)
    throw new KafkaError('INVALID_REQUEST', 'Topics by id need version 12');
  if (ids.length > 0) return topicsById(services, image, ids, { request, context });
  return topicsByName(
    services,
    autoCreation,
    asked.map(({ name }) => nameOf(name)),
    { request, context },
  );
};

const nameOf = (name: string | null): string => {
  if (name === null) throw new KafkaError('INVALID_REQUEST', 'A topic needs a name or an id');
  return name;
};

interface Asked {
  readonly request: Request;
  readonly context: RequestContext;
}

const topicsById = (services: BrokerServices, image: MetadataImage, ids: readonly string[], asked: Asked): TopicAnswer[] => {
  const known: TopicImage[] = [];
  const unknown: TopicAnswer[] = [];
  for (const topicId of new Set(ids)) {
    const topic = image.topics.byId.get(topicId);
    if (topic === undefined) unknown.push({ ...unavailable(null, 'UNKNOWN_TOPIC_ID'), topicId });
    else if (isDescribable(services, topic.name, asked.context)) known.push(topic);
    // Whoever may not see a topic is not told its name.
    else unknown.push({ ...unavailable(null, 'TOPIC_AUTHORIZATION_FAILED'), topicId });
  }
  return [...describeKnown(services, image, known, asked), ...unknown];
};

const topicsByName = (
  services: BrokerServices,
  autoCreation: AutoTopicCreation,
  names: readonly string[],
  asked: Asked,
): TopicAnswer[] => {
  const { request, context } = asked;
  const { image } = services.metadata;
  const known: TopicImage[] = [];
  const missing: string[] = [];
  const refused: string[] = [];
  for (const name of new Set(names)) {
    const topic = image.topics.byName.get(name);
    if (!isDescribable(services, name, context)) refused.push(name);
    else if (topic !== undefined) known.push(topic);
    else missing.push(name);
  }
  const mayCreate =
    (context.apiVersion < 4 || request.allowAutoTopicCreation) && services.configs.broker()['auto.create.topics.enable'];
  const creatable = mayCreate ? missing.filter((name) => mayBeCreatedBy(services, name, context)) : [];
  const errors = autoCreation.create(creatable, context);
  for (const name of mayCreate ? missing : []) if (!errors.has(name)) refused.push(name);
  return [
    ...describeKnown(services, image, known, asked),
    ...missing
      .filter((name) => !refused.includes(name))
      .map((name) => ({
        ...unavailable(name, errors.get(name) ?? missingError(name)),
        topicAuthorizedOperations: operationsOn(services, name, asked),
      })),
    ...refused.map((name) => unavailable(name, 'TOPIC_AUTHORIZATION_FAILED')),
  ];
};

const missingError = (name: string): ErrorName =>
  topicNameFault(name) === null ? 'UNKNOWN_TOPIC_OR_PARTITION' : 'INVALID_TOPIC_EXCEPTION';

const isDescribable = ({ authorizer }: BrokerServices, name: string, context: RequestContext): boolean =>
  authorizer.isAllowed(context, 'DESCRIBE', 'TOPIC', name);

const mayBeCreatedBy = ({ authorizer }: BrokerServices, name: string, context: RequestContext): boolean =>
  authorizer.isAllowed(context, 'CREATE', 'CLUSTER', CLUSTER_NAME) || authorizer.isAllowed(context, 'CREATE', 'TOPIC', name);

const describeKnown = (
  services: BrokerServices,
  image: MetadataImage,
  topics: readonly TopicImage[],
  { request, context }: Asked,
): TopicAnswer[] => {
  const isForAll = request.topics === null || request.topics.length === 0;
  const visible = isForAll ? topics.filter(({ name }) => isDescribable(services, name, context)) : topics;
  const { apiVersion, listenerName } = context;
  const rules = { listenerName, hidesUnreachable: apiVersion === 0, knowsListenerNotFound: apiVersion >= 6 };
  return visible.map(({ name, id, partitions }) => ({
    errorCode: 0,
    name,
    topicId: id,
    isInternal: isInternalTopic(name),
    partitions: partitions.map((partition, index) => viewPartition(image, index, partition, rules)),
    topicAuthorizedOperations: operationsOn(services, name, { request, context }),
  }));
};

const operationsOn = ({ authorizer }: BrokerServices, name: string, { request, context }: Asked): number =>
  context.apiVersion >= 8 && request.includeTopicAuthorizedOperations
    ? authorizedOperations(authorizer, context, 'TOPIC', name)
    : NO_AUTHORIZED_OPERATIONS;

const unavailable = (name: string | null, error: ErrorName): TopicAnswer => ({
  errorCode: codeOf(error),
  name,
  topicId: ZERO_UUID,
  isInternal: name !== null && isInternalTopic(name),
  partitions: [],
});

const failed = (request: Request, error: KafkaError): Response => ({
  brokers: [],
  errorCode: error.code,
  topics: (request.topics ?? []).map(({ name, topicId }) => ({
    errorCode: error.code,
    name: name ?? '',
    topicId,
    isInternal: false,
    partitions: [],
  })),
});
