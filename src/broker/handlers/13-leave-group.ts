import { ClassicGroupService } from '../../coordinator/group/classic/classic-group-service.ts';
import type { LeaveRequest } from '../../coordinator/group/classic-protocol.ts';
import { codeOf } from '../../protocol/errors.ts';
import { leaveGroup } from '../../protocol/messages/13-leave-group.ts';
import type { RequestOf, ResponseInput } from '../../protocol/schema.ts';
import type { BrokerServices } from '../broker-services.ts';
import { groupClient } from '../group-client.ts';
import { defineHandler, type Handler } from '../handler.ts';
import type { RequestContext } from '../request-context.ts';

type Request = RequestOf<typeof leaveGroup>;
type Response = ResponseInput<typeof leaveGroup>;

/** Several members at once from here on (KIP-345); before, one whose error is the answer's. */
const BATCH_VERSION = 3;

/** LeaveGroup v0-5. v3 takes several members, whom an administrator may name by their instance (KIP-345), v5 a reason (KIP-800). */
export const leaveGroupHandler = (services: BrokerServices): Handler => {
  const groups = new ClassicGroupService({ coordinator: services.groupCoordinator, configs: services.configs });
  return defineHandler<typeof leaveGroup>({
    api: leaveGroup,
    handle: async (request, context) => {
      const isAllowed = services.authorizer.isAllowed(context, 'READ', 'GROUP', request.groupId);
      if (!isAllowed) return { errorCode: codeOf('GROUP_AUTHORIZATION_FAILED'), members: [] };
      return inVersion(await groups.leaveGroup(groupClient(context), ofVersion(request, context)), context);
    },
    failed: (_request, error) => ({ errorCode: error.code, members: [] }),
  });
};

const ofVersion = ({ groupId, memberId, members }: Request, { apiVersion }: RequestContext): LeaveRequest => ({
  groupId,
  members: apiVersion >= BATCH_VERSION ? members : [{ memberId, groupInstanceId: null, reason: null }],
});

const inVersion = (answer: Response, { apiVersion }: RequestContext): Response => {
  const ofGroup = answer.errorCode ?? 0;
  if (apiVersion >= BATCH_VERSION) return answer;
  return { errorCode: ofGroup === 0 ? (answer.members[0]?.errorCode ?? 0) : ofGroup, members: [] };
};
