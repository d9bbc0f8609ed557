/**
 * What a broker tells a peer when it will not do what was asked: every error code of Apache Kafka 4.4, once.
 * A code is retriable when the same request may succeed later without anybody changing it.
 */
const RETRY = true;
const FINAL = false;

const table = {
  UNKNOWN_SERVER_ERROR: [-1, FINAL, 'The server failed in a way it did not foresee.'],
  NONE: [0, FINAL, ''],
  OFFSET_OUT_OF_RANGE: [1, FINAL, 'The offset lies outside of what this replica holds.'],
  CORRUPT_MESSAGE: [
    2,
    RETRY,
    'The records fail their checksum, have a size that is not allowed or a null key in a compacted topic.',
  ],
  UNKNOWN_TOPIC_OR_PARTITION: [3, RETRY, 'This server does not host this topic-partition.'],
  INVALID_FETCH_SIZE: [4, FINAL, 'The fetch asks for a size that is not allowed.'],
  LEADER_NOT_AVAILABLE: [5, RETRY, 'The partition has no leader at the moment.'],
  NOT_LEADER_OR_FOLLOWER: [6, RETRY, 'This broker does not lead the partition, or does not replicate it.'],
  REQUEST_TIMED_OUT: [7, RETRY, 'The request was not completed in its time.'],
  BROKER_NOT_AVAILABLE: [8, FINAL, 'The broker is not available.'],
  REPLICA_NOT_AVAILABLE: [9, RETRY, 'The replica of the partition is not available.'],
  MESSAGE_TOO_LARGE: [10, FINAL, 'The records are larger than the server accepts.'],
  STALE_CONTROLLER_EPOCH: [11, FINAL, 'A newer controller has taken over.'],
  OFFSET_METADATA_TOO_LARGE: [12, FINAL, 'The metadata string of the offset commit is too long.'],
  NETWORK_EXCEPTION: [13, RETRY, 'The connection broke before an answer came.'],
  COORDINATOR_LOAD_IN_PROGRESS: [14, RETRY, 'The coordinator is still loading its state.'],
  COORDINATOR_NOT_AVAILABLE: [15, RETRY, 'The coordinator is not available.'],
  NOT_COORDINATOR: [16, RETRY, 'This broker is not the coordinator.'],
  INVALID_TOPIC_EXCEPTION: [17, FINAL, 'The topic name is not valid, or the topic may not be used this way.'],
  RECORD_LIST_TOO_LARGE: [18, FINAL, 'The batch is larger than a segment may be.'],
  NOT_ENOUGH_REPLICAS: [19, RETRY, 'Fewer replicas are in sync than the topic requires; nothing was written.'],
  NOT_ENOUGH_REPLICAS_AFTER_APPEND: [
    20,
    RETRY,
    'The records were written, but fewer replicas are in sync than the topic requires.',
  ],
  INVALID_REQUIRED_ACKS: [21, FINAL, 'The required acknowledgements must be -1, 0 or 1.'],
  ILLEGAL_GENERATION: [22, FINAL, 'The generation is not the one of the group.'],
  INCONSISTENT_GROUP_PROTOCOL: [23, FINAL, 'The member shares no protocol with the other members of the group.'],
  INVALID_GROUP_ID: [24, FINAL, 'The group id is not valid.'],
  UNKNOWN_MEMBER_ID: [25, FINAL, 'The group does not know this member.'],
  INVALID_SESSION_TIMEOUT: [26, FINAL, 'The session timeout lies outside of what the broker allows.'],
  REBALANCE_IN_PROGRESS: [27, FINAL, 'The group is rebalancing; the member has to join again.'],
  INVALID_COMMIT_OFFSET_SIZE: [28, FINAL, 'The offset commit is too large to be stored.'],
  TOPIC_AUTHORIZATION_FAILED: [29, FINAL, 'The principal may not do this with the topic.'],
  GROUP_AUTHORIZATION_FAILED: [30, FINAL, 'The principal may not do this with the group.'],
  CLUSTER_AUTHORIZATION_FAILED: [31, FINAL, 'The principal may not do this with the cluster.'],
  INVALID_TIMESTAMP: [32, FINAL, 'A record has a timestamp outside of what the topic accepts.'],
  UNSUPPORTED_SASL_MECHANISM: [33, FINAL, 'The server does not offer this SASL mechanism.'],
  ILLEGAL_SASL_STATE: [34, FINAL, 'The request does not belong into this state of the authentication.'],
  UNSUPPORTED_VERSION: [35, FINAL, 'The server does not support this version of the request.'],
  TOPIC_ALREADY_EXISTS: [36, FINAL, 'A topic of this name exists.'],
  INVALID_PARTITIONS: [37, FINAL, 'The number of partitions is not allowed.'],
  INVALID_REPLICATION_FACTOR: [38, FINAL, 'The replication factor is below 1 or above the number of brokers.'],
  INVALID_REPLICA_ASSIGNMENT: [39, FINAL, 'The assignment of replicas is not valid.'],
  INVALID_CONFIG: [40, FINAL, 'A configuration is not valid.'],
  NOT_CONTROLLER: [41, RETRY, 'This node is not the active controller.'],
  INVALID_REQUEST: [42, FINAL, 'The request contradicts itself or the protocol.'],
  UNSUPPORTED_FOR_MESSAGE_FORMAT: [43, FINAL, 'The record format of the topic does not allow this.'],
  POLICY_VIOLATION: [44, FINAL, 'A policy of the cluster forbids this.'],
  OUT_OF_ORDER_SEQUENCE_NUMBER: [45, FINAL, 'The sequence number does not follow the last one of this producer.'],
  DUPLICATE_SEQUENCE_NUMBER: [46, FINAL, 'The sequence number was seen before.'],
  INVALID_PRODUCER_EPOCH: [47, FINAL, 'A newer instance of this producer has written.'],
  INVALID_TXN_STATE: [48, FINAL, 'The transaction is in a state that does not allow this.'],
  INVALID_PRODUCER_ID_MAPPING: [49, FINAL, 'The producer id is not the one of the transactional id.'],
  INVALID_TRANSACTION_TIMEOUT: [50, FINAL, 'The transaction timeout is larger than the broker allows.'],
  CONCURRENT_TRANSACTIONS: [51, RETRY, 'The producer asked for a change while an earlier one is not finished.'],
  TRANSACTION_COORDINATOR_FENCED: [52, FINAL, 'A newer transaction coordinator has taken over.'],
  TRANSACTIONAL_ID_AUTHORIZATION_FAILED: [53, FINAL, 'The principal may not use the transactional id.'],
  SECURITY_DISABLED: [54, FINAL, 'Security features are switched off.'],
  OPERATION_NOT_ATTEMPTED: [55, FINAL, 'Nothing was tried, because another part of the batch failed.'],
  KAFKA_STORAGE_ERROR: [56, RETRY, 'The disk of this log failed.'],
  LOG_DIR_NOT_FOUND: [57, FINAL, 'No such log directory is configured.'],
  SASL_AUTHENTICATION_FAILED: [58, FINAL, 'The authentication failed.'],
  UNKNOWN_PRODUCER_ID: [59, FINAL, 'The broker remembers nothing of this producer id.'],
  REASSIGNMENT_IN_PROGRESS: [60, FINAL, 'The partition is being reassigned.'],
  DELEGATION_TOKEN_AUTH_DISABLED: [61, FINAL, 'Delegation tokens are switched off.'],
  DELEGATION_TOKEN_NOT_FOUND: [62, FINAL, 'No such delegation token exists.'],
  DELEGATION_TOKEN_OWNER_MISMATCH: [63, FINAL, 'The principal is neither owner nor renewer of the delegation token.'],
  DELEGATION_TOKEN_REQUEST_NOT_ALLOWED: [64, FINAL, 'Delegation tokens are not handed out on this kind of connection.'],
  DELEGATION_TOKEN_AUTHORIZATION_FAILED: [65, FINAL, 'The principal may not do this with the delegation token.'],
  DELEGATION_TOKEN_EXPIRED: [66, FINAL, 'The delegation token has expired.'],
  INVALID_PRINCIPAL_TYPE: [67, FINAL, 'This type of principal is not supported.'],
  NON_EMPTY_GROUP: [68, FINAL, 'The group still has members.'],
  GROUP_ID_NOT_FOUND: [69, FINAL, 'No such group exists.'],
  FETCH_SESSION_ID_NOT_FOUND: [70, RETRY, 'The broker does not know the fetch session.'],
  INVALID_FETCH_SESSION_EPOCH: [71, RETRY, 'The epoch does not follow the last one of the fetch session.'],
  LISTENER_NOT_FOUND: [72, RETRY, 'The leader of the partition has no listener of the name this request came on.'],
  TOPIC_DELETION_DISABLED: [73, FINAL, 'Topic deletion is switched off.'],
  FENCED_LEADER_EPOCH: [74, RETRY, 'The leader epoch of the request is older than the one of the broker.'],
  UNKNOWN_LEADER_EPOCH: [75, RETRY, 'The leader epoch of the request is newer than the one of the broker.'],
  UNSUPPORTED_COMPRESSION_TYPE: [76, FINAL, 'The client does not support the compression of the records.'],
  STALE_BROKER_EPOCH: [77, FINAL, 'The broker has registered anew since.'],
  OFFSET_NOT_AVAILABLE: [78, RETRY, 'The leader cannot tell the offset until its high watermark has caught up.'],
  MEMBER_ID_REQUIRED: [79, FINAL, 'The member has to join again with the member id it was given.'],
  PREFERRED_LEADER_NOT_AVAILABLE: [80, RETRY, 'The preferred leader is not available.'],
  GROUP_MAX_SIZE_REACHED: [81, FINAL, 'The group has as many members as it may have.'],
  FENCED_INSTANCE_ID: [82, FINAL, 'Another member has taken over the group instance id.'],
  ELIGIBLE_LEADERS_NOT_AVAILABLE: [83, RETRY, 'No replica that may lead the partition is available.'],
  ELECTION_NOT_NEEDED: [84, RETRY, 'The partition has the leader it should have.'],
  NO_REASSIGNMENT_IN_PROGRESS: [85, FINAL, 'No reassignment of this partition is going on.'],
  GROUP_SUBSCRIBED_TO_TOPIC: [86, FINAL, 'Offsets of a topic cannot be deleted while the group is subscribed to it.'],
  INVALID_RECORD: [87, FINAL, 'A record failed validation on the broker.'],
  UNSTABLE_OFFSET_COMMIT: [88, RETRY, 'An open transaction has offsets that wait to be committed.'],
  THROTTLING_QUOTA_EXCEEDED: [89, RETRY, 'The quota for this kind of request is used up for now.'],
  PRODUCER_FENCED: [90, FINAL, 'A newer producer uses the same transactional id.'],
  RESOURCE_NOT_FOUND: [91, FINAL, 'The request names something that does not exist.'],
  DUPLICATE_RESOURCE: [92, FINAL, 'The request names the same thing twice.'],
  UNACCEPTABLE_CREDENTIAL: [93, FINAL, 'The credential does not meet the requirements.'],
  INCONSISTENT_VOTER_SET: [94, FINAL, 'The sender or the receiver of the vote is not in the voter set.'],
  INVALID_UPDATE_VERSION: [95, FINAL, 'The version of the update is not valid.'],
  FEATURE_UPDATE_FAILED: [96, FINAL, 'The feature levels could not be changed.'],
  PRINCIPAL_DESERIALIZATION_FAILURE: [97, FINAL, 'The principal of the forwarded request cannot be read.'],
  SNAPSHOT_NOT_FOUND: [98, FINAL, 'No such snapshot exists.'],
  POSITION_OUT_OF_RANGE: [99, FINAL, 'The position lies outside of the snapshot.'],
  UNKNOWN_TOPIC_ID: [100, RETRY, 'This server does not host a topic of this id.'],
  DUPLICATE_BROKER_REGISTRATION: [101, FINAL, 'Another process has registered with this broker id.'],
  BROKER_ID_NOT_REGISTERED: [102, FINAL, 'No broker of this id is registered.'],
  INCONSISTENT_TOPIC_ID: [103, RETRY, 'The topic id of the log is another one than that of the request.'],
  INCONSISTENT_CLUSTER_ID: [104, FINAL, 'The request is meant for another cluster.'],
  TRANSACTIONAL_ID_NOT_FOUND: [105, FINAL, 'No such transactional id exists.'],
  FETCH_SESSION_TOPIC_ID_ERROR: [106, RETRY, 'The fetch session mixes requests with and without topic ids.'],
  INELIGIBLE_REPLICA: [107, FINAL, 'A replica is not fit to be in sync.'],
  NEW_LEADER_ELECTED: [108, FINAL, 'The change removed the leader, and a new one was elected.'],
  OFFSET_MOVED_TO_TIERED_STORAGE: [109, FINAL, 'The offset has been moved to tiered storage.'],
  FENCED_MEMBER_EPOCH: [
    110,
    FINAL,
    'The coordinator has fenced this epoch of the member; it has to give up its partitions and join again.',
  ],
  UNRELEASED_INSTANCE_ID: [111, FINAL, 'Another member of the group still uses the instance id.'],
  UNSUPPORTED_ASSIGNOR: [112, FINAL, 'The group does not support the assignor.'],
  STALE_MEMBER_EPOCH: [113, FINAL, 'The member epoch is out of date; try again after the next heartbeat.'],
  MISMATCHED_ENDPOINT_TYPE: [114, FINAL, 'The request was sent to an endpoint of the wrong type.'],
  UNSUPPORTED_ENDPOINT_TYPE: [115, FINAL, 'This endpoint type is not known yet.'],
  UNKNOWN_CONTROLLER_ID: [116, FINAL, 'No controller of this id is known.'],
  UNKNOWN_SUBSCRIPTION_ID: [117, FINAL, 'The subscription id of the metrics is out of date.'],
  TELEMETRY_TOO_LARGE: [118, FINAL, 'The metrics are larger than the broker accepts.'],
  INVALID_REGISTRATION: [119, FINAL, 'The controller does not accept the registration of the broker.'],
  TRANSACTION_ABORTABLE: [120, FINAL, 'The transaction cannot go on; the application should abort it.'],
  INVALID_RECORD_STATE: [121, FINAL, 'The record is in a state that does not allow this acknowledgement.'],
  SHARE_SESSION_NOT_FOUND: [122, RETRY, 'The broker does not know the share session.'],
  INVALID_SHARE_SESSION_EPOCH: [123, RETRY, 'The epoch does not follow the last one of the share session.'],
  FENCED_STATE_EPOCH: [124, FINAL, 'The share coordinator has seen a newer state epoch.'],
  INVALID_VOTER_KEY: [125, FINAL, 'The voter key is not the one of the receiving replica.'],
  DUPLICATE_VOTER: [126, FINAL, 'The voter is in the voter set already.'],
  VOTER_NOT_FOUND: [127, FINAL, 'The voter is not in the voter set.'],
  INVALID_REGULAR_EXPRESSION: [128, FINAL, 'The regular expression is not valid.'],
  REBOOTSTRAP_REQUIRED: [129, FINAL, 'The client has outdated metadata and should start again from its bootstrap servers.'],
  STREAMS_INVALID_TOPOLOGY: [130, FINAL, 'The topology is not valid.'],
  STREAMS_INVALID_TOPOLOGY_EPOCH: [131, FINAL, 'The topology epoch is not valid.'],
  STREAMS_TOPOLOGY_FENCED: [132, FINAL, 'The topology epoch is out of date.'],
  SHARE_SESSION_LIMIT_REACHED: [133, RETRY, 'The broker holds as many share sessions as it may.'],
  GROUP_DELETION_FAILED: [134, FINAL, 'The group could not be deleted.'],
  STREAMS_TOPOLOGY_DESCRIPTION_UPDATE_FAILED: [135, FINAL, 'The description of the topology could not be stored.'],
  CONTROLLER_ID_NOT_REGISTERED: [136, FINAL, 'No controller of this id is registered.'],
} as const satisfies Record<string, readonly [code: number, retriable: boolean, message: string]>;

export type ErrorName = keyof typeof table;

export const errorNames = Object.keys(table) as readonly ErrorName[];

const nameByCode: ReadonlyMap<number, ErrorName> = new Map(errorNames.map((name) => [table[name][0], name]));

/** A message may repeat what a peer sent, up to 32,767 bytes of it, and has to fit into as many itself: three bytes for each of its characters. */
const MESSAGE_CHARACTERS_MAX = 10_000;

/**
 * An error that a peer is told. `message` goes over the wire where the response has a field for it.
 *
 * It has no stack: nobody is to look for a mistake of ours behind it, one request may ask for a hundred thousand of them, and finding out where each was made
 * takes four fifths of its time.
 */
export class KafkaError extends Error {
  override readonly name = 'KafkaError';
  readonly errorName: ErrorName;

  constructor(errorName: ErrorName, message: string = table[errorName][2], options?: ErrorOptions) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message.length <= MESSAGE_CHARACTERS_MAX ? message : `${message.slice(0, MESSAGE_CHARACTERS_MAX)}…`, options);
    Error.stackTraceLimit = stackTraceLimit;
    this.errorName = errorName;
  }

  get code(): number {
    return table[this.errorName][0];
  }

  get retriable(): boolean {
    return table[this.errorName][1];
  }
}

export const codeOf = (errorName: ErrorName): number => table[errorName][0];

export const textOf = (errorName: ErrorName): string => table[errorName][2];

export const isRetriable = (errorName: ErrorName): boolean => table[errorName][1];

/** The one place where something thrown becomes a code of the wire: what is not told on purpose is UNKNOWN_SERVER_ERROR. */
export const errorCodeOf = (thrown: unknown): number =>
  thrown instanceof KafkaError ? thrown.code : table.UNKNOWN_SERVER_ERROR[0];

/** The name of a code; codes of a later Kafka read as UNKNOWN_SERVER_ERROR. */
export const errorNameOf = (code: number): ErrorName => nameByCode.get(code) ?? 'UNKNOWN_SERVER_ERROR';
