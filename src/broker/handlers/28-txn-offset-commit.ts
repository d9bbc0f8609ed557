import { OffsetsService } from '../../coordinator/group/offsets/offsets-service.ts';
import { KafkaError } from '../../protocol/errors.ts';
import { txnOffsetCommit } from '../../protocol/messages/28-txn-offset-commit.ts';
import type { RequestOf, ResponseInput } from '../../protocol/schema.ts';
import type { BrokerServices } from '../broker-services.ts';
import { defineHandler, type Handler } from '../handler.ts';
import { verifiedCommit } from '../transactional-offsets.ts';
import type { RequestContext } from '../request-context.ts';
import { mergeTopics, refuseTopics, sortTopics } from './offset-topics.ts';

type Request = RequestOf<typeof txnOffsetCommit>;
type Response = ResponseInput<typeof txnOffsetCommit>;

/** Topics are named by id from here on. */
const TOPIC_ID_VERSION = 6;
/** Clients know from here on that a coordinator may still be loading (KAFKA-7296). */
const LOAD_IN_PROGRESS_VERSION = 2;

/**
 * TxnOffsetCommit v0-6. v2 leader epochs (KIP-320), v3 the member, which is checked as one that commits by itself (KIP-447), v5 adds the group to the transaction
 * (KIP-890), v6 topics by id. The offsets count when the transaction is committed.
 */
export const txnOffsetCommitHandler = (services: BrokerServices): Handler => {
  const { authorizer, groupCoordinator } = services;
  const offsets = new OffsetsService(groupCoordinator);
  const handle = async (request: Request, context: RequestContext): Promise<Response> => {
    if (!authorizer.isAllowed(context, 'WRITE', 'TRANSACTIONAL_ID', request.transactionalId))
      return { topics: refuseTopics(request.topics, 'TRANSACTIONAL_ID_AUTHORIZATION_FAILED') };
    if (!authorizer.isAllowed(context, 'READ', 'GROUP', request.groupId))
      return { topics: refuseTopics(request.topics, 'GROUP_AUTHORIZATION_FAILED') };
    const rules = { usesIds: context.apiVersion >= TOPIC_ID_VERSION };
    const { allowed, refused } = sortTopics(services, context, request.topics, rules);
    if (allowed.length === 0) return { topics: refused };
    try {
      const transactional = await verifiedCommit(services, request, context.apiVersion);
      const committed = await offsets.commitInTransaction({ ...request, topics: allowed }, context.apiVersion, transactional);
      return { topics: mergeTopics(refused, committed, rules) };
    } catch (error) {
      if (!(error instanceof KafkaError)) throw error;
      return { topics: mergeTopics(refused, refuseTopics(allowed, toldTo(error, context)), rules) };
    }
  };
  return defineHandler<typeof txnOffsetCommit>({
    api: txnOffsetCommit,
    handle,
    failed: (request, error) => ({ topics: refuseTopics(request.topics, error.errorName) }),
  });
};

const toldTo = ({ errorName }: KafkaError, { apiVersion }: RequestContext): KafkaError['errorName'] =>
  errorName === 'COORDINATOR_LOAD_IN_PROGRESS' && apiVersion < LOAD_IN_PROGRESS_VERSION ? 'COORDINATOR_NOT_AVAILABLE' : errorName;
