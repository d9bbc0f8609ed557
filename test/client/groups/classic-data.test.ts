import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '../../../src/base/logger.ts';
import {
  decodeAssignment,
  decodeSubscription,
  encodeAssignment,
  encodeSubscription,
} from '../../../src/client/groups/classic-data.ts';
import { ClassicLeader } from '../../../src/client/groups/classic-leader.ts';
import { SubscribedTopics } from '../../../src/client/groups/subscribed-topics.ts';
import { encode, ProtocolError } from '../../../src/protocol/codec.ts';
import { consumerProtocolSubscription } from '../../../src/protocol/data/consumer-protocol-subscription.ts';
import { FakeCluster } from '../fake-cluster.ts';

const places = [
  { topic: 'a', partition: 1 },
  { topic: 'b', partition: 0 },
  { topic: 'b', partition: 2 },
];
const facts = { topics: ['b', 'a'], owned: places, generation: 7, rackId: 'r' };

const versioned = (version: number, message: Buffer): Buffer => {
  const bytes = Buffer.alloc(2 + message.length);
  bytes.writeInt16BE(version);
  message.copy(bytes, 2);
  return bytes;
};

test('subscriptions and assignments come back as they were', () => {
  const member = decodeSubscription('m', null, encodeSubscription(facts));
  assert.deepEqual(member, { memberId: 'm', instanceId: null, topics: ['a', 'b'], owned: places, generation: 7 });
  assert.deepEqual(decodeAssignment(encodeAssignment(places)), places);
  assert.deepEqual(decodeAssignment(Buffer.alloc(0)), []);
});

test('a subscription has its version in front, and the generation a second time where old clients look for it', () => {
  assert.equal(
    encodeSubscription({ topics: ['t'], owned: [{ topic: 't', partition: 3 }], generation: 5, rackId: '' }).toString('hex'),
    ['0003', '00000001', '000174', '00000004', '00000005', '00000001', '000174', '00000001', '00000003', '00000005', 'ffff'].join(
      '',
    ),
  );
});

test('old versions say less, and of newer ones what is known is read', () => {
  const oldest = versioned(0, encode(consumerProtocolSubscription, 0, { topics: ['t'], userData: null, ownedPartitions: [] }));
  assert.deepEqual(decodeSubscription('m', 'i', oldest), {
    memberId: 'm',
    instanceId: 'i',
    topics: ['t'],
    owned: [],
    generation: -1,
  });
  const known = encodeSubscription(facts).subarray(2);
  const newer = versioned(9, Buffer.concat([known, Buffer.from('more')]));
  assert.equal(decodeSubscription('m', null, newer).generation, 7);
});

test('what is cut or makes no sense is refused', () => {
  const whole = encodeSubscription(facts);
  for (let length = 0; length < whole.length; length++) {
    assert.throws(() => decodeSubscription('m', null, whole.subarray(0, length)), ProtocolError, `${length} bytes`);
  }
  assert.throws(() => decodeAssignment(Buffer.from([0xff, 0xff, 0, 0])), /version -1/);
  assert.throws(() => decodeAssignment(Buffer.from('000070000000', 'hex')), ProtocolError);
});

test('a member whose subscription cannot be read gets nothing, and the others get everything', async () => {
  const cluster = await FakeCluster.start();
  cluster.addTopic('a', 2);
  const topics = new SubscribedTopics(cluster.client(), { kind: 'names', topics: ['a'] });
  const join = (memberId: string, metadata: Buffer) => ({ memberId, groupInstanceId: null, metadata });
  const answer = {
    throttleTimeMs: 0,
    errorCode: 0,
    generationId: 1,
    protocolType: 'consumer',
    protocolName: 'range',
    leader: 'good',
    skipAssignment: false,
    memberId: 'good',
    members: [join('bad', Buffer.from('ffff00', 'hex')), join('good', encodeSubscription({ ...facts, topics: ['a'] }))],
  };
  const { assignments } = await cluster.resolve(new ClassicLeader(topics, silentLogger).assign(answer));
  const given = new Map(assignments.map(({ memberId, assignment }) => [memberId, decodeAssignment(assignment).length]));
  assert.deepEqual([given.get('bad'), given.get('good')], [0, 2]);
});
