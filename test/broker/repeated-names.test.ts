import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ZERO_UUID } from '../../src/base/uuid.ts';
import { inOrderOfNames, REPEATED_PARTS_MAX } from '../../src/broker/repeated-names.ts';
import { metadataRecord } from '../../src/metadata/metadata-record.ts';
import { codeOf, KafkaError } from '../../src/protocol/errors.ts';
import { offsetCommit } from '../../src/protocol/messages/08-offset-commit.ts';
import { offsetFetch } from '../../src/protocol/messages/09-offset-fetch.ts';
import { describeTransactions } from '../../src/protocol/messages/65-describe-transactions.ts';
import { consumerGroupDescribe } from '../../src/protocol/messages/69-consumer-group-describe.ts';
import { TestBroker } from './test-broker.ts';

const isRefused = (error: unknown): boolean => error instanceof KafkaError && error.errorName === 'INVALID_REQUEST';

test('What is named again is told again, as long as it is little altogether', () => {
  const told = new Map([
    ['small', 1],
    ['large', REPEATED_PARTS_MAX],
  ]);
  assert.deepEqual(
    inOrderOfNames(['large', 'nobody', 'small', 'large'], told, (parts) => parts),
    [REPEATED_PARTS_MAX, 1, REPEATED_PARTS_MAX],
  );
  assert.throws(() => inOrderOfNames(['large', 'large', 'small', 'small'], told, (parts) => parts), isRefused);
});

const PARTITIONS = 200;

async function startBroker(): Promise<TestBroker> {
  const broker = await TestBroker.start();
  for (const [name, partitions] of [
    ['__consumer_offsets', 1],
    ['__transaction_state', 1],
    ['orders', PARTITIONS],
  ] as const)
    broker.createTopic(name, { partitions });
  broker.apply(metadataRecord('FeatureLevelRecord', 0, { name: 'group.version', featureLevel: 1 }));
  await broker.settle();
  return broker;
}

test('All offsets of a group are told twice to whoever names it twice, and not a thousand times', async () => {
  const broker = await startBroker();
  const partitions = Array.from({ length: PARTITIONS }, (_, partitionIndex) => ({
    partitionIndex,
    committedOffset: 7,
    committedMetadata: '',
  }));
  const committed = broker.call(offsetCommit, 9, {
    groupId: 'g',
    memberId: '',
    topics: [{ name: 'orders', topicId: ZERO_UUID, partitions }],
  });
  await broker.settle();
  await committed;
  const fetch = async (times: number) => {
    const groups = Array.from({ length: times }, () => ({ groupId: 'g', topics: null }));
    const fetched = broker.call(offsetFetch, 9, { groups });
    await broker.settle();
    return (await fetched).groups.map(({ errorCode, topics }) => [errorCode, topics[0]?.partitions.length ?? 0]);
  };
  assert.deepEqual(await fetch(2), [
    [0, PARTITIONS],
    [0, PARTITIONS],
  ]);
  assert.deepEqual(new Set((await fetch(1000)).map(String)), new Set([`${codeOf('INVALID_REQUEST')},0`]));
});

test('Groups and transactions that are named more often than can be told are refused', async () => {
  const broker = await startBroker();
  const names = Array.from({ length: REPEATED_PARTS_MAX + 2 }, () => 'nobody');
  const { groups } = await broker.call(consumerGroupDescribe, 1, { groupIds: names, includeAuthorizedOperations: false });
  assert.deepEqual(new Set(groups.map(({ errorCode }) => errorCode)), new Set([codeOf('INVALID_REQUEST')]));
  const { transactionStates } = await broker.call(describeTransactions, 0, { transactionalIds: names });
  assert.deepEqual(new Set(transactionStates.map(({ errorCode }) => errorCode)), new Set([codeOf('INVALID_REQUEST')]));
});
