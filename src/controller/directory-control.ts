import type { MetadataRecord } from '../metadata/metadata-record.ts';
import { codeOf } from '../protocol/errors.ts';
import type { assignReplicasToDirs } from '../protocol/messages/73-assign-replicas-to-dirs.ts';
import type { RequestOf, ResponseInput } from '../protocol/schema.ts';
import { checkBrokerEpoch } from './cluster-control.ts';
import type { ControllerResult } from './controller-result.ts';
import { type ControllerView, partitionRules } from './controller-view.ts';
import { canLead, hasOnlineDirectory } from './leader-acceptor.ts';
import { partitionChange } from './partition-change.ts';

type Request = RequestOf<typeof assignReplicasToDirs>;
type Response = ResponseInput<typeof assignReplicasToDirs>;

/** A broker with several log directories says into which one it put which replica (KIP-858). */
export function assignReplicasToDirsControl(view: ControllerView, request: Request): ControllerResult<Response> {
  checkBrokerEpoch(view, request.brokerId, request.brokerEpoch);
  const records: MetadataRecord[] = [];
  const directories = request.directories.map(({ id, topics }) => ({
    id,
    topics: topics.map(({ topicId, partitions }) => ({
      topicId,
      partitions: partitions.map(({ partitionIndex }) => ({
        partitionIndex,
        errorCode: assign(view, { brokerId: request.brokerId, directory: id, topicId, partitionIndex }, records),
      })),
    })),
  }));
  return { records, response: { directories } };
}

interface Assignment {
  readonly brokerId: number;
  readonly directory: string;
  readonly topicId: string;
  readonly partitionIndex: number;
}

/** Gives the code of the outcome. */
function assign(view: ControllerView, assignment: Assignment, records: MetadataRecord[]): number {
  const { brokerId, directory, topicId, partitionIndex } = assignment;
  const { topics, cluster, configs } = view.image;
  const topic = topics.byId.get(topicId);
  if (topic === undefined) return codeOf('UNKNOWN_TOPIC_ID');
  const partition = topic.partitions[partitionIndex];
  if (partition === undefined) return codeOf('UNKNOWN_TOPIC_OR_PARTITION');
  if (!partition.replicas.includes(brokerId)) return codeOf('NOT_LEADER_OR_FOLLOWER');
  const directories = partition.directories.map((id, at) => (partition.replicas[at] === brokerId ? directory : id));
  const broker = cluster.brokers.get(brokerId);
  // A replica that turns out to be in a directory that failed is lost with it.
  const isLost = broker !== undefined && !hasOnlineDirectory(broker, directory) && partition.isr.includes(brokerId);
  const record = partitionChange({
    topicId,
    partitionId: partitionIndex,
    partition: { ...partition },
    directories,
    isr: isLost ? partition.isr.filter((replica) => replica !== brokerId) : partition.isr,
    election: view.configs.isUncleanElectionEnabled(configs, topic.name) ? 'unclean' : 'any',
    canLead: (replica) => canLead(cluster, { ...partition, directories }, replica),
    rules: partitionRules(view, topic.name),
  });
  if (record !== null) records.push(record);
  return 0;
}
