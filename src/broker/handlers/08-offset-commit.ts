import { OffsetsService } from '../../coordinator/group/offsets/offsets-service.ts';
import { KafkaError } from '../../protocol/errors.ts';
import { offsetCommit } from '../../protocol/messages/08-offset-commit.ts';
import type { RequestOf, ResponseInput } from '../../protocol/schema.ts';
import type { BrokerServices } from '../broker-services.ts';
import { defineHandler, type Handler } from '../handler.ts';
import type { RequestContext } from '../request-context.ts';
import { mergeTopics, refuseTopics, sortTopics } from './offset-topics.ts';

type Request = RequestOf<typeof offsetCommit>;
type Response = ResponseInput<typeof offsetCommit>;

/** Topics are named by id from here on (KIP-848). */
const TOPIC_ID_VERSION = 10;

/**
 * OffsetCommit v2-10. Until v4 the committer says how long the offsets are kept (KIP-211), v6 leader epochs (KIP-320), v7 static members (KIP-345), v9 groups of
 * the consumer protocol and GROUP_ID_NOT_FOUND (KIP-848), v10 topics by id. The answer leaves when the offsets are committed.
 */
export const offsetCommitHandler = (services: BrokerServices): Handler => {
  const offsets = new OffsetsService(services.groupCoordinator);
  const handle = async (request: Request, context: RequestContext): Promise<Response> => {
    if (!services.authorizer.isAllowed(context, 'READ', 'GROUP', request.groupId))
      return { topics: refuseTopics(request.topics, 'GROUP_AUTHORIZATION_FAILED') };
    const rules = { usesIds: context.apiVersion >= TOPIC_ID_VERSION };
    const { allowed, refused } = sortTopics(services, context, request.topics, rules);
    if (allowed.length === 0) return { topics: refused };
    try {
      const committed = await offsets.commit({ ...request, topics: allowed }, context.apiVersion);
      return { topics: mergeTopics(refused, committed, rules) };
    } catch (error) {
      if (!(error instanceof KafkaError)) throw error;
      return { topics: mergeTopics(refused, refuseTopics(allowed, error.errorName), rules) };
    }
  };
  return defineHandler<typeof offsetCommit>({
    api: offsetCommit,
    handle,
    failed: (request, error) => ({ topics: refuseTopics(request.topics, error.errorName) }),
  });
};
