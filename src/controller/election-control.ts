import { shownName } from '../config/topic-name.ts';
import { NO_LEADER } from '../metadata/image/partition-registration.ts';
import type { MetadataRecord } from '../metadata/metadata-record.ts';
import { codeOf, type ErrorName } from '../protocol/errors.ts';
import { KafkaError } from '../protocol/errors.ts';
import type { electLeaders } from '../protocol/messages/43-elect-leaders.ts';
import type { RequestOf, ResponseInput } from '../protocol/schema.ts';
import type { ControllerResult } from './controller-result.ts';
import { type ControllerView, partitionRules } from './controller-view.ts';
import { canLead } from './leader-acceptor.ts';
import { partitionChange } from './partition-change.ts';

type Request = RequestOf<typeof electLeaders>;
type Response = ResponseInput<typeof electLeaders>;
type PartitionResult = Response['replicaElectionResults'][number]['partitionResult'][number];

const PREFERRED = 0;
const UNCLEAN = 1;

/** Told when nothing went wrong in the words of clients: those of this node are its own. */
const TEXTS: Partial<Record<ErrorName, string>> = {
  ELECTION_NOT_NEEDED: 'Leader election not needed for topic partition.',
  PREFERRED_LEADER_NOT_AVAILABLE: 'The preferred leader was not available.',
  ELIGIBLE_LEADERS_NOT_AVAILABLE: 'Eligible topic partition leaders are not available.',
};

/** Elects the preferred leaders, or some leader where there is none. Without topics, wherever it is needed. */
export function electLeadersControl(view: ControllerView, request: Request): ControllerResult<Response> {
  const { electionType, topicPartitions } = request;
  if (electionType !== PREFERRED && electionType !== UNCLEAN) {
    throw new KafkaError('INVALID_REQUEST', `Value ${electionType} must be one of: [PREFERRED, UNCLEAN]`);
  }
  const records: MetadataRecord[] = [];
  const election = electionType === PREFERRED ? 'preferred' : 'unclean';
  const elected = (topic: string, partition: number): PartitionResult => electOne(view, { topic, partition, election }, records);
  const replicaElectionResults =
    topicPartitions === null
      ? [...view.image.topics.byName.values()].map(({ name: topic, partitions }) => ({
          topic,
          partitionResult: partitions
            .map((_, partition) => elected(topic, partition))
            .filter(({ errorCode }) => errorCode !== codeOf('ELECTION_NOT_NEEDED')),
        }))
      : topicPartitions.map(({ topic, partitions }) => ({
          topic,
          partitionResult: partitions.map((partition) => elected(topic, partition)),
        }));
  return { records, response: { replicaElectionResults } };
}

interface Wanted {
  readonly topic: string;
  readonly partition: number;
  readonly election: 'preferred' | 'unclean';
}

function electOne(
  view: ControllerView,
  { topic: name, partition: partitionId, election }: Wanted,
  records: MetadataRecord[],
): PartitionResult {
  const refused = (error: ErrorName, message = TEXTS[error] ?? null): PartitionResult => ({
    partitionId,
    errorCode: codeOf(error),
    errorMessage: message,
  });
  const topic = view.image.topics.byName.get(name);
  if (topic === undefined) return refused('UNKNOWN_TOPIC_OR_PARTITION', `No such topic as ${shownName(name)}`);
  const partition = topic.partitions[partitionId];
  if (partition === undefined) return refused('UNKNOWN_TOPIC_OR_PARTITION', `No such partition as ${name}-${partitionId}`);
  const isFine = election === 'preferred' ? partition.leader === partition.replicas[0] : partition.leader !== NO_LEADER;
  if (isFine) return refused('ELECTION_NOT_NEEDED');
  const record = partitionChange({
    topicId: topic.id,
    partitionId,
    partition,
    election,
    canLead: (replica) => canLead(view.image.cluster, partition, replica),
    rules: partitionRules(view, name),
  });
  if (record === null) {
    return refused(election === 'preferred' ? 'PREFERRED_LEADER_NOT_AVAILABLE' : 'ELIGIBLE_LEADERS_NOT_AVAILABLE');
  }
  records.push(record);
  return { partitionId, errorCode: 0, errorMessage: null };
}
