import { ConsumerGroupService } from '../../coordinator/group/consumer/consumer-group-service.ts';
import { codeOf, type ErrorName } from '../../protocol/errors.ts';
import { consumerGroupHeartbeat } from '../../protocol/messages/68-consumer-group-heartbeat.ts';
import type { ResponseInput } from '../../protocol/schema.ts';
import type { BrokerServices } from '../broker-services.ts';
import { groupClient } from '../group-client.ts';
import { defineHandler, type Handler } from '../handler.ts';

type Response = ResponseInput<typeof consumerGroupHeartbeat>;

/**
 * ConsumerGroupHeartbeat v0-1 (KIP-848): members of consumer groups join, stay and leave with it, and learn what they may read. v1 knows regular expressions, and
 * members choose their ids (KIP-1082). The answer leaves when what follows from the heartbeat is committed.
 */
export const consumerGroupHeartbeatHandler = (services: BrokerServices): Handler => {
  const { authorizer, groupCoordinator, configs, metadata } = services;
  const groups = new ConsumerGroupService({ coordinator: groupCoordinator, configs, metadata: () => metadata.image });
  return defineHandler<typeof consumerGroupHeartbeat>({
    api: consumerGroupHeartbeat,
    handle: (request, context) => {
      const mayDescribe = (topic: string): boolean => authorizer.isAllowed(context, 'DESCRIBE', 'TOPIC', topic);
      if (!groups.isServed) return refusal('UNSUPPORTED_VERSION');
      if (!authorizer.isAllowed(context, 'READ', 'GROUP', request.groupId)) return refusal('GROUP_AUTHORIZATION_FAILED');
      if (request.subscribedTopicNames?.every(mayDescribe) === false) return refusal('TOPIC_AUTHORIZATION_FAILED');
      return groups.heartbeat({ ...groupClient(context), mayDescribe }, request);
    },
    failed: (_request, { errorName, message }) => ({
      ...refusal(errorName),
      errorMessage: errorName === 'UNKNOWN_SERVER_ERROR' ? null : message,
    }),
  });
};

const refusal = (error: ErrorName): Response => ({ errorCode: codeOf(error), memberEpoch: 0, heartbeatIntervalMs: 0 });
