import { GROUP_TOPIC } from '../../coordinator/group/group-coordinator.ts';
import { KafkaError } from '../../protocol/errors.ts';
import { addOffsetsToTxn } from '../../protocol/messages/25-add-offsets-to-txn.ts';
import type { BrokerServices } from '../broker-services.ts';
import { defineHandler, type Handler } from '../handler.ts';
import { fencedCode } from './transaction-answers.ts';

/** PRODUCER_FENCED is known from here on (KIP-588). */
const FENCED_VERSION = 2;
/** Who sends this request adds partitions by hand. */
const TRANSACTION_VERSION = 0;

/** AddOffsetsToTxn v0-4: the partition that keeps a group's offsets takes part in the transaction. v2 knows PRODUCER_FENCED (KIP-588), v4 TRANSACTION_ABORTABLE. */
export const addOffsetsToTxnHandler = (services: BrokerServices): Handler => {
  const { authorizer, transactionCoordinator, groupCoordinator } = services;
  return defineHandler<typeof addOffsetsToTxn>({
    api: addOffsetsToTxn,
    handle: async ({ transactionalId, groupId, producerId, producerEpoch }, context) => {
      if (!authorizer.isAllowed(context, 'WRITE', 'TRANSACTIONAL_ID', transactionalId))
        throw new KafkaError('TRANSACTIONAL_ID_AUTHORIZATION_FAILED');
      if (!authorizer.isAllowed(context, 'READ', 'GROUP', groupId)) throw new KafkaError('GROUP_AUTHORIZATION_FAILED');
      const partitions = new Map([[GROUP_TOPIC, new Set([groupCoordinator.partitionOf(groupId)])]]);
      const producer = { producerId, producerEpoch };
      await transactionCoordinator.addPartitions(transactionalId, producer, { partitions, version: TRANSACTION_VERSION });
      return {};
    },
    failed: (_request, error, { apiVersion }) => ({ errorCode: fencedCode(error, apiVersion >= FENCED_VERSION) }),
  });
};
