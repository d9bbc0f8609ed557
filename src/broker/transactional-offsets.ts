import { GROUP_TOPIC } from '../coordinator/group/group-coordinator.ts';
import { KafkaError } from '../protocol/errors.ts';
import { NO_SEQUENCE } from '../protocol/records/batch-layout.ts';
import type { TransactionalAppend } from '../storage/producer-state-manager.ts';
import type { BrokerServices } from './broker-services.ts';
import { verificationKind } from './transaction-verifier.ts';

/** Of TxnOffsetCommit. */
const VERSIONS = { adding: 5, abortable: 4 };

export interface TransactionalCommitter {
  readonly transactionalId: string;
  readonly groupId: string;
  readonly producerId: number;
  readonly producerEpoch: number;
}

/**
 * Offsets may begin a transaction in the partition of their group only when its coordinator agrees, as records of clients may elsewhere. Gives what allows them to be written;
 * rejects with what the committer is told.
 */
export async function verifiedCommit(
  { configs, groupCoordinator, replicaManager, transactionVerifier }: BrokerServices,
  committer: TransactionalCommitter,
  apiVersion: number,
): Promise<TransactionalAppend> {
  if (!configs.broker()['transaction.partition.verification.enable']) return { isVerified: false };
  const { transactionalId, groupId, producerId, producerEpoch } = committer;
  const index = groupCoordinator.partitionOf(groupId);
  const kind = verificationKind(apiVersion, VERSIONS);
  const replica = replicaManager.replicaOf(GROUP_TOPIC, index);
  if (replica?.isLeader !== true) throw new KafkaError('NOT_COORDINATOR');
  const start = { producerId, producerEpoch, baseSequence: NO_SEQUENCE, startsAtZero: kind === 'add' };
  const verification = replica.leaderLog.producers.startVerification(start) ?? undefined;
  if (verification === undefined) return { isVerified: true };
  const partitions = new Map([[GROUP_TOPIC, [index]]]);
  const fault = await transactionVerifier.verify({ transactionalId, producerId, producerEpoch, kind, partitions });
  const error = fault(GROUP_TOPIC, index);
  if (error !== null) throw new KafkaError(error);
  return { isVerified: true, verification };
}
