import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ZERO_UUID } from '../../src/base/uuid.ts';
import { newMemberId } from '../../src/coordinator/group/classic/member-id.ts';
import { ID_LENGTH_MAX } from '../../src/coordinator/runtime/id-length.ts';
import { metadataRecord } from '../../src/metadata/metadata-record.ts';
import { errorNameOf } from '../../src/protocol/errors.ts';
import { offsetCommit } from '../../src/protocol/messages/08-offset-commit.ts';
import { joinGroup } from '../../src/protocol/messages/11-join-group.ts';
import { initProducerId } from '../../src/protocol/messages/22-init-producer-id.ts';
import { addOffsetsToTxn } from '../../src/protocol/messages/25-add-offsets-to-txn.ts';
import { deleteGroups } from '../../src/protocol/messages/42-delete-groups.ts';
import { consumerGroupHeartbeat } from '../../src/protocol/messages/68-consumer-group-heartbeat.ts';
import { SimulatedRandom } from '../../simulation/simulated-random.ts';
import { ask, startTransactingBroker } from './transacting.ts';

const LONG = 'x'.repeat(ID_LENGTH_MAX + 1);

test('Ids that are too long to be kept are refused, and the longest that are not are taken', async () => {
  const broker = await startTransactingBroker();
  broker.apply(metadataRecord('FeatureLevelRecord', 0, { name: 'group.version', featureLevel: 1 }));
  await broker.settle();
  const join = async (groupId: string, groupInstanceId: string | null = null) => {
    const protocols = [{ name: 'range', metadata: Buffer.alloc(0) }];
    const session = { sessionTimeoutMs: 10_000, rebalanceTimeoutMs: 10_000 };
    const request = { groupId, ...session, memberId: '', groupInstanceId, protocolType: 'consumer', protocols };
    return errorNameOf((await ask(broker, joinGroup, 9, request)).errorCode);
  };
  assert.equal(await join(LONG.slice(1)), 'MEMBER_ID_REQUIRED');
  assert.equal(await join(LONG), 'INVALID_GROUP_ID');
  assert.equal(await join('g', LONG), 'INVALID_REQUEST');
  const heartbeat = async (ids: { readonly groupId?: string; readonly memberId?: string; readonly instanceId?: string }) => {
    const request = { groupId: 'h', memberId: 'm', memberEpoch: 0, rebalanceTimeoutMs: 10_000, topicPartitions: [] };
    const answer = await ask(broker, consumerGroupHeartbeat, 1, { ...request, subscribedTopicNames: ['a'], ...ids });
    return errorNameOf(answer.errorCode);
  };
  assert.equal(await heartbeat({ groupId: LONG }), 'INVALID_GROUP_ID');
  assert.equal(await heartbeat({ memberId: LONG }), 'INVALID_REQUEST');
  assert.equal(await heartbeat({ instanceId: LONG }), 'INVALID_REQUEST');
  const init = async (transactionalId: string) => ask(broker, initProducerId, 5, { transactionalId, transactionTimeoutMs: 1000 });
  assert.equal(errorNameOf((await init(LONG)).errorCode), 'INVALID_REQUEST');
  const { errorCode, ...producer } = await init(LONG.slice(1));
  assert.equal(errorNameOf(errorCode), 'NONE');
  const offsets = await ask(broker, addOffsetsToTxn, 4, { ...producer, transactionalId: LONG.slice(1), groupId: LONG });
  assert.equal(errorNameOf(offsets.errorCode), 'INVALID_GROUP_ID');
  const partitions = [{ partitionIndex: 0, committedOffset: 1, committedMetadata: '' }];
  const topics = [{ name: 'a', topicId: ZERO_UUID, partitions }];
  const committed = await ask(broker, offsetCommit, 9, { groupId: LONG, memberId: '', topics });
  assert.equal(errorNameOf(committed.topics[0]?.partitions[0]?.errorCode ?? -1), 'INVALID_GROUP_ID');
  const deleted = await ask(broker, deleteGroups, 2, { groupsNames: [LONG] });
  assert.equal(errorNameOf(deleted.results[0]?.errorCode ?? -1), 'INVALID_GROUP_ID');
});

test('The id of a member whose client has a very long name is not as long', () => {
  const id = newMemberId(new SimulatedRandom(1), 'c'.repeat(32_767));
  assert.equal(id.length, ID_LENGTH_MAX);
  assert.match(id, /^c+-[0-9a-f]{8}-[0-9a-f-]{27}$/);
});
