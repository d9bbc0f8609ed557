import { mapInTurns, whenThere } from '../../base/turns.ts';
import type { TransactionMetadata } from '../../coordinator/transaction/transaction-metadata.ts';
import { compileTopicPattern } from '../../coordinator/group/regex/topic-pattern.ts';
import { stateOfName } from '../../coordinator/transaction/transaction-state.ts';
import { KafkaError } from '../../protocol/errors.ts';
import { listTransactions } from '../../protocol/messages/66-list-transactions.ts';
import type { RequestOf } from '../../protocol/schema.ts';
import type { BrokerServices } from '../broker-services.ts';
import { defineHandler, type Handler } from '../handler.ts';

type Request = RequestOf<typeof listTransactions>;

/** Computing that a list may cost. A hundred thousand ids take an ordinary pattern 0.1 s, and the worst twenty minutes. */
const SEARCH_MAX_MS = 5000;

/** ListTransactions v0-2 (KIP-664): the transactional ids whose coordinator this broker is. v1 filters by how long a transaction runs (KIP-994), v2 by a pattern (KIP-1152). */
export const listTransactionsHandler = ({ authorizer, environment, transactionCoordinator }: BrokerServices): Handler =>
  defineHandler<typeof listTransactions>({
    api: listTransactions,
    handle: (request, context) => {
      const { clock } = environment;
      const matches = filterOf(request, clock.now());
      let spentMs = 0;
      const listed = mapInTurns(clock, transactionCoordinator.list(), (transaction) => {
        if (spentMs > SEARCH_MAX_MS) throw new KafkaError('INVALID_REQUEST', 'The search takes too long.');
        const start = clock.monotonic();
        const { transactionalId, producerId, state } = transaction;
        const isTold = matches(transaction) && authorizer.isAllowed(context, 'DESCRIBE', 'TRANSACTIONAL_ID', transactionalId);
        spentMs += clock.monotonic() - start;
        return isTold ? [{ transactionalId, producerId, transactionState: state }] : [];
      });
      const unknownStateFilters = request.stateFilters.filter((name) => stateOfName(name) === undefined);
      return whenThere(listed, (all) => ({ unknownStateFilters, transactionStates: all.flat() }));
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
