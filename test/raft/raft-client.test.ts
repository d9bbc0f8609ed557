import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SimulatedEnvironment } from '../../simulation/simulated-environment.ts';
import { simulatedEnvironment } from '../../simulation/simulated-environment.ts';
import { MetadataLogGap } from '../../src/raft/commit-feed.ts';
import { QuorumStateFile } from '../../src/raft/quorum-state-file.ts';
import { NotLeaderError, RaftClient } from '../../src/raft/raft-client.ts';
import type { CommittedBatch, LeaderAndEpoch, RaftListener, RecordSerde } from '../../src/raft/raft-record.ts';
import { VoterSet } from '../../src/raft/voter-set.ts';
import { MemoryRaftLog } from './memory-raft-log.ts';

const serde: RecordSerde<string> = {
  encode: (record) => Buffer.from(record),
  decode: (bytes) => Buffer.from(bytes).toString(),
};

/** A state machine whose state is the list of all records. */
class Recorder implements RaftListener<string> {
  readonly events: string[] = [];
  state: string[] = [];
  nextOffset = 0;

  handleCommit(batches: readonly CommittedBatch<string>[]): void {
    for (const batch of batches) {
      assert.equal(batch.baseOffset, this.nextOffset, 'batches come without gap');
      this.nextOffset = batch.lastOffset + 1;
      this.state.push(...batch.records);
      this.events.push(`commit ${batch.baseOffset}-${batch.lastOffset}`);
    }
  }

  handleLoadSnapshot(snapshot: { readonly offset: number; readonly records: Iterable<string> }): void {
    this.state = [...snapshot.records];
    this.nextOffset = snapshot.offset;
    this.events.push(`snapshot ${snapshot.offset}`);
  }

  handleLeaderChange({ leaderId, epoch }: LeaderAndEpoch): void {
    this.events.push(`leader ${leaderId} in ${epoch}`);
  }
}

interface Node {
  readonly client: RaftClient<string>;
  readonly errors: unknown[];
}

function startNode(environment: SimulatedEnvironment, log: MemoryRaftLog): Node {
  environment.disk.makeDirectory('/log');
  const errors: unknown[] = [];
  const client = new RaftClient(environment, {
    self: { id: 1, directoryId: null },
    log,
    quorumState: new QuorumStateFile(environment.disk, '/log'),
    serde,
    staticVoters: VoterSet.ofIds([1]),
    electionTimeoutMs: 1000,
    fatal: (error) => void errors.push(error),
  });
  client.start();
  return { client, errors };
}

const settle = (environment: SimulatedEnvironment): Promise<void> => environment.clock.scheduler.run(10);

test('a quorum of one leads at once, and tells so when its first record is durable', async () => {
  const environment = simulatedEnvironment();
  const log = new MemoryRaftLog();
  log.held = [];
  const { client } = startNode(environment, log);
  const recorder = new Recorder();
  client.register(recorder);
  await settle(environment);
  assert.deepEqual(client.leaderAndEpoch, { leaderId: 1, epoch: 1 });
  assert.equal(
    environment.disk.contents('/log/quorum-state').toString(),
    '{"clusterId":"","leaderId":1,"leaderEpoch":1,"votedId":-1,"appliedOffset":0,"currentVoters":[{"voterId":1}],"data_version":0}',
  );
  assert.equal(client.highWatermark, null);
  assert.deepEqual(recorder.events, []);
  log.held.shift()?.();
  await settle(environment);
  assert.equal(client.highWatermark, 1);
  assert.deepEqual(recorder.events, ['commit 0-0', 'leader 1 in 1']);
});

test('records are committed only when they are durable, and appends during a sync share the next one', async () => {
  const environment = simulatedEnvironment();
  const log = new MemoryRaftLog();
  const { client } = startNode(environment, log);
  const recorder = new Recorder();
  client.register(recorder);
  await settle(environment);
  log.held = [];
  assert.equal(client.scheduleAppend(1, ['a', 'b']), 2);
  await settle(environment);
  const flushesBefore = log.flushes;
  for (let i = 0; i < 10; i++) assert.equal(client.scheduleAppend(1, [`c${i}`]), 3 + i);
  assert.equal(client.nextOffset, 13);
  await settle(environment);
  assert.deepEqual(recorder.state, []);
  log.held.shift()?.();
  await settle(environment);
  assert.deepEqual(recorder.state, ['a', 'b']);
  log.held.shift()?.();
  await settle(environment);
  assert.equal(recorder.state.length, 12);
  assert.equal(log.flushes, flushesBefore + 1);
  assert.equal(client.highWatermark, 13);
});

test('appending in an epoch that this node does not lead is refused', async () => {
  const environment = simulatedEnvironment();
  const { client } = startNode(environment, new MemoryRaftLog());
  assert.throws(() => client.scheduleAppend(2, ['a']), NotLeaderError);
  assert.equal(client.nextOffset, 1);
});

test('each start leads a new epoch, and a listener sees all that was committed before it is told that it leads', async () => {
  const environment = simulatedEnvironment();
  const log = new MemoryRaftLog();
  const first = startNode(environment, log);
  await settle(environment);
  for (const record of ['a', 'b', 'c']) first.client.scheduleAppend(1, [record]);
  await settle(environment);
  await first.client.close();
  const { client } = startNode(environment, log);
  const recorder = new Recorder();
  client.register(recorder);
  await settle(environment);
  assert.deepEqual(recorder.state, ['a', 'b', 'c']);
  assert.deepEqual(recorder.events, ['commit 0-0', 'commit 1-1', 'commit 2-2', 'commit 3-3', 'commit 4-4', 'leader 1 in 2']);
});

test('a snapshot and the log after it give a new listener the same state as the whole log', async () => {
  const environment = simulatedEnvironment();
  const log = new MemoryRaftLog();
  const { client, errors } = startNode(environment, log);
  const recorder = new Recorder();
  client.register(recorder);
  await settle(environment);
  for (let i = 0; i < 20; i++) client.scheduleAppend(1, [`record ${i}`]);
  await settle(environment);
  const writer = client.createSnapshot({ offset: 15, epoch: 1 }, 123);
  assert.ok(writer);
  for (const record of recorder.state.slice(0, 14)) writer.append(record);
  await writer.freeze();
  assert.equal(client.createSnapshot({ offset: 15, epoch: 1 }, 123), null);
  const late = new Recorder();
  client.register(late);
  await settle(environment);
  assert.equal(late.events[0], 'snapshot 15');
  assert.deepEqual(late.state, recorder.state);
  client.clean();
  assert.equal(client.logStartOffset, 15);
  client.scheduleAppend(1, ['one more']);
  await settle(environment);
  assert.deepEqual(late.state, recorder.state);
  assert.equal(late.nextOffset, 22);
  assert.deepEqual(errors, []);
});

test('a snapshot without a footer or with a flipped bit is never taken for a state', async () => {
  const environment = simulatedEnvironment();
  const log = new MemoryRaftLog();
  const { client } = startNode(environment, log);
  await settle(environment);
  client.scheduleAppend(1, ['a', 'b']);
  await settle(environment);
  const writer = client.createSnapshot({ offset: 3, epoch: 1 }, 0);
  assert.ok(writer);
  writer.append('a');
  writer.append('b');
  await writer.freeze();
  const file = log.files.get('3-1');
  assert.ok(file);
  const damage: Record<string, Buffer> = {
    'without its end': file.bytes.subarray(0, file.bytes.length - 75),
    'cut within a batch': file.bytes.subarray(0, file.bytes.length - 3),
    'with a flipped bit': Buffer.from(file.bytes.map((byte, at) => (at === 150 ? byte ^ 1 : byte))),
  };
  for (const [name, bytes] of Object.entries(damage)) {
    const damaged = new MemoryRaftLog();
    damaged.batches = log.batches;
    damaged.files.set('3-1', { id: file.id, bytes });
    const otherEnvironment = simulatedEnvironment();
    const other = startNode(otherEnvironment, damaged);
    const late = new Recorder();
    other.client.register(late);
    await settle(otherEnvironment);
    assert.equal(other.errors.length, 1, name);
    assert.deepEqual(late.events, [], name);
  }
});

test('a disk that fails stops the node and commits nothing', async () => {
  const environment = simulatedEnvironment();
  const log = new MemoryRaftLog();
  const { client, errors } = startNode(environment, log);
  const recorder = new Recorder();
  client.register(recorder);
  await settle(environment);
  log.flush = () => Promise.reject(new Error('the device is gone'));
  client.scheduleAppend(1, ['a']);
  await settle(environment);
  assert.equal(errors.length, 1);
  assert.deepEqual(recorder.state, []);
});

test('a log that lacks committed records stops the node instead of telling another story', async () => {
  const environment = simulatedEnvironment();
  const log = new MemoryRaftLog();
  const first = startNode(environment, log);
  await settle(environment);
  for (const record of ['a', 'b', 'c']) first.client.scheduleAppend(1, [record]);
  await settle(environment);
  await first.client.close();
  log.batches.splice(2, 1);
  const { client, errors } = startNode(environment, log);
  const recorder = new Recorder();
  client.register(recorder);
  await settle(environment);
  assert.ok(errors[0] instanceof MetadataLogGap && errors[0].message.includes('from offset 2 to 2'));
  assert.deepEqual(recorder.events, []);
});
