import { deleteTopics } from '../../protocol/messages/20-delete-topics.ts';
import type { RequestOf, ResponseInput } from '../../protocol/schema.ts';
import type { KafkaError } from '../../protocol/errors.ts';
import { ZERO_UUID } from '../../base/uuid.ts';
import type { BrokerServices } from '../broker-services.ts';
import { forward } from '../forwarding.ts';
import { defineHandler, type Handler } from '../handler.ts';
import type { RequestContext } from '../request-context.ts';
import { messageOf } from './answers.ts';

type Request = RequestOf<typeof deleteTopics>;
type Response = ResponseInput<typeof deleteTopics>;

/** How long the answer may wait for this broker to learn what the controller decided. */
const CATCH_UP_MS = 10_000;
/** Topics may be named by id from here on (KIP-516). */
const TOPIC_ID_VERSION = 6;

/** DeleteTopics v1-6. v6 by name or id (KIP-516). The controller decides; the answer goes out when the topics are gone from here as well. */
export const deleteTopicsHandler = (services: BrokerServices): Handler =>
  defineHandler<typeof deleteTopics>({
    api: deleteTopics,
    handle: async (request, context) => {
      const response = await forward(services.controller, deleteTopics, request, context);
      const deleted = response.responses.filter(({ errorCode }) => errorCode === 0).map(({ topicId }) => topicId);
      const isGone = (id: string): boolean => services.metadata.image.topics.byId.get(id) === undefined;
      if (deleted.length > 0) await services.metadata.when(() => deleted.every(isGone), Math.min(request.timeoutMs, CATCH_UP_MS));
      return response;
    },
    failed,
  });

const failed = (request: Request, error: KafkaError, context: RequestContext): Response => {
  const named = request.topicNames.map((name) => ({ name, topicId: ZERO_UUID }));
  const topics = context.apiVersion >= TOPIC_ID_VERSION ? request.topics : named;
  return {
    responses: topics.map(({ name, topicId }) => ({ name, topicId, errorCode: error.code, errorMessage: messageOf(error) })),
  };
};
