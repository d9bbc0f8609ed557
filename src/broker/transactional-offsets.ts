import { GROUP_TOPIC } from '../coordinator/group/group-coordinator.ts';
import { KafkaError } from '../protocol/errors.ts';
import { NO_SEQUENCE } from '../protocol/records/batch-layout.ts';
import type { TransactionalAppend } from '../storage/producer-state-manager.ts';
import type { BrokerServices } from './broker-services.ts';
import type { VerificationKind } from './transaction-verifier.ts';

/** The broker adds the group's partition by itself from this version of TxnOffsetCommit on. */
const ADDING_VERSION = 5;
const TRIES_MAX = 4;
/** TRANSACTION_ABORTABLE is known from here on. */
const ABORTABLE_VERSION = 4;

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
  const kind = kindOf(apiVersion);
  const replica = replicaManager.replicaOf(GROUP_TOPIC, index);
  if (replica?.isLeader !== true) throw new KafkaError('NOT_COORDINATOR');
  const start = { producerId, producerEpoch, baseSequence: NO_SEQUENCE, startsAtZero: kind === 'add' };
  const { producers } = replica.leaderLog;
  const partitions = new Map([[GROUP_TOPIC, [index]]]);
  for (let tries = 1; ; tries++) {
    const verification = producers.startVerification(start) ?? undefined;
    if (verification === undefined) return { isVerified: true };
    const fault = await transactionVerifier.verify({ transactionalId, producerId, producerEpoch, kind, partitions });
    const error = fault(GROUP_TOPIC, index);
    if (error !== null) throw new KafkaError(error);
    // The marker of the producer's last transaction may have withdrawn the permission meanwhile.
    const isCurrent = producers.verifications.isCurrent(producerId, verification);
    if (isCurrent || kind !== 'add' || tries === TRIES_MAX) return { isVerified: true, verification };
  }
}

const kindOf = (apiVersion: number): VerificationKind => {
  if (apiVersion >= ADDING_VERSION) return 'add';
  return apiVersion >= ABORTABLE_VERSION ? 'verify' : 'verify-for-old-client';
};
