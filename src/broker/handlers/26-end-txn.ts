import { KafkaError } from '../../protocol/errors.ts';
import { endTxn } from '../../protocol/messages/26-end-txn.ts';
import type { BrokerServices } from '../broker-services.ts';
import { defineHandler, type Handler } from '../handler.ts';
import { fencedCode } from './transaction-answers.ts';

/** PRODUCER_FENCED is known from here on (KIP-588). */
const FENCED_VERSION = 2;
/** The client goes on with another epoch after each transaction from here on (KIP-890). */
const RAISED_EPOCH_VERSION = 5;
const NONE = -1;

/** EndTxn v0-5. v2 knows PRODUCER_FENCED (KIP-588), v4 TRANSACTION_ABORTABLE, v5 tells the id and epoch to go on with (KIP-890). */
export const endTxnHandler = ({ authorizer, transactionCoordinator }: BrokerServices): Handler =>
  defineHandler<typeof endTxn>({
    api: endTxn,
    handle: ({ transactionalId, producerId, producerEpoch, committed }, context) => {
      if (!authorizer.isAllowed(context, 'WRITE', 'TRANSACTIONAL_ID', transactionalId))
        throw new KafkaError('TRANSACTIONAL_ID_AUTHORIZATION_FAILED');
      const version = context.apiVersion >= RAISED_EPOCH_VERSION ? 2 : 0;
      const outcome = committed ? 'commit' : 'abort';
      return transactionCoordinator.endTransaction(transactionalId, { producerId, producerEpoch, outcome, version });
    },
    failed: (_request, error, { apiVersion }) => ({
      errorCode: fencedCode(error, apiVersion >= FENCED_VERSION),
      producerId: NONE,
      producerEpoch: NONE,
    }),
  });
