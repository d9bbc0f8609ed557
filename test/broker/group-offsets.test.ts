import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findCoordinator } from '../../src/protocol/messages/10-find-coordinator.ts';
import { deleteGroups } from '../../src/protocol/messages/42-delete-groups.ts';
import { offsetCommit } from '../../src/protocol/messages/08-offset-commit.ts';
import { offsetDelete } from '../../src/protocol/messages/47-offset-delete.ts';
import { offsetFetch } from '../../src/protocol/messages/09-offset-fetch.ts';
import { codeOf, KafkaError } from '../../src/protocol/errors.ts';
import type { RequestInput } from '../../src/protocol/schema.ts';
import { ZERO_UUID } from '../../src/base/uuid.ts';
import type { ControllerChannel } from '../../src/broker/forwarding.ts';
import type { RequestContext } from '../../src/broker/request-context.ts';
import { TestBroker, type TestBrokerOptions } from './test-broker.ts';

/** A broker whose group coordinator serves. */
const startBroker = async (options: TestBrokerOptions = {}): Promise<TestBroker> => {
  const broker = await TestBroker.start(options);
  broker.createTopic('__consumer_offsets', { partitions: 2 });
  broker.createTopic('orders', { partitions: 3 });
  await broker.settle();
  return broker;
};

const commitOf = (
  groupId: string,
  offsets: readonly (readonly [string, number, number])[],
): RequestInput<typeof offsetCommit> => ({
  groupId,
  memberId: '',
  topics: Map.groupBy(offsets, ([topic]) => topic)
    .entries()
    .map(([name, all]) => ({
      name,
      topicId: ZERO_UUID,
      partitions: all.map(([, partitionIndex, committedOffset]) => ({ partitionIndex, committedOffset, committedMetadata: 'm' })),
    }))
    .toArray(),
});

const fetchAll = async (broker: TestBroker, groupId: string) => {
  const answer = broker.call(offsetFetch, 8, { groups: [{ groupId, topics: null }] });
  await broker.settle();
  const [group] = (await answer).groups;
  return { errorCode: group?.errorCode, topics: group?.topics };
};

const commit = async (broker: TestBroker, ...[groupId, offsets]: Parameters<typeof commitOf>) => {
  const answer = broker.call(offsetCommit, 9, commitOf(groupId, offsets));
  await broker.settle();
  return (await answer).topics;
};

describe('Offsets of groups', () => {
  test('come back as they were committed, with −1 for partitions without one', async () => {
    const broker = await startBroker();
    assert.deepEqual(await commit(broker, 'g', [['orders', 1, 7]]), [
      { name: 'orders', topicId: ZERO_UUID, partitions: [{ partitionIndex: 1, errorCode: 0 }] },
    ]);
    const { topics } = await broker.call(offsetFetch, 5, {
      groupId: 'g',
      topics: [{ name: 'orders', partitionIndexes: [0, 1] }],
      groups: [],
    });
    assert.deepEqual(topics[0]?.partitions, [
      { partitionIndex: 0, committedOffset: -1, committedLeaderEpoch: -1, metadata: '', errorCode: 0 },
      { partitionIndex: 1, committedOffset: 7, committedLeaderEpoch: -1, metadata: 'm', errorCode: 0 },
    ]);
  });

  test('are refused for topics and partitions that do not exist, and kept for the others', async () => {
    const broker = await startBroker();
    const topics = await commit(broker, 'g', [
      ['orders', 9, 1],
      ['orders', 2, 1],
      ['nowhere', 0, 1],
    ]);
    const unknown = codeOf('UNKNOWN_TOPIC_OR_PARTITION');
    assert.deepEqual(
      topics.map(({ name, partitions }) => [name, partitions]),
      [
        [
          'orders',
          [
            { partitionIndex: 9, errorCode: unknown },
            { partitionIndex: 2, errorCode: 0 },
          ],
        ],
        ['nowhere', [{ partitionIndex: 0, errorCode: unknown }]],
      ],
    );
  });

  test('expire when their group has been without members for as long as offsets are retained', async () => {
    const broker = await startBroker({
      properties: { 'offsets.retention.minutes': '10', 'offsets.retention.check.interval.ms': '60000' },
    });
    await commit(broker, 'g', [['orders', 1, 7]]);
    await broker.advance(9 * 60_000);
    assert.equal((await fetchAll(broker, 'g')).topics?.length, 1);
    await broker.advance(2 * 60_000);
    assert.equal((await fetchAll(broker, 'g')).topics?.length, 0);
  });

  test('go with their topic', async () => {
    const broker = await startBroker();
    await commit(broker, 'g', [['orders', 1, 7]]);
    broker.deleteTopic('orders');
    await broker.settle();
    broker.createTopic('orders', { partitions: 3, topicId: 'b3RoZXItb3JkZXJzLWlkZQ' });
    await broker.settle();
    assert.deepEqual((await fetchAll(broker, 'g')).topics, []);
  });

  test('can be deleted one by one, and with their group', async () => {
    const broker = await startBroker();
    await commit(broker, 'g', [
      ['orders', 0, 1],
      ['orders', 1, 2],
    ]);
    const deleted = broker.call(offsetDelete, 0, {
      groupId: 'g',
      topics: [{ name: 'orders', partitions: [{ partitionIndex: 0 }] }],
    });
    await broker.settle();
    assert.deepEqual((await deleted).topics, [{ name: 'orders', partitions: [{ partitionIndex: 0, errorCode: 0 }] }]);
    assert.deepEqual(
      (await fetchAll(broker, 'g')).topics?.[0]?.partitions.map(({ partitionIndex }) => partitionIndex),
      [1],
    );
    const gone = broker.call(deleteGroups, 2, { groupsNames: ['g', 'nobody'] });
    await broker.settle();
    assert.deepEqual(
      new Map((await gone).results.map(({ groupId, errorCode }) => [groupId, errorCode])),
      new Map([
        ['g', 0],
        ['nobody', codeOf('GROUP_ID_NOT_FOUND')],
      ]),
    );
    assert.deepEqual((await fetchAll(broker, 'g')).topics, []);
  });
});

test('The topic of the groups is made when somebody looks for a coordinator, and its leader is the coordinator', async () => {
  const broker = await TestBroker.start();
  const find = () => broker.call(findCoordinator, 4, { keyType: 0, coordinatorKeys: ['g'] });
  assert.equal((await find()).coordinators[0]?.errorCode, codeOf('COORDINATOR_NOT_AVAILABLE'));
  await broker.settle();
  const { coordinators } = await find();
  assert.deepEqual(coordinators, [{ key: 'g', nodeId: 1, host: 'localhost', port: 9001, errorCode: 0, errorMessage: '' }]);
});

test('The topic of the groups is made by the broker itself, so that whoever asks needs no right to create it', async () => {
  const asked: (RequestContext | undefined)[] = [];
  const controller: ControllerChannel = {
    send: (api, _request, { onBehalfOf }) => {
      asked.push(onBehalfOf);
      return Promise.reject(new KafkaError('NOT_CONTROLLER', api.name));
    },
  };
  const broker = await TestBroker.start({ services: { controller } });
  await broker.call(findCoordinator, 4, { keyType: 0, coordinatorKeys: ['g', 'h'] });
  await broker.settle();
  assert.deepEqual(asked, [undefined]);
});
