import { GROUP_TOPIC } from '../../coordinator/group/group-coordinator.ts';
import { TRANSACTION_TOPIC } from '../../coordinator/transaction/transaction-coordinator.ts';
import { codeOf, type ErrorName, type KafkaError, textOf } from '../../protocol/errors.ts';
import { findCoordinator } from '../../protocol/messages/10-find-coordinator.ts';
import type { RequestOf, ResponseInput } from '../../protocol/schema.ts';
import { CLUSTER_NAME } from '../../security/authorizer.ts';
import { AutoTopicCreation } from '../auto-topic-creation.ts';
import type { BrokerServices } from '../broker-services.ts';
import { defineHandler, type Handler } from '../handler.ts';
import { nodeOf } from '../metadata-view.ts';
import type { RequestContext } from '../request-context.ts';

type Request = RequestOf<typeof findCoordinator>;
type Response = ResponseInput<typeof findCoordinator>;

interface Place {
  readonly nodeId: number;
  readonly host: string;
  readonly port: number;
}

/** Where the state of a key is kept. */
interface InternalPartition {
  readonly topic: string;
  readonly partition: number;
}

const GROUP = 0;
const TRANSACTION = 1;
const SHARE = 2;
/** Share coordinators may be asked for from here on (KIP-932). */
const SHARE_VERSION = 6;
/** Several keys a request from here on (KIP-699). */
const BATCH_VERSION = 4;

const nowhere: Place = { nodeId: -1, host: '', port: -1 };

/**
 * FindCoordinator v0-6. v1 also transactions, v4 several keys at once (KIP-699), v6 also shares (KIP-932). The coordinator of a key is the leader of the
 * partition that the key's state is kept in; the topic is made when somebody asks for the first time, who is told to ask again. There are no coordinators of
 * shares yet: their keys get COORDINATOR_NOT_AVAILABLE.
 */
export const findCoordinatorHandler = (services: BrokerServices): Handler => {
  const creation = new AutoTopicCreation(services);
  const find = (key: string, keyType: number, context: RequestContext): Place | ErrorName => {
    const refusal = refusalOf(services, key, keyType, context);
    if (refusal !== null) return refusal;
    const place = partitionOf(services, key, keyType);
    if (place === null) return 'COORDINATOR_NOT_AVAILABLE';
    const { image } = services.metadata;
    const topic = image.topics.byName.get(place.topic);
    if (topic === undefined) creation.create([place.topic], null);
    const leader = topic?.partitions[place.partition]?.leader ?? nowhere.nodeId;
    if (image.cluster.brokers.get(leader)?.fenced !== false) return 'COORDINATOR_NOT_AVAILABLE';
    return nodeOf(image, leader, context.listenerName) ?? 'COORDINATOR_NOT_AVAILABLE';
  };
  return defineHandler<typeof findCoordinator>({
    api: findCoordinator,
    handle: (request, context) => {
      if (context.apiVersion < BATCH_VERSION) return oldAnswer(find(request.key, request.keyType, context));
      const isKnownType = [GROUP, TRANSACTION, SHARE].includes(request.keyType);
      const coordinators = request.coordinatorKeys.map((key) => {
        const found = find(key, request.keyType, context);
        if (typeof found !== 'string') return { ...found, key, errorCode: 0, errorMessage: '' };
        return { ...nowhere, key, errorCode: codeOf(found), errorMessage: isKnownType ? '' : textOf(found) };
      });
      return { coordinators };
    },
    failed: (request, error, context) => failed(request, error, context),
  });
};

/** Null for a coordinator that there is not. */
const partitionOf = (
  { groupCoordinator, transactionCoordinator }: BrokerServices,
  key: string,
  keyType: number,
): InternalPartition | null => {
  switch (keyType) {
    case GROUP:
      return { topic: GROUP_TOPIC, partition: groupCoordinator.partitionOf(key) };
    case TRANSACTION:
      return { topic: TRANSACTION_TOPIC, partition: transactionCoordinator.partitionOf(key) };
    default:
      return null;
  }
};

/** Why the sender is not told at all; null if it is. */
const refusalOf = ({ authorizer }: BrokerServices, key: string, keyType: number, context: RequestContext): ErrorName | null => {
  switch (keyType) {
    case GROUP:
      return authorizer.isAllowed(context, 'DESCRIBE', 'GROUP', key) ? null : 'GROUP_AUTHORIZATION_FAILED';
    case TRANSACTION:
      return authorizer.isAllowed(context, 'DESCRIBE', 'TRANSACTIONAL_ID', key) ? null : 'TRANSACTIONAL_ID_AUTHORIZATION_FAILED';
    case SHARE:
      if (context.apiVersion < SHARE_VERSION || !isShareKey(key)) return 'INVALID_REQUEST';
      return authorizer.isAllowed(context, 'CLUSTER_ACTION', 'CLUSTER', CLUSTER_NAME) ? null : 'CLUSTER_AUTHORIZATION_FAILED';
    default:
      return 'INVALID_REQUEST';
  }
};

const oldAnswer = (found: Place | ErrorName): Response => {
  if (typeof found !== 'string') return { ...found, errorCode: 0, errorMessage: 'NONE', coordinators: [] };
  return { ...nowhere, errorCode: codeOf(found), errorMessage: textOf(found), coordinators: [] };
};

const failed = (request: Request, error: KafkaError, context: RequestContext): Response => {
  if (context.apiVersion < BATCH_VERSION) {
    return { ...nowhere, errorCode: error.code, errorMessage: error.message, coordinators: [] };
  }
  const answer = { ...nowhere, errorCode: error.code, errorMessage: error.message };
  return { coordinators: request.coordinatorKeys.map((key) => ({ ...answer, key })) };
};

/** group:topicId:partition */
const isShareKey = (key: string): boolean => /^.+:[A-Za-z0-9_-]{22}:\d+$/.test(key);
