import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeTransactions } from '../../src/protocol/messages/65-describe-transactions.ts';
import { ask, startTransactingBroker, Transactor } from './transacting.ts';

const COUNT = 450;

test('Hundreds of transactions that took too long are aborted in turns, and all of them', async () => {
  const broker = await startTransactingBroker();
  const ids = Array.from({ length: COUNT }, (_, index) => `t${index}`);
  for (const id of ids) {
    const producer = new Transactor(broker, id, 'old');
    assert.equal(await producer.init({ timeoutMs: 1000 }), 'NONE');
    assert.equal(await producer.add('a', 0), 'NONE');
  }
  const counts = async (): Promise<Record<string, number>> => {
    const { transactionStates } = await ask(broker, describeTransactions, 0, { transactionalIds: ids });
    const byState = Map.groupBy(transactionStates, ({ transactionState }) => transactionState);
    return Object.fromEntries(Array.from(byState, ([state, those]) => [state, those.length]));
  };
  assert.deepEqual(await counts(), { Ongoing: COUNT });
  await broker.advance(9000);
  let seen = await counts();
  for (let ms = 0; seen['Ongoing'] === COUNT && ms < 2000; ms += 5) {
    await broker.advance(5);
    seen = await counts();
  }
  const left = seen['Ongoing'] ?? 0;
  assert.ok(left > 0 && left < COUNT, `${left} are left after the first turn`);
  await broker.advance(1000);
  assert.deepEqual(await counts(), { CompleteAbort: COUNT });
});
