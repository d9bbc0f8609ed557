import type { PartitionRegistration } from '../metadata/image/partition-registration.ts';
import {
  changedPartition,
  leaderRecoveryStateId,
  leaderRecoveryStateOf,
  NO_LEADER_CHANGE,
} from '../metadata/image/partition-registration.ts';
import type { TopicImage } from '../metadata/image/topics-image.ts';
import type { MetadataRecord } from '../metadata/metadata-record.ts';
import { codeOf, type ErrorName } from '../protocol/errors.ts';
import type { alterPartition } from '../protocol/messages/56-alter-partition.ts';
import type { RequestOf, ResponseInput } from '../protocol/schema.ts';
import { checkBrokerEpoch } from './cluster-control.ts';
import type { ControllerResult } from './controller-result.ts';
import { type ControllerView, partitionRules } from './controller-view.ts';
import { canLead } from './leader-acceptor.ts';
import { partitionChange } from './partition-change.ts';

type Request = RequestOf<typeof alterPartition>;
type PartitionRequest = Request['topics'][number]['partitions'][number];
type Response = ResponseInput<typeof alterPartition>;
type PartitionResult = NonNullable<Response['topics']>[number]['partitions'][number];

const NO_EPOCH = -1;

/** Leaders say which replicas are in sync now. */
export function alterPartitionControl(view: ControllerView, request: Request): ControllerResult<Response> {
  // Who asks for nothing is not asked for its epoch.
  if (request.topics.length === 0) return { records: [], response: { topics: [] } };
  checkBrokerEpoch(view, request.brokerId, request.brokerEpoch);
  const records: MetadataRecord[] = [];
  const topics = request.topics.map(({ topicId, partitions }) => {
    const topic = view.image.topics.byId.get(topicId);
    return {
      topicId,
      partitions: partitions.map((asked): PartitionResult => {
        if (topic === undefined) return refused(asked, 'UNKNOWN_TOPIC_ID');
        const partition = topic.partitions[asked.partitionIndex];
        const error = faultOf(view, request.brokerId, { asked, partition });
        if (error !== null || partition === undefined) return refused(asked, error ?? 'UNKNOWN_TOPIC_OR_PARTITION');
        return changeIsr(view, { brokerId: request.brokerId, topic, asked, partition }, records);
      }),
    };
  });
  return { records, response: { topics } };
}

const refused = ({ partitionIndex }: PartitionRequest, error: ErrorName): PartitionResult => ({
  partitionIndex,
  errorCode: codeOf(error),
  leaderId: 0,
  leaderEpoch: 0,
  isr: [],
  leaderRecoveryState: 0,
  partitionEpoch: 0,
});

/** Epochs that this controller has not seen yet are a newer controller's. */
function faultOf(
  view: ControllerView,
  brokerId: number,
  { asked, partition }: { readonly asked: PartitionRequest; readonly partition: PartitionRegistration | undefined },
): ErrorName | null {
  if (partition === undefined) return 'UNKNOWN_TOPIC_OR_PARTITION';
  if (asked.leaderEpoch > partition.leaderEpoch || asked.partitionEpoch > partition.partitionEpoch) return 'NOT_CONTROLLER';
  if (asked.leaderEpoch < partition.leaderEpoch) return 'FENCED_LEADER_EPOCH';
  if (brokerId !== partition.leader) return 'INVALID_REQUEST';
  if (asked.partitionEpoch < partition.partitionEpoch) return 'INVALID_UPDATE_VERSION';
  const isr = isrOf(asked);
  const isSubset = isr.every((replica) => partition.replicas.includes(replica)) && new Set(isr).size === isr.length;
  if (!isSubset || !isr.includes(partition.leader)) return 'INVALID_REQUEST';
  const isRecovering = leaderRecoveryStateOf(asked.leaderRecoveryState) === 'recovering';
  if (isRecovering && (isr.length > 1 || partition.leaderRecoveryState === 'recovered')) return 'INVALID_REQUEST';
  return asked.newIsrWithEpochs.every((member) => isEligible(view, member)) ? null : 'INELIGIBLE_REPLICA';
}

/** Version 2 of the request gives ids alone. */
const isrOf = ({ newIsr, newIsrWithEpochs }: PartitionRequest): readonly number[] =>
  newIsrWithEpochs.length > 0 ? newIsrWithEpochs.map(({ brokerId }) => brokerId) : newIsr;

function isEligible({ image }: ControllerView, member: { readonly brokerId: number; readonly brokerEpoch: number }): boolean {
  const broker = image.cluster.brokers.get(member.brokerId);
  if (broker === undefined || broker.fenced || broker.inControlledShutdown) return false;
  return member.brokerEpoch === NO_EPOCH || member.brokerEpoch === broker.epoch;
}

interface Change {
  readonly brokerId: number;
  readonly topic: TopicImage;
  readonly asked: PartitionRequest;
  readonly partition: PartitionRegistration;
}

function changeIsr(
  view: ControllerView,
  { brokerId, topic, asked, partition }: Change,
  records: MetadataRecord[],
): PartitionResult {
  const { cluster, configs } = view.image;
  const record = partitionChange({
    topicId: topic.id,
    partitionId: asked.partitionIndex,
    partition,
    isr: isrOf(asked),
    leaderRecoveryState: leaderRecoveryStateOf(asked.leaderRecoveryState),
    election: view.configs.isUncleanElectionEnabled(configs, topic.name) ? 'unclean' : 'any',
    canLead: (replica) => canLead(cluster, partition, replica),
    rules: partitionRules(view, topic.name),
  });
  let after = partition;
  if (record !== null) {
    records.push(record);
    after = changedPartition(partition, record.value);
    // A change that ends a reassignment can take the leadership from the leader that asked for it.
    if (record.value.leader !== NO_LEADER_CHANGE && record.value.leader !== brokerId) return refused(asked, 'NEW_LEADER_ELECTED');
  }
  return {
    partitionIndex: asked.partitionIndex,
    leaderId: after.leader,
    leaderEpoch: after.leaderEpoch,
    isr: after.isr,
    leaderRecoveryState: leaderRecoveryStateId(after.leaderRecoveryState),
    partitionEpoch: after.partitionEpoch,
  };
}
