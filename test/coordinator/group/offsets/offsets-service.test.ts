import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TimerQueue } from '../../../../src/base/timer-queue.ts';
import { ConfigStore } from '../../../../src/config/config-store.ts';
import { GroupCoordinator } from '../../../../src/coordinator/group/group-coordinator.ts';
import { GroupAdmin } from '../../../../src/coordinator/group/offsets/group-admin.ts';
import { OffsetsService } from '../../../../src/coordinator/group/offsets/offsets-service.ts';
import { EMPTY_METADATA_IMAGE } from '../../../../src/metadata/metadata-image.ts';
import { type ErrorName, KafkaError } from '../../../../src/protocol/errors.ts';
import { simulatedEnvironment } from '../../../../simulation/simulated-environment.ts';
import { MemoryLog } from '../../runtime/counters.ts';
import { commitRequest } from './offsets-shard.ts';

const WRITE_TIMEOUT_MS = 5000;

const refused = (errorName: ErrorName) => (error: unknown) => error instanceof KafkaError && error.errorName === errorName;

async function startService() {
  const environment = simulatedEnvironment();
  const log = new MemoryLog();
  const fromFile = new Map([
    ['node.id', '1'],
    ['offsets.topic.num.partitions', '1'],
  ]);
  const coordinator = new GroupCoordinator(environment, {
    timers: new TimerQueue(environment.clock),
    configs: new ConfigStore({ nodeId: 1, fromFile }),
    metadata: () => EMPTY_METADATA_IMAGE,
    writer: log,
    loader: log,
  });
  const service = new OffsetsService(coordinator);
  const fetch = (requireStable: boolean) =>
    service.fetch({ groupId: 'g', memberId: null, memberEpoch: -1, topics: null }, requireStable);
  return { environment, log, coordinator, service, fetch };
}

describe('The offsets of a group', () => {
  it('are told by the broker that serves it, when it has read them', async () => {
    const { coordinator, service, fetch } = await startService();
    await assert.rejects(service.commit(commitRequest({ 'a-0': 1 }), 9), refused('NOT_COORDINATOR'));
    await assert.rejects(fetch(false), refused('NOT_COORDINATOR'));
    const loading = coordinator.becomeLeader(0, 1);
    await assert.rejects(fetch(true), refused('COORDINATOR_LOAD_IN_PROGRESS'));
    await loading;
    assert.deepEqual(await fetch(false), []);
    coordinator.resign(0);
    await assert.rejects(fetch(false), refused('NOT_COORDINATOR'));
  });

  it('are seen when they are committed, and waited for by whoever wants stable ones', async () => {
    const { environment, log, coordinator, service, fetch } = await startService();
    await coordinator.becomeLeader(0, 1);
    log.isReplicated = false;
    const commit = service.commit(commitRequest({ 'a-0': 1 }), 9);
    const stable = fetch(true);
    environment.clock.advance(0);
    assert.deepEqual(await fetch(false), [], 'what is written may still be lost');
    log.commit();
    assert.equal((await commit)[0]?.partitions[0]?.errorCode, 0);
    assert.equal((await stable)[0]?.partitions[0]?.committedOffset, 1);
    assert.equal((await fetch(false))[0]?.partitions[0]?.committedOffset, 1);
  });

  it('are not told when they are not committed in time: a committer tries again, a fetcher looks for another coordinator', async () => {
    const { environment, log, coordinator, service, fetch } = await startService();
    await coordinator.becomeLeader(0, 1);
    log.isReplicated = false;
    const commit = assert.rejects(service.commit(commitRequest({ 'a-0': 1 }), 9), refused('COORDINATOR_NOT_AVAILABLE'));
    const stable = assert.rejects(fetch(true), refused('NOT_COORDINATOR'));
    environment.clock.advance(0);
    environment.clock.advance(WRITE_TIMEOUT_MS);
    await Promise.all([commit, stable]);
  });

  it('are as they were when they could not be written', async () => {
    const { environment, log, coordinator, service, fetch } = await startService();
    await coordinator.becomeLeader(0, 1);
    const errors: readonly (readonly [ErrorName, ErrorName])[] = [
      ['NOT_ENOUGH_REPLICAS', 'COORDINATOR_NOT_AVAILABLE'],
      ['NOT_LEADER_OR_FOLLOWER', 'NOT_COORDINATOR'],
      ['KAFKA_STORAGE_ERROR', 'NOT_COORDINATOR'],
    ];
    for (const [failure, told] of errors) {
      log.failure = new KafkaError(failure);
      const commit = assert.rejects(service.commit(commitRequest({ 'a-0': 1 }), 9), refused(told), failure);
      environment.clock.advance(0);
      await commit;
    }
    log.failure = null;
    assert.deepEqual(await fetch(false), []);
    await assert.rejects(service.delete({ groupId: 'g', topics: [] }), refused('GROUP_ID_NOT_FOUND'));
    await assert.rejects(service.delete({ groupId: '', topics: [] }), refused('INVALID_GROUP_ID'));
  });

  it('are all or none of a commit, and of a group that is deleted as many as there are', async () => {
    const { environment, log, coordinator, service, fetch } = await startService();
    await coordinator.becomeLeader(0, 1);
    const offsets = (from: number) => Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`a-${from + index}`, 1]));
    for (const from of [0, 20, 40]) {
      const commit = service.commit(commitRequest(offsets(from)), 9);
      environment.clock.advance(0);
      await commit;
    }
    log.maxBytes = 1000;
    const commit = assert.rejects(service.commit(commitRequest(offsets(60)), 9), refused('UNKNOWN_SERVER_ERROR'));
    environment.clock.advance(0);
    await commit;
    assert.equal((await fetch(false))[0]?.partitions.length, 60);
    const batches = log.batchesWritten.length;
    const deleted = new GroupAdmin(coordinator).delete(['g', 'nobody']);
    environment.clock.advance(0);
    const errors = (await deleted).map(({ groupId, error }) => [groupId, error?.errorName]);
    assert.deepEqual(errors, [
      ['g', undefined],
      ['nobody', 'GROUP_ID_NOT_FOUND'],
    ]);
    assert.ok(log.batchesWritten.length > batches + 1);
    assert.deepEqual(await fetch(false), []);
  });
});
