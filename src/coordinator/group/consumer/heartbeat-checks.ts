import { KafkaError } from '../../../protocol/errors.ts';
import { ID_LENGTH_MAX } from '../../runtime/id-length.ts';
import { JOIN_EPOCH, LEAVE_EPOCH, STATIC_LEAVE_EPOCH } from './consumer-group-member.ts';
import type { HeartbeatRequest } from './heartbeat.ts';

/** Members choose their ids themselves from this version on (KIP-1082). */
const OWN_MEMBER_ID_VERSION = 1;

const SPACE = 0x20;

/** What Kafka's checks call empty: nothing but characters up to the space. */
function isBlank(text: string | null): boolean {
  if (text === null) return false;
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > SPACE) return false;
  return true;
}

const refuse = (message: string): never => {
  throw new KafkaError('INVALID_REQUEST', message);
};

/** Looks at a heartbeat alone. Throws INVALID_REQUEST, UNSUPPORTED_ASSIGNOR. */
export function checkHeartbeat(
  request: HeartbeatRequest,
  { apiVersion, assignors }: { readonly apiVersion: number; readonly assignors: ReadonlySet<string> },
): void {
  const { memberEpoch, serverAssignor } = request;
  const needsId = apiVersion >= OWN_MEMBER_ID_VERSION || memberEpoch > JOIN_EPOCH || memberEpoch === LEAVE_EPOCH;
  if (needsId && isBlank(request.memberId)) refuse("MemberId can't be empty.");
  if (isBlank(request.groupId)) refuse("GroupId can't be empty.");
  if (isBlank(request.instanceId)) refuse("InstanceId can't be empty.");
  if (isBlank(request.rackId)) refuse("RackId can't be empty.");
  for (const id of [request.memberId, request.instanceId, request.rackId])
    if (id !== null && id.length > ID_LENGTH_MAX) refuse(`An id has more than ${ID_LENGTH_MAX} characters.`);
  if (memberEpoch === JOIN_EPOCH) checkJoin(request);
  else if (memberEpoch === STATIC_LEAVE_EPOCH && request.instanceId === null) refuse("InstanceId can't be null.");
  else if (memberEpoch < STATIC_LEAVE_EPOCH) refuse('MemberEpoch is invalid.');
  if (serverAssignor !== null && !assignors.has(serverAssignor)) {
    throw new KafkaError(
      'UNSUPPORTED_ASSIGNOR',
      `ServerAssignor ${serverAssignor} is not supported. Supported assignors: ${[...assignors].join(', ')}.`,
    );
  }
}

/** Somebody who joins says everything, and has nothing. */
function checkJoin({ rebalanceTimeoutMs, topicPartitions, subscribedTopicNames, subscribedTopicRegex }: HeartbeatRequest): void {
  if (rebalanceTimeoutMs === -1) refuse('RebalanceTimeoutMs must be provided in first request.');
  if (topicPartitions === null || topicPartitions.length > 0) refuse('TopicPartitions must be empty when (re-)joining.');
  if (subscribedTopicNames === null && subscribedTopicRegex === null)
    refuse('Either SubscribedTopicNames or SubscribedTopicRegex must be non-null when (re-)joining.');
}
