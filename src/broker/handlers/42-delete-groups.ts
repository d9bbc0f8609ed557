import { GroupAdmin } from '../../coordinator/group/offsets/group-admin.ts';
import { KafkaError } from '../../protocol/errors.ts';
import { deleteGroups } from '../../protocol/messages/42-delete-groups.ts';
import type { RequestOf, ResponseInput } from '../../protocol/schema.ts';
import type { BrokerServices } from '../broker-services.ts';
import { defineHandler, type Handler } from '../handler.ts';
import type { RequestContext } from '../request-context.ts';

type Request = RequestOf<typeof deleteGroups>;
type Response = ResponseInput<typeof deleteGroups>;
type Result = Response['results'][number];

/** DeleteGroups v0-3 (KIP-229). v3 has words for why a group was not deleted, which Kafka finds for streams groups only. */
export const deleteGroupsHandler = (services: BrokerServices): Handler => {
  const admin = new GroupAdmin(services.groupCoordinator);
  const handle = async ({ groupsNames }: Request, context: RequestContext): Promise<Response> => {
    const isAllowed = (groupId: string): boolean => services.authorizer.isAllowed(context, 'DELETE', 'GROUP', groupId);
    const { allowed = [], refused = [] } = Object.groupBy(new Set(groupsNames), (groupId) =>
      isAllowed(groupId) ? 'allowed' : 'refused',
    );
    const deleted = await admin.delete(allowed);
    const refusal = new KafkaError('GROUP_AUTHORIZATION_FAILED');
    const results = deleted.map(({ groupId, error }) => resultOf(groupId, error));
    return { results: [...results, ...refused.map((groupId) => resultOf(groupId, refusal))] };
  };
  return defineHandler<typeof deleteGroups>({
    api: deleteGroups,
    handle,
    failed: ({ groupsNames }, error) => ({ results: groupsNames.map((groupId) => resultOf(groupId, error)) }),
  });
};

const resultOf = (groupId: string, error: KafkaError | null): Result => ({ groupId, errorCode: error?.code ?? 0 });
