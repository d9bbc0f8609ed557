import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { ZERO_UUID } from '../../src/base/uuid.ts';
import { listOffsets } from '../../src/protocol/messages/02-list-offsets.ts';
import { offsetFetch } from '../../src/protocol/messages/09-offset-fetch.ts';
import { initProducerId } from '../../src/protocol/messages/22-init-producer-id.ts';
import { endTxn } from '../../src/protocol/messages/26-end-txn.ts';
import { describeTransactions } from '../../src/protocol/messages/65-describe-transactions.ts';
import { listTransactions } from '../../src/protocol/messages/66-list-transactions.ts';
import { coordinates } from '../peer/transactions/coordinates.ts';
import { startTestNode } from '../server/test-node.ts';
import { expectedOf, unpackFixture } from '../storage/disk-fixture.ts';
import { SteeredClock } from './steered-clock.ts';
import { WireClient } from './wire-client.ts';

interface ExpectedTransaction {
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly state: string;
  readonly timeoutMs: number;
  readonly partitions: readonly string[];
}

interface Opened {
  readonly client: WireClient;
  /** Time passes; nobody stays connected that long. */
  readonly pass: (ms: number) => Promise<WireClient>;
}

const expectedTransactions = (fixture: string): Readonly<Record<string, ExpectedTransaction>> =>
  (expectedOf(fixture).afterStart.client as unknown as { readonly transactions: Record<string, ExpectedTransaction> })
    .transactions;

/** A client of a node on a copy of a fixture, at the time when it was made, for as long as `use` takes. */
async function withNodeOn(context: TestContext, fixture: string, use: (opened: Opened) => Promise<void>): Promise<void> {
  const clock = new SteeredClock(1);
  await clock.pass(expectedOf(fixture).takenAtMs - clock.now());
  // Time passes faster than the node's controller can hear of its broker.
  const properties = { 'broker.session.timeout.ms': '3600000' };
  const node = await startTestNode({ directory: unpackFixture(context, fixture), properties, clock });
  await coordinates(node);
  let client = await WireClient.open(node.port);
  const pass = async (ms: number): Promise<WireClient> => {
    client.close();
    await clock.pass(ms);
    client = await WireClient.open(node.port);
    return client;
  };
  try {
    await use({ client, pass });
  } finally {
    client.close();
    await node.stop();
  }
}

async function transactionsOf(client: WireClient): Promise<Record<string, ExpectedTransaction>> {
  const { transactionStates: listed } = await client.ask(listTransactions, 0, { stateFilters: [], producerIdFilters: [] });
  const transactionalIds = listed.map(({ transactionalId }) => transactionalId);
  const { transactionStates } = await client.ask(describeTransactions, 0, { transactionalIds });
  return Object.fromEntries(
    transactionStates.map(({ transactionalId, producerId, producerEpoch, transactionState, transactionTimeoutMs, topics }) => {
      const partitions = topics.flatMap(({ topic, partitions: indexes }) => indexes.map((index) => `${topic}-${index}`)).sort();
      return [
        transactionalId,
        { producerId, producerEpoch, state: transactionState, timeoutMs: transactionTimeoutMs, partitions },
      ];
    }),
  );
}

async function stateOf(client: WireClient, transactionalId: string): Promise<string> {
  const { transactionStates } = await client.ask(describeTransactions, 0, { transactionalIds: [transactionalId] });
  return transactionStates[0]?.transactionState ?? '';
}

/** The last stable offset and the end of the partitions in which the open transaction wrote. */
async function offsetsOf(client: WireClient): Promise<readonly (readonly [stable: number, end: number])[]> {
  const places = [
    { name: 'txn-a', partitions: [{ partitionIndex: 0, timestamp: -1 }] },
    { name: 'txn-b', partitions: [{ partitionIndex: 1, timestamp: -1 }] },
  ];
  const ask = async (isolationLevel: number): Promise<number[]> => {
    const { topics } = await client.ask(listOffsets, 7, { replicaId: -1, isolationLevel, topics: places, timeoutMs: 0 });
    return topics.map(({ partitions }) => partitions[0]?.offset ?? -1);
  };
  const [stable, ends] = [await ask(1), await ask(0)];
  return ends.map((end, index) => [stable[index] ?? -1, end]);
}

async function committedOffset(client: WireClient): Promise<readonly (number | undefined)[]> {
  const topics = [{ name: 'txn-b', topicId: ZERO_UUID, partitionIndexes: [1] }];
  const { groups } = await client.ask(offsetFetch, 8, { groups: [{ groupId: 'txn-group-open', topics }], requireStable: true });
  const partition = groups[0]?.topics[0]?.partitions[0];
  return [partition?.errorCode, partition?.committedOffset];
}

for (const fixture of ['transactions', 'transactions-v0']) {
  describe(`a node on a directory of Apache Kafka 4.4.0 with transactions: ${fixture}`, () => {
    const expected = expectedTransactions(fixture);
    const open = expected['tx-open'];
    assert.ok(open !== undefined);

    test('knows them as Kafka does', async (context) => {
      await withNodeOn(context, fixture, async ({ client }) => {
        assert.deepEqual(await transactionsOf(client), expected);
      });
    });

    test('commits the one that is open', async (context) => {
      await withNodeOn(context, fixture, async ({ client }) => {
        for (const [stable, end] of await offsetsOf(client)) assert.ok(stable < end);
        const { producerId, producerEpoch } = open;
        const version = fixture === 'transactions' ? 5 : 4;
        const request = { transactionalId: 'tx-open', producerId, producerEpoch, committed: true };
        assert.equal((await client.ask(endTxn, version, request)).errorCode, 0);
        while ((await stateOf(client, 'tx-open')) !== 'CompleteCommit');
        for (const [stable, end] of await offsetsOf(client)) assert.equal(stable, end);
        const [errorCode, offset] = await committedOffset(client);
        assert.equal(errorCode, 0);
        assert.ok(Number(offset) >= 0);
      });
    });

    test('aborts it when its time is over, and has its producer begin anew', async (context) => {
      await withNodeOn(context, fixture, async ({ pass }) => {
        const client = await pass(open.timeoutMs + 20_000);
        while ((await stateOf(client, 'tx-open')) !== 'CompleteAbort');
        for (const [stable, end] of await offsetsOf(client)) assert.equal(stable, end);
        assert.deepEqual(await committedOffset(client), [0, -1]);
        const again = await client.ask(initProducerId, 4, { transactionalId: 'tx-open', transactionTimeoutMs: 1_000 });
        assert.deepEqual([again.errorCode, again.producerId, again.producerEpoch], [0, open.producerId, open.producerEpoch + 2]);
      });
    });
  });
}
