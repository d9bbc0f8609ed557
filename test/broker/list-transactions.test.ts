import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeOf } from '../../src/protocol/errors.ts';
import { listTransactions } from '../../src/protocol/messages/66-list-transactions.ts';
import type { Authorizer } from '../../src/security/authorizer.ts';
import { ask, startTransactingBroker, Transactor } from './transacting.ts';

test('A list of transactions that takes too long is given up, and the next one is not', async () => {
  let isSlow = false;
  let spendMs = (_ms: number): void => undefined;
  const authorizer: Authorizer = {
    isAllowed: (_subject, operation) => {
      if (isSlow && operation === 'DESCRIBE') spendMs(3000);
      return true;
    },
  };
  const broker = await startTransactingBroker({ services: { authorizer } });
  const { clock } = broker.environment;
  const monotonic = clock.monotonic.bind(clock);
  let spentMs = 0;
  clock.monotonic = () => monotonic() + spentMs;
  spendMs = (ms) => void (spentMs += ms);
  for (const id of ['a', 'b', 'c']) assert.equal(await new Transactor(broker, id, 'new').init(), 'NONE');
  const list = () => ask(broker, listTransactions, 2, { stateFilters: [], producerIdFilters: [], transactionalIdPattern: '.*' });
  isSlow = true;
  const given = await list();
  assert.deepEqual([given.errorCode, given.transactionStates], [codeOf('INVALID_REQUEST'), []]);
  isSlow = false;
  assert.deepEqual(
    new Set((await list()).transactionStates.map(({ transactionalId }) => transactionalId)),
    new Set(['a', 'b', 'c']),
  );
});
