import { createPartitions } from '../../protocol/messages/37-create-partitions.ts';
import type { BrokerServices } from '../broker-services.ts';
import { forward } from '../forwarding.ts';
import { defineHandler, type Handler } from '../handler.ts';
import { messageOf } from './answers.ts';

/** How long the answer may wait for this broker to learn what the controller decided. */
const CATCH_UP_MS = 10_000;

/** CreatePartitions v0-3. The controller decides; the answer goes out when this broker serves what it leads of the new partitions. */
export const createPartitionsHandler = (services: BrokerServices): Handler =>
  defineHandler<typeof createPartitions>({
    api: createPartitions,
    handle: async (request, context) => {
      const response = await forward(services.controller, createPartitions, request, context);
      if (request.validateOnly) return response;
      const grown = new Set(response.results.filter(({ errorCode }) => errorCode === 0).map(({ name }) => name));
      const wanted = request.topics.filter(({ name }) => grown.has(name));
      const { metadata, replicaManager } = services;
      const isGrown = ({ name, count }: (typeof wanted)[number]): boolean => {
        const topic = metadata.image.topics.byName.get(name);
        return (
          topic !== undefined &&
          topic.partitions.length >= count &&
          topic.partitions.every((_, index) => replicaManager.isSettled(topic.id, index))
        );
      };
      await metadata.when(() => wanted.every(isGrown), Math.min(request.timeoutMs, CATCH_UP_MS));
      return response;
    },
    failed: (request, error) => ({
      results: request.topics.map(({ name }) => ({ name, errorCode: error.code, errorMessage: messageOf(error) })),
    }),
  });
