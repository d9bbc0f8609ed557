import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BrokerServices } from '../../src/broker/broker-services.ts';
import { heartbeat } from '../../src/protocol/messages/12-heartbeat.ts';
import { joinGroup } from '../../src/protocol/messages/11-join-group.ts';
import { leaveGroup } from '../../src/protocol/messages/13-leave-group.ts';
import { syncGroup } from '../../src/protocol/messages/14-sync-group.ts';
import { describeGroups } from '../../src/protocol/messages/15-describe-groups.ts';
import { listGroups } from '../../src/protocol/messages/16-list-groups.ts';
import { codeOf, KafkaError } from '../../src/protocol/errors.ts';
import type { Api, RequestInput, ResponseOf } from '../../src/protocol/schema.ts';
import type { Authorizer } from '../../src/security/authorizer.ts';
import { TestBroker } from './test-broker.ts';

const startBroker = async (services: Partial<BrokerServices> = {}): Promise<TestBroker> => {
  const broker = await TestBroker.start({ services, properties: { 'group.initial.rebalance.delay.ms': '0' } });
  broker.createTopic('__consumer_offsets', { partitions: 2 });
  await broker.settle();
  return broker;
};

const ask = async <A extends Api>(
  broker: TestBroker,
  api: A,
  version: number,
  request: RequestInput<A>,
): Promise<ResponseOf<A>> => {
  const answer = broker.call(api, version, request, { clientId: 'app' });
  await broker.settle();
  return answer;
};

const join = {
  groupId: 'readers',
  sessionTimeoutMs: 10_000,
  memberId: '',
  protocolType: 'consumer',
  protocols: [{ name: 'range', metadata: Buffer.from('topics') }],
};

/** A group of one member, by the oldest versions. */
const stableGroup = async (broker: TestBroker): Promise<string> => {
  const { memberId, generationId, errorCode } = await ask(broker, joinGroup, 0, join);
  assert.equal(errorCode, 0);
  const assignments = [{ memberId, assignment: Buffer.from('all') }];
  const synced = await ask(broker, syncGroup, 0, { groupId: 'readers', generationId, memberId, assignments });
  assert.equal(synced.assignment.toString(), 'all');
  return memberId;
};

test('A member joins, is heard of, is described and leaves by the oldest versions', async () => {
  const broker = await startBroker();
  const memberId = await stableGroup(broker);
  assert.deepEqual((await ask(broker, heartbeat, 0, { groupId: 'readers', generationId: 1, memberId })).errorCode, 0);
  const { groups } = await ask(broker, describeGroups, 0, { groups: ['readers'], includeAuthorizedOperations: false });
  assert.deepEqual([groups[0]?.groupState, groups[0]?.members[0]?.clientHost], ['Stable', '/127.0.0.1']);
  const listed = await ask(broker, listGroups, 0, { statesFilter: [], typesFilter: [] });
  assert.deepEqual(
    listed.groups.map(({ groupId, protocolType }) => [groupId, protocolType]),
    [['readers', 'consumer']],
  );
  assert.equal((await ask(broker, leaveGroup, 0, { groupId: 'readers', memberId, members: [] })).errorCode, 0);
  assert.equal(
    (await ask(broker, leaveGroup, 2, { groupId: 'readers', memberId, members: [] })).errorCode,
    codeOf('UNKNOWN_MEMBER_ID'),
  );
  assert.equal((await ask(broker, leaveGroup, 0, { groupId: '', memberId, members: [] })).errorCode, codeOf('INVALID_GROUP_ID'));
});

test('A group that is named twice is looked at once and described twice, and a stranger between', async () => {
  const looks: string[] = [];
  const authorizer: Authorizer = {
    isAllowed: (_subject, operation, _type, name) => {
      if (operation === 'DESCRIBE') looks.push(name);
      return true;
    },
  };
  const broker = await startBroker({ authorizer });
  await stableGroup(broker);
  const { groups } = await ask(broker, describeGroups, 6, {
    groups: ['readers', 'nobody', 'readers'],
    includeAuthorizedOperations: false,
  });
  assert.deepEqual(
    groups.map(({ groupId, groupState, errorCode }) => [groupId, groupState, errorCode]),
    [
      ['readers', 'Stable', 0],
      ['nobody', 'Dead', codeOf('GROUP_ID_NOT_FOUND')],
      ['readers', 'Stable', 0],
    ],
  );
  assert.deepEqual(looks, ['readers', 'nobody']);
});

test('A protocol that there is none of is null since version 7, and was empty before', async () => {
  const broker = await startBroker();
  const refused = { ...join, groupId: '' };
  assert.equal((await ask(broker, joinGroup, 6, refused)).protocolName, '');
  assert.equal((await ask(broker, joinGroup, 7, refused)).protocolName, null);
});

test('What a handler answers when it fails has the form of its version', async () => {
  const broker = await startBroker();
  const error = new KafkaError('UNKNOWN_SERVER_ERROR');
  const failed = (api: Api, version: number, request: object): unknown =>
    broker.handlers
      .find((handler) => handler.api.key === api.key)
      ?.failed(request as never, error, { apiVersion: version } as never);
  assert.deepEqual(failed(joinGroup, 7, join), { errorCode: -1, protocolName: null, leader: '', memberId: '', members: [] });
  assert.deepEqual(failed(joinGroup, 6, join), { errorCode: -1, protocolName: '', leader: '', memberId: '', members: [] });
  assert.deepEqual(failed(heartbeat, 0, {}), { errorCode: -1 });
  assert.deepEqual(failed(leaveGroup, 0, {}), { errorCode: -1, members: [] });
  assert.deepEqual(failed(listGroups, 0, {}), { errorCode: -1, groups: [] });
  assert.deepEqual(failed(syncGroup, 0, {}), { errorCode: -1, assignment: Buffer.alloc(0) });
  assert.deepEqual(failed(describeGroups, 0, { groups: ['a'] }), {
    groups: [{ groupId: 'a', groupState: '', protocolType: '', protocolData: '', members: [], errorCode: -1 }],
  });
});
