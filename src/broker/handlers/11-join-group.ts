import { ClassicGroupService } from '../../coordinator/group/classic/classic-group-service.ts';
import { codeOf } from '../../protocol/errors.ts';
import { joinGroup } from '../../protocol/messages/11-join-group.ts';
import type { ResponseInput } from '../../protocol/schema.ts';
import { joinRefusal } from '../../coordinator/group/classic-protocol.ts';
import type { BrokerServices } from '../broker-services.ts';
import { groupClient } from '../group-client.ts';
import { defineHandler, type Handler } from '../handler.ts';
import type { RequestContext } from '../request-context.ts';

type Response = ResponseInput<typeof joinGroup>;

/** No protocol is null from here on (KIP-559); before it was an empty name. */
const NULL_PROTOCOL_VERSION = 7;

/**
 * JoinGroup v0-9. v1 has a timeout for rebalances, v4 makes new members come back with their id (KIP-394), v5 knows static members (KIP-345), v7 names the
 * protocol type (KIP-559), v8 a reason (KIP-800), v9 lets a leader skip the assignment (KIP-814). The answer leaves when the group is complete.
 */
export const joinGroupHandler = (services: BrokerServices): Handler => {
  const groups = new ClassicGroupService({ coordinator: services.groupCoordinator, configs: services.configs });
  return defineHandler<typeof joinGroup>({
    api: joinGroup,
    handle: async (request, context) => {
      const isAllowed = services.authorizer.isAllowed(context, 'READ', 'GROUP', request.groupId);
      if (!isAllowed) return inVersion(joinRefusal('', codeOf('GROUP_AUTHORIZATION_FAILED')), context);
      return inVersion(await groups.joinGroup(groupClient(context), request), context);
    },
    failed: (_request, error, context) => inVersion(joinRefusal('', error.code), context),
  });
};

const inVersion = (answer: Response, { apiVersion }: RequestContext): Response => {
  const hasNone = answer.protocolName === null || answer.protocolName === '';
  return hasNone ? { ...answer, protocolName: apiVersion >= NULL_PROTOCOL_VERSION ? null : '' } : answer;
};
