import { mapInTurns, whenThere } from '../../base/turns.ts';
import type { TransactionMetadata } from '../../coordinator/transaction/transaction-metadata.ts';
import { codeOf, KafkaError } from '../../protocol/errors.ts';
import { describeTransactions } from '../../protocol/messages/65-describe-transactions.ts';
import type { ResponseInput } from '../../protocol/schema.ts';
import type { BrokerServices } from '../broker-services.ts';
import { defineHandler, type Handler } from '../handler.ts';
import { inOrderOfNames } from '../repeated-names.ts';
import type { RequestContext } from '../request-context.ts';

type TransactionState = ResponseInput<typeof describeTransactions>['transactionStates'][number];

const nothing = {
  transactionState: '',
  transactionTimeoutMs: 0,
  transactionStartTimeMs: 0,
  producerId: 0,
  producerEpoch: 0,
  topics: [],
} as const;

/** DescribeTransactions v0 (KIP-664): of each transactional id what its coordinator knows. */
export const describeTransactionsHandler = (services: BrokerServices): Handler => {
  const stateOf = (transactionalId: string, context: RequestContext): TransactionState => {
    const { authorizer, transactionCoordinator } = services;
    if (!authorizer.isAllowed(context, 'DESCRIBE', 'TRANSACTIONAL_ID', transactionalId))
      return { ...nothing, transactionalId, errorCode: codeOf('TRANSACTIONAL_ID_AUTHORIZATION_FAILED') };
    try {
      const transaction = transactionCoordinator.describe(transactionalId);
      return described(transaction, (topic) => authorizer.isAllowed(context, 'DESCRIBE', 'TOPIC', topic));
    } catch (error) {
      if (!(error instanceof KafkaError)) throw error;
      return { ...nothing, transactionalId, errorCode: error.code };
    }
  };
  return defineHandler<typeof describeTransactions>({
    api: describeTransactions,
    handle: ({ transactionalIds }, context) => {
      // Each has as many partitions as it likes: looked at once, however often it is named.
      const states = mapInTurns(services.environment.clock, [...new Set(transactionalIds)], (id) => stateOf(id, context));
      return whenThere(states, (all) => {
        const byId = new Map(all.map((state) => [state.transactionalId, state]));
        return { transactionStates: inOrderOfNames(transactionalIds, byId, partsOf) };
      });
    },
    failed: ({ transactionalIds }, { code: errorCode }) => ({
      transactionStates: transactionalIds.map((transactionalId) => ({ ...nothing, transactionalId, errorCode })),
    }),
  });
};

const partsOf = ({ topics }: TransactionState): number =>
  topics.reduce((sum, { partitions }) => sum + partitions.length, 1 + topics.length);

const described = (transaction: TransactionMetadata, isVisible: (topic: string) => boolean): TransactionState => ({
  transactionalId: transaction.transactionalId,
  transactionState: transaction.state,
  transactionTimeoutMs: transaction.timeoutMs,
  transactionStartTimeMs: transaction.startedAt,
  producerId: transaction.producerId,
  producerEpoch: transaction.producerEpoch,
  topics: [...transaction.partitions]
    .filter(([topic]) => isVisible(topic))
    .map(([topic, partitions]) => ({ topic, partitions: [...partitions] })),
});
