import { codeOf, type KafkaError, textOf } from '../../protocol/errors.ts';
import { findCoordinator } from '../../protocol/messages/10-find-coordinator.ts';
import type { RequestOf, ResponseInput } from '../../protocol/schema.ts';
import { CLUSTER_NAME } from '../../security/authorizer.ts';
import type { BrokerServices } from '../broker-services.ts';
import { defineHandler, type Handler } from '../handler.ts';
import type { RequestContext } from '../request-context.ts';

type Request = RequestOf<typeof findCoordinator>;
type Response = ResponseInput<typeof findCoordinator>;
type ErrorOf =
  | 'INVALID_REQUEST'
  | 'COORDINATOR_NOT_AVAILABLE'
  | 'GROUP_AUTHORIZATION_FAILED'
  | 'TRANSACTIONAL_ID_AUTHORIZATION_FAILED'
  | 'CLUSTER_AUTHORIZATION_FAILED';

const GROUP = 0;
const TRANSACTION = 1;
const SHARE = 2;
/** Share coordinators may be asked for from here on (KIP-932). */
const SHARE_VERSION = 6;
/** Several keys a request from here on (KIP-699). */
const BATCH_VERSION = 4;

const nowhere = { nodeId: -1, host: '', port: -1 };

/**
 * FindCoordinator v0-6. v1 also transactions, v4 several keys at once (KIP-699), v6 also shares (KIP-932). There are no coordinators yet: every key that may be
 * asked for gets COORDINATOR_NOT_AVAILABLE, which clients retry.
 */
export const findCoordinatorHandler = (services: BrokerServices): Handler => {
  const errorFor = (key: string, keyType: number, context: RequestContext): ErrorOf => {
    const { authorizer } = services;
    switch (keyType) {
      case GROUP:
        return authorizer.isAllowed(context, 'DESCRIBE', 'GROUP', key)
          ? 'COORDINATOR_NOT_AVAILABLE'
          : 'GROUP_AUTHORIZATION_FAILED';
      case TRANSACTION:
        return authorizer.isAllowed(context, 'DESCRIBE', 'TRANSACTIONAL_ID', key)
          ? 'COORDINATOR_NOT_AVAILABLE'
          : 'TRANSACTIONAL_ID_AUTHORIZATION_FAILED';
      case SHARE:
        if (context.apiVersion < SHARE_VERSION || !isShareKey(key)) return 'INVALID_REQUEST';
        return authorizer.isAllowed(context, 'CLUSTER_ACTION', 'CLUSTER', CLUSTER_NAME)
          ? 'COORDINATOR_NOT_AVAILABLE'
          : 'CLUSTER_AUTHORIZATION_FAILED';
      default:
        return 'INVALID_REQUEST';
    }
  };
  return defineHandler<typeof findCoordinator>({
    api: findCoordinator,
    handle: (request, context) => {
      if (context.apiVersion < BATCH_VERSION) return oldAnswer(errorFor(request.key, request.keyType, context));
      const isKnownType = [GROUP, TRANSACTION, SHARE].includes(request.keyType);
      const coordinators = request.coordinatorKeys.map((key) => {
        const error = errorFor(key, request.keyType, context);
        return { ...nowhere, key, errorCode: codeOf(error), errorMessage: isKnownType ? '' : textOf(error) };
      });
      return { coordinators };
    },
    failed: (request, error, context) => failed(request, error, context),
  });
};

const oldAnswer = (error: ErrorOf): Response => ({
  ...nowhere,
  errorCode: codeOf(error),
  errorMessage: textOf(error),
  coordinators: [],
});

const failed = (request: Request, error: KafkaError, context: RequestContext): Response => {
  if (context.apiVersion < BATCH_VERSION) {
    return { ...nowhere, errorCode: error.code, errorMessage: error.message, coordinators: [] };
  }
  const answer = { ...nowhere, errorCode: error.code, errorMessage: error.message };
  return { coordinators: request.coordinatorKeys.map((key) => ({ ...answer, key })) };
};

/** group:topicId:partition */
const isShareKey = (key: string): boolean => /^.+:[A-Za-z0-9_-]{22}:\d+$/.test(key);
