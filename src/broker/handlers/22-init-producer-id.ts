import { codeOf, type ErrorName } from '../../protocol/errors.ts';
import { initProducerId } from '../../protocol/messages/22-init-producer-id.ts';
import type { RequestOf, ResponseInput } from '../../protocol/schema.ts';
import { CLUSTER_NAME } from '../../security/authorizer.ts';
import type { BrokerServices } from '../broker-services.ts';
import { defineHandler, type Handler } from '../handler.ts';
import type { RequestContext } from '../request-context.ts';
import { fencedCode } from './transaction-answers.ts';

type Request = RequestOf<typeof initProducerId>;
type Response = ResponseInput<typeof initProducerId>;

const NONE = -1;
/** PRODUCER_FENCED is known from here on (KIP-588). */
const FENCED_VERSION = 4;

/**
 * InitProducerId v0-5. v3 lets a producer go on with a raised epoch (KIP-360), v4 knows PRODUCER_FENCED (KIP-588), v5 TRANSACTION_ABORTABLE (KIP-890). Idempotent producers get
 * a new id each time, as in Kafka; what a transactional one gets, its coordinator decides.
 */
export const initProducerIdHandler = (services: BrokerServices): Handler =>
  defineHandler<typeof initProducerId>({
    api: initProducerId,
    handle: async (request, context) => {
      const fault = faultOf(services, request, context);
      if (fault !== null) return refusal(codeOf(fault));
      const { transactionalId, producerId, producerEpoch, transactionTimeoutMs: timeoutMs } = request;
      if (transactionalId === null) return { producerId: await services.producerIds.next(), producerEpoch: 0 };
      const expected = producerId === NONE ? null : { producerId, producerEpoch };
      return services.transactionCoordinator.initProducerId(transactionalId, { timeoutMs, expected });
    },
    failed: (_request, error, { apiVersion }) => refusal(fencedCode(error, apiVersion >= FENCED_VERSION)),
  });

const refusal = (errorCode: number): Response => ({ errorCode, producerId: NONE, producerEpoch: NONE });

const faultOf = (services: BrokerServices, request: Request, context: RequestContext): ErrorName | null => {
  const { transactionalId, producerId, producerEpoch } = request;
  const mayWrite =
    transactionalId === null
      ? isIdempotentAllowed(services, context)
      : isTransactionalAllowed(services, transactionalId, context);
  if (!mayWrite) return transactionalId === null ? 'CLUSTER_AUTHORIZATION_FAILED' : 'TRANSACTIONAL_ID_AUTHORIZATION_FAILED';
  return (producerId === NONE) === (producerEpoch === NONE) ? null : 'INVALID_REQUEST';
};

const isTransactionalAllowed = ({ authorizer }: BrokerServices, id: string, context: RequestContext): boolean =>
  authorizer.isAllowed(context, 'WRITE', 'TRANSACTIONAL_ID', id);

/** Whoever may write to any topic may do so idempotently. */
const isIdempotentAllowed = ({ authorizer, metadata }: BrokerServices, context: RequestContext): boolean => {
  if (authorizer.isAllowed(context, 'IDEMPOTENT_WRITE', 'CLUSTER', CLUSTER_NAME)) return true;
  for (const name of metadata.image.topics.byName.keys()) if (authorizer.isAllowed(context, 'WRITE', 'TOPIC', name)) return true;
  return false;
};
