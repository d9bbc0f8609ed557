import type { Millis } from '../base/clock.ts';
import { KafkaError } from '../protocol/errors.ts';
import type { describeQuorum } from '../protocol/messages/55-describe-quorum.ts';
import type { RequestOf, ResponseInput } from '../protocol/schema.ts';
import { METADATA_TOPIC } from './partition-raft-log.ts';
import { directoryIdOrZero, type VoterSet } from './voter-set.ts';

type Request = RequestOf<typeof describeQuorum>;
type Response = ResponseInput<typeof describeQuorum>;

/** What the leader of the quorum knows about its members. */
export interface QuorumDescription {
  readonly leaderId: number;
  readonly epoch: number;
  /** −1 until it is known. */
  readonly highWatermark: number;
  readonly voters: VoterSet;
  /** By voter: up to where it is known to hold the log durably. */
  readonly endOffsets: ReadonlyMap<number, number>;
  readonly describedAt: Millis;
}

const PARTITION = 0;

/**
 * Answers DescribeQuorum (KIP-595). One quorum is all there is: whoever asks for more, or for another, is told so at each partition.
 * `quorum` is null while this node does not lead.
 */
export function describeQuorumAnswer(request: Request, quorum: QuorumDescription | null): Response {
  if (!asksForTheQuorum(request)) return refused(request, new KafkaError('UNKNOWN_TOPIC_OR_PARTITION'));
  if (quorum === null) return refused(request, new KafkaError('NOT_LEADER_OR_FOLLOWER'));
  const { leaderId, epoch: leaderEpoch, highWatermark, voters, describedAt } = quorum;
  const currentVoters = voters.voters.map((voter) => ({
    replicaId: voter.id,
    replicaDirectoryId: directoryIdOrZero(voter),
    logEndOffset: quorum.endOffsets.get(voter.id) ?? -1,
    // The leader itself is always up to date with itself.
    lastFetchTimestamp: voter.id === leaderId ? describedAt : -1,
    lastCaughtUpTimestamp: voter.id === leaderId ? describedAt : -1,
  }));
  const state = { leaderId, leaderEpoch, highWatermark, currentVoters, observers: [] };
  return {
    errorMessage: '',
    topics: [{ topicName: METADATA_TOPIC, partitions: [{ partitionIndex: PARTITION, errorMessage: '', ...state }] }],
    nodes: voters.voters.map(({ id, endpoints }) => ({ nodeId: id, listeners: endpoints })),
  };
}

function asksForTheQuorum({ topics }: Request): boolean {
  const [topic] = topics;
  if (topics.length !== 1 || topic?.topicName !== METADATA_TOPIC) return false;
  return topic.partitions.length === 1 && topic.partitions[0]?.partitionIndex === PARTITION;
}

/** Every partition that was asked for, with the reason it is not told about. */
const refused = ({ topics }: Request, { code: errorCode, message: errorMessage }: KafkaError): Response => ({
  errorMessage: '',
  topics: topics.map(({ topicName, partitions }) => ({
    topicName,
    partitions: partitions.map(({ partitionIndex }) => ({
      partitionIndex,
      errorCode,
      errorMessage,
      leaderId: 0,
      leaderEpoch: 0,
      highWatermark: 0,
      currentVoters: [],
      observers: [],
    })),
  })),
  nodes: [],
});
