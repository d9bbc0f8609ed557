import type { TransactionMetadata } from '../../coordinator/transaction/transaction-metadata.ts';
import { compileTopicPattern } from '../../coordinator/group/regex/topic-pattern.ts';
import { stateOfName } from '../../coordinator/transaction/transaction-state.ts';
import { listTransactions } from '../../protocol/messages/66-list-transactions.ts';
import type { RequestOf } from '../../protocol/schema.ts';
import type { BrokerServices } from '../broker-services.ts';
import { defineHandler, type Handler } from '../handler.ts';

type Request = RequestOf<typeof listTransactions>;

/** ListTransactions v0-2 (KIP-664): the transactional ids whose coordinator this broker is. v1 filters by how long a transaction runs (KIP-994), v2 by a pattern (KIP-1152). */
export const listTransactionsHandler = ({ authorizer, environment, transactionCoordinator }: BrokerServices): Handler =>
  defineHandler<typeof listTransactions>({
    api: listTransactions,
    handle: (request, context) => {
      const matches = filterOf(request, environment.clock.now());
      const listed = transactionCoordinator.list().filter(matches);
      return {
        unknownStateFilters: request.stateFilters.filter((name) => stateOfName(name) === undefined),
        transactionStates: listed
          .filter(({ transactionalId }) => authorizer.isAllowed(context, 'DESCRIBE', 'TRANSACTIONAL_ID', transactionalId))
          .map(({ transactionalId, producerId, state }) => ({ transactionalId, producerId, transactionState: state })),
      };
    },
    failed: (_request, { code: errorCode }) => ({ errorCode, unknownStateFilters: [], transactionStates: [] }),
  });

const filterOf = (request: Request, now: number): ((transaction: TransactionMetadata) => boolean) => {
  const states = new Set(request.stateFilters);
  const producerIds = new Set(request.producerIdFilters);
  const { durationFilter, transactionalIdPattern } = request;
  const pattern = transactionalIdPattern ? compileTopicPattern(transactionalIdPattern, 'Transaction ID pattern') : null;
  return ({ state, producerId, startedAt, transactionalId }) =>
    (states.size === 0 || states.has(state)) &&
    (producerIds.size === 0 || producerIds.has(producerId)) &&
    (durationFilter < 0 || now - startedAt > durationFilter) &&
    (pattern === null || pattern.matches(transactionalId));
};
