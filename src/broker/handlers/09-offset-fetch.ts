import { mapInTurns } from '../../base/turns.ts';
import { ZERO_UUID } from '../../base/uuid.ts';
import type { FetchedOffset, OffsetFetchRequest } from '../../coordinator/group/offsets/offset-requests.ts';
import { OffsetsService } from '../../coordinator/group/offsets/offsets-service.ts';
import { codeOf, type ErrorName, KafkaError } from '../../protocol/errors.ts';
import { offsetFetch } from '../../protocol/messages/09-offset-fetch.ts';
import type { RequestOf, ResponseInput } from '../../protocol/schema.ts';
import type { BrokerServices } from '../broker-services.ts';
import { defineHandler, type Handler } from '../handler.ts';
import { inOrderOfNames } from '../repeated-names.ts';
import type { RequestContext } from '../request-context.ts';

type Request = RequestOf<typeof offsetFetch>;
type Response = ResponseInput<typeof offsetFetch>;
type AskedTopic = NonNullable<OffsetFetchRequest['topics']>[number];
interface Topic {
  readonly name: string;
  readonly topicId: string;
  readonly partitions: readonly FetchedOffset[];
}
interface Group {
  readonly groupId: string;
  readonly topics: readonly Topic[];
  readonly errorCode: number;
}

/** Several groups a request from here on (KIP-709). */
const BATCH_VERSION = 8;
/** Topics are named by id from here on. */
const TOPIC_ID_VERSION = 10;
/** From here on an error may stand for a whole group. */
const GROUP_ERROR_VERSION = 2;

const UNKNOWN_OFFSET = -1;

/**
 * OffsetFetch v1-10. v2 all topics and errors of the group, v5 leader epochs (KIP-320), v7 stable offsets only (KIP-447), v8 several groups (KIP-709), v9 members
 * of the consumer protocol (KIP-848), v10 topics by id. What somebody may not describe is not there.
 */
export const offsetFetchHandler = (services: BrokerServices): Handler => {
  const offsets = new OffsetsService(services.groupCoordinator);
  const handle = async (request: Request, context: RequestContext): Promise<Response> => {
    const asked = context.apiVersion >= BATCH_VERSION ? request.groups : [onlyGroup(request)];
    const { requireStable } = request;
    const keys = asked.map(keyOf);
    // A group that is named again has as many offsets again.
    const different = new Map(asked.map((group, index) => [keys[index] ?? '', group]));
    const fetching = await mapInTurns(services.environment.clock, [...different], ([key, group]) => ({
      fetched: fetchGroup(services, offsets, group, { context, requireStable }).then((fetched) => [key, fetched] as const),
    }));
    const fetched = new Map(await Promise.all(fetching.map((one) => one.fetched)));
    return answer(inOrderOfNames(keys, fetched, partsOf), context);
  };
  return defineHandler<typeof offsetFetch>({
    api: offsetFetch,
    handle,
    failed: (request, error, context) => {
      const asked = context.apiVersion >= BATCH_VERSION ? request.groups : [onlyGroup(request)];
      return answer(
        asked.map((group) => refuseGroup(group, error.errorName, context)),
        context,
      );
    },
  });
};

/** The same for those who ask the same, where they do not name what they ask for. */
const keyOf = ({ groupId, memberId, memberEpoch, topics }: OffsetFetchRequest, index: number): string =>
  JSON.stringify([groupId, memberId, memberEpoch, topics === null ? -1 : index]);

const partsOf = ({ topics }: Group): number => topics.reduce((sum, { partitions }) => sum + partitions.length, 1 + topics.length);

const onlyGroup = ({ groupId, topics }: Request): OffsetFetchRequest => ({
  groupId,
  memberId: null,
  memberEpoch: -1,
  topics: topics?.map((topic) => ({ ...topic, topicId: ZERO_UUID })) ?? null,
});

const fetchGroup = async (
  services: BrokerServices,
  offsets: OffsetsService,
  group: OffsetFetchRequest,
  { context, requireStable }: { readonly context: RequestContext; readonly requireStable: boolean },
): Promise<Group> => {
  const { groupId } = group;
  if (!services.authorizer.isAllowed(context, 'DESCRIBE', 'GROUP', groupId))
    return refuseGroup(group, 'GROUP_AUTHORIZATION_FAILED', context);
  try {
    if (group.topics === null) {
      const topics = await offsets.fetch(group, requireStable);
      return { groupId, errorCode: 0, topics: topics.flatMap((topic) => visible(services, topic, context)) };
    }
    const { allowed, refused } = sort(services, group.topics, context);
    const topics = await offsets.fetch({ ...group, topics: allowed }, requireStable);
    return { groupId, errorCode: 0, topics: [...topics, ...refused] };
  } catch (error) {
    if (!(error instanceof KafkaError)) throw error;
    return refuseGroup(group, error.errorName, context);
  }
};

/** A topic that was not asked for by name, with its id where answers have it; nothing where it must not be seen, or has no id any more. */
const visible = ({ authorizer, metadata }: BrokerServices, topic: Topic, context: RequestContext): Topic[] => {
  if (!authorizer.isAllowed(context, 'DESCRIBE', 'TOPIC', topic.name)) return [];
  if (context.apiVersion < TOPIC_ID_VERSION) return [topic];
  const topicId = metadata.image.topics.byName.get(topic.name)?.id;
  return topicId === undefined ? [] : [{ ...topic, topicId }];
};

const sort = (
  { authorizer, metadata }: BrokerServices,
  topics: readonly AskedTopic[],
  context: RequestContext,
): { readonly allowed: AskedTopic[]; readonly refused: Topic[] } => {
  const allowed: AskedTopic[] = [];
  const refused: Topic[] = [];
  for (const topic of topics) {
    const usesIds = context.apiVersion >= TOPIC_ID_VERSION;
    const name = usesIds ? metadata.image.topics.byId.get(topic.topicId)?.name : topic.name;
    if (name === undefined) refused.push(refuseTopic(topic, 'UNKNOWN_TOPIC_ID'));
    else if (!authorizer.isAllowed(context, 'DESCRIBE', 'TOPIC', name))
      refused.push(refuseTopic(topic, 'TOPIC_AUTHORIZATION_FAILED'));
    else allowed.push({ ...topic, name });
  }
  return { allowed, refused };
};

const refuseTopic = ({ name, topicId, partitionIndexes }: AskedTopic, error: ErrorName): Topic => ({
  name,
  topicId,
  partitions: partitionIndexes.map((partitionIndex) => ({
    partitionIndex,
    committedOffset: UNKNOWN_OFFSET,
    committedLeaderEpoch: -1,
    metadata: '',
    errorCode: codeOf(error),
  })),
});

/** The oldest version has only partitions to tell an error of the group by. */
const refuseGroup = ({ groupId, topics }: OffsetFetchRequest, error: ErrorName, { apiVersion }: RequestContext): Group =>
  apiVersion >= GROUP_ERROR_VERSION
    ? { groupId, topics: [], errorCode: codeOf(error) }
    : { groupId, topics: (topics ?? []).map((topic) => refuseTopic(topic, error)), errorCode: 0 };

const answer = (groups: readonly Group[], { apiVersion }: RequestContext): Response => {
  const [only] = groups;
  return apiVersion >= BATCH_VERSION || only === undefined
    ? { groups }
    : { topics: only.topics, errorCode: only.errorCode, groups: [] };
};
