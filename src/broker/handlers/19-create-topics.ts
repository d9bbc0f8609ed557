import { ZERO_UUID } from '../../base/uuid.ts';
import type { MetadataImage } from '../../metadata/metadata-image.ts';
import { createTopics } from '../../protocol/messages/19-create-topics.ts';
import type { RequestOf, ResponseInput, ResponseOf } from '../../protocol/schema.ts';
import type { BrokerServices } from '../broker-services.ts';
import { forward } from '../forwarding.ts';
import { defineHandler, type Handler } from '../handler.ts';
import { messageOf } from './answers.ts';

type Response = ResponseInput<typeof createTopics>;

/** How long the answer may wait for this broker to learn what the controller decided. */
const CATCH_UP_MS = 10_000;

/**
 * CreateTopics v2-7. v4 defaults by −1 (KIP-464), v5 configs in the answer (KIP-525), v7 topic ids (KIP-516). The controller decides; the answer goes out when
 * this broker serves what it leads of the topics.
 */
export const createTopicsHandler = (services: BrokerServices): Handler =>
  defineHandler<typeof createTopics>({
    api: createTopics,
    handle: async (request, context) => {
      const response = await forward(services.controller, createTopics, request, context);
      if (!request.validateOnly) await whenServable(services, request, response);
      return response;
    },
    failed: (request, error): Response => ({
      topics: request.topics.map(({ name }) => ({
        name,
        topicId: ZERO_UUID,
        errorCode: error.code,
        errorMessage: messageOf(error),
        configs: [],
      })),
    }),
  });

const whenServable = async (
  { metadata, replicaManager }: BrokerServices,
  request: RequestOf<typeof createTopics>,
  response: ResponseOf<typeof createTopics>,
): Promise<void> => {
  const created = response.topics.filter(({ errorCode }) => errorCode === 0).map(({ name }) => name);
  if (created.length === 0) return;
  const isServable = (image: MetadataImage, name: string): boolean => {
    const topic = image.topics.byName.get(name);
    return topic?.partitions.every((_, index) => replicaManager.isSettled(topic.id, index)) === true;
  };
  await metadata.when((image) => created.every((name) => isServable(image, name)), Math.min(request.timeoutMs, CATCH_UP_MS));
};
