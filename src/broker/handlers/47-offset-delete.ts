import { ZERO_UUID } from '../../base/uuid.ts';
import { OffsetsService } from '../../coordinator/group/offsets/offsets-service.ts';
import { codeOf } from '../../protocol/errors.ts';
import { offsetDelete } from '../../protocol/messages/47-offset-delete.ts';
import type { RequestOf, ResponseInput } from '../../protocol/schema.ts';
import type { BrokerServices } from '../broker-services.ts';
import { defineHandler, type Handler } from '../handler.ts';
import type { RequestContext } from '../request-context.ts';
import { mergeTopics, sortTopics } from './offset-topics.ts';

type Request = RequestOf<typeof offsetDelete>;
type Response = ResponseInput<typeof offsetDelete>;

/** OffsetDelete v0 (KIP-496). Deletes offsets of topics that no member of the group has subscribed to. */
export const offsetDeleteHandler = (services: BrokerServices): Handler => {
  const offsets = new OffsetsService(services.groupCoordinator);
  const handle = async (request: Request, context: RequestContext): Promise<Response> => {
    const { groupId } = request;
    if (!services.authorizer.isAllowed(context, 'DELETE', 'GROUP', groupId))
      return { errorCode: codeOf('GROUP_AUTHORIZATION_FAILED'), topics: [] };
    const asked = request.topics.map((topic) => ({ ...topic, topicId: ZERO_UUID }));
    const { allowed, refused } = sortTopics(services, context, asked, { usesIds: false });
    const deleted = await offsets.delete({ groupId, topics: allowed });
    return { errorCode: 0, topics: mergeTopics(refused, deleted, { usesIds: false }) };
  };
  return defineHandler<typeof offsetDelete>({
    api: offsetDelete,
    handle,
    failed: (_request, error) => ({ errorCode: error.code, topics: [] }),
  });
};
