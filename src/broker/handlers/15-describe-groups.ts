import { mapInTurns, whenThere } from '../../base/turns.ts';
import { ClassicGroupService, nothingOf } from '../../coordinator/group/classic/classic-group-service.ts';
import { codeOf } from '../../protocol/errors.ts';
import { describeGroups } from '../../protocol/messages/15-describe-groups.ts';
import type { ResponseInput } from '../../protocol/schema.ts';
import { authorizedOperations } from '../../security/authorizer.ts';
import type { BrokerServices } from '../broker-services.ts';
import { defineHandler, type Handler } from '../handler.ts';
import { inOrderOfNames } from '../repeated-names.ts';
import type { RequestContext } from '../request-context.ts';

type Description = ResponseInput<typeof describeGroups>['groups'][number];

/**
 * DescribeGroups v0-6. v3 has authorized operations (KIP-430), v4 static members (KIP-345), v6 tells a missing group as an error (KIP-1043); before, it is one
 * that is dead, as is a group of another kind.
 */
export const describeGroupsHandler = (services: BrokerServices): Handler => {
  const { authorizer, environment } = services;
  const groups = new ClassicGroupService({ coordinator: services.groupCoordinator, configs: services.configs });
  const describe = (groupId: string, isTellingRights: boolean, context: RequestContext): Description => {
    if (!authorizer.isAllowed(context, 'DESCRIBE', 'GROUP', groupId)) {
      return { ...nothingOf(groupId), errorCode: codeOf('GROUP_AUTHORIZATION_FAILED') };
    }
    const description = groups.describeGroup(groupId, context.apiVersion);
    if (!isTellingRights || (description.errorCode ?? 0) !== 0) return description;
    return { ...description, authorizedOperations: authorizedOperations(authorizer, context, 'GROUP', groupId) };
  };
  return defineHandler<typeof describeGroups>({
    api: describeGroups,
    handle: ({ groups: asked, includeAuthorizedOperations }, context) => {
      // Each has as many members as it likes: looked at once, however often it is named.
      const ids = [...new Set(asked)];
      const described = mapInTurns(environment.clock, ids, (groupId) => describe(groupId, includeAuthorizedOperations, context));
      return whenThere(described, (all) => {
        const byId = new Map(all.map((description) => [description.groupId, description]));
        return { groups: inOrderOfNames(asked, byId, ({ members }) => 1 + members.length) };
      });
    },
    failed: (request, error) => ({
      groups: request.groups.map((groupId) => ({ ...nothingOf(groupId), errorCode: error.code })),
    }),
  });
};
