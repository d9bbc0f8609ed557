import type { MetadataImage } from '../../metadata/metadata-image.ts';
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
      const idsBefore = idsOfNames(services.metadata.image, request);
      const response = await forward(services.controller, deleteTopics, request, context);
      const deleted = response.responses
        .filter(({ errorCode }) => errorCode === 0)
        .map(({ name, topicId }) => (topicId === ZERO_UUID ? (idsBefore.get(name) ?? ZERO_UUID) : topicId));
      const isGone = (image: MetadataImage): boolean => deleted.every((id) => image.topics.byId.get(id) === undefined);
      await services.metadata.when(isGone, Math.min(request.timeoutMs, CATCH_UP_MS));
      return response;
    },
    failed,
  });

/** Answers before v6 do not tell the ids of what was deleted. */
const idsOfNames = ({ topics }: MetadataImage, request: Request): ReadonlyMap<string | null, string | undefined> =>
  new Map(request.topicNames.map((name) => [name, topics.byName.get(name)?.id]));

const failed = (request: Request, error: KafkaError, context: RequestContext): Response => {
  const named = request.topicNames.map((name) => ({ name, topicId: ZERO_UUID }));
  const topics = context.apiVersion >= TOPIC_ID_VERSION ? request.topics : named;
  return {
    responses: topics.map(({ name, topicId }) => ({ name, topicId, errorCode: error.code, errorMessage: messageOf(error) })),
  };
};
