import { findCoordinator } from '../../../src/protocol/messages/10-find-coordinator.ts';
import { offsetFetch } from '../../../src/protocol/messages/09-offset-fetch.ts';
import { WireClient } from '../../conformance/wire-client.ts';

const WITHIN_MS = 30_000;
/** So many that there is one in each partition of the groups' topic. */
const groupIds = Array.from({ length: 500 }, (_, index) => `is-served-${index}`);

/** Waits until a broker serves all groups: after their topic was made, or their partitions are loaded. */
export async function groupsAreServed(port: number): Promise<void> {
  const client = await WireClient.open(port);
  try {
    const deadline = performance.now() + WITHIN_MS;
    for (;;) {
      await client.ask(findCoordinator, 4, { keyType: 0, coordinatorKeys: ['is-served'] });
      const { groups } = await client.ask(offsetFetch, 8, { groups: groupIds.map((groupId) => ({ groupId, topics: [] })) });
      const wrong = groups.find(({ errorCode }) => errorCode !== 0);
      if (wrong === undefined) return;
      if (performance.now() > deadline) throw new Error(`group ${wrong.groupId} is not served: ${wrong.errorCode}`);
    }
  } finally {
    client.close();
  }
}
