import { ClassicGroupService } from '../../coordinator/group/classic/classic-group-service.ts';
import { syncRefusal } from '../../coordinator/group/classic-protocol.ts';
import { codeOf } from '../../protocol/errors.ts';
import { syncGroup } from '../../protocol/messages/14-sync-group.ts';
import type { RequestOf } from '../../protocol/schema.ts';
import type { BrokerServices } from '../broker-services.ts';
import { groupClient } from '../group-client.ts';
import { defineHandler, type Handler } from '../handler.ts';
import type { RequestContext } from '../request-context.ts';

/** Members say which protocol they mean from here on (KIP-559). */
const PROTOCOL_VERSION = 5;

/** SyncGroup v0-5. v3 knows static members (KIP-345), v5 demands the protocol (KIP-559). The answer leaves when the leader has shared out. */
export const syncGroupHandler = (services: BrokerServices): Handler => {
  const groups = new ClassicGroupService({ coordinator: services.groupCoordinator, configs: services.configs });
  return defineHandler<typeof syncGroup>({
    api: syncGroup,
    handle: (request, context) => {
      if (!namesProtocol(request, context)) return syncRefusal(codeOf('INCONSISTENT_GROUP_PROTOCOL'));
      const isAllowed = services.authorizer.isAllowed(context, 'READ', 'GROUP', request.groupId);
      if (!isAllowed) return syncRefusal(codeOf('GROUP_AUTHORIZATION_FAILED'));
      return groups.syncGroup(groupClient(context), request);
    },
    failed: (_request, error) => syncRefusal(error.code),
  });
};

const namesProtocol = ({ protocolType, protocolName }: RequestOf<typeof syncGroup>, { apiVersion }: RequestContext): boolean =>
  apiVersion < PROTOCOL_VERSION || (protocolType !== null && protocolName !== null);
