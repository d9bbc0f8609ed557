import { findCoordinator } from '../../../src/protocol/messages/10-find-coordinator.ts';
import { initProducerId } from '../../../src/protocol/messages/22-init-producer-id.ts';
import { describeTransactions } from '../../../src/protocol/messages/65-describe-transactions.ts';
import { WireClient } from '../../conformance/wire-client.ts';
import { groupsAreServed } from '../differential/groups-are-served.ts';

const SERVED_WITHIN_MS = 30_000;
const TRANSACTIONAL_ID_NOT_FOUND = 105;

/** Waits until a broker coordinates transactions and groups: their topics are made, and their partitions loaded. */
export async function coordinates({ port }: { readonly port: number }): Promise<void> {
  await groupsAreServed(port);
  const client = await WireClient.open(port);
  try {
    const deadline = performance.now() + SERVED_WITHIN_MS;
    for (;;) {
      await client.ask(findCoordinator, 4, { keyType: 1, coordinatorKeys: ['nobody'] });
      const { transactionStates } = await client.ask(describeTransactions, 0, { transactionalIds: ['nobody'] });
      // A broker that has just started may have no producer ids to give out yet.
      const { errorCode } = await client.ask(initProducerId, 4, { transactionalId: null, transactionTimeoutMs: 1 });
      if (transactionStates[0]?.errorCode === TRANSACTIONAL_ID_NOT_FOUND && errorCode === 0) return;
      if (performance.now() > deadline) throw new Error(`transactions are not served: ${transactionStates[0]?.errorCode}`);
    }
  } finally {
    client.close();
  }
}
