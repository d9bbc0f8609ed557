import { ClassicGroupService } from '../../coordinator/group/classic/classic-group-service.ts';
import { codeOf } from '../../protocol/errors.ts';
import { heartbeat } from '../../protocol/messages/12-heartbeat.ts';
import type { BrokerServices } from '../broker-services.ts';
import { groupClient } from '../group-client.ts';
import { defineHandler, type Handler } from '../handler.ts';

/** Heartbeat v0-4. v3 knows static members (KIP-345). A member that has to join again is told REBALANCE_IN_PROGRESS. */
export const heartbeatHandler = (services: BrokerServices): Handler => {
  const groups = new ClassicGroupService({ coordinator: services.groupCoordinator, configs: services.configs });
  return defineHandler<typeof heartbeat>({
    api: heartbeat,
    handle: (request, context) =>
      services.authorizer.isAllowed(context, 'READ', 'GROUP', request.groupId)
        ? groups.heartbeat(groupClient(context), request)
        : { errorCode: codeOf('GROUP_AUTHORIZATION_FAILED') },
    failed: (_request, error) => ({ errorCode: error.code }),
  });
};
