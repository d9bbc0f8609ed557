import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SimulatedDisk } from '../../simulation/simulated-disk.ts';
import { simulatedEnvironment } from '../../simulation/simulated-environment.ts';
import { SimulatedRandom } from '../../simulation/simulated-random.ts';
import { PartitionRaftLog } from '../../src/raft/partition-raft-log.ts';
import { QuorumStateFile } from '../../src/raft/quorum-state-file.ts';
import { RaftClient } from '../../src/raft/raft-client.ts';
import type { CommittedBatch } from '../../src/raft/raft-record.ts';
import { VoterSet } from '../../src/raft/voter-set.ts';

const serde = { encode: (text: string) => Buffer.from(text), decode: (bytes: Uint8Array) => Buffer.from(bytes).toString() };

/** A node that keeps the texts it was given. */
class Node {
  readonly environment: ReturnType<typeof simulatedEnvironment>;
  readonly client: RaftClient<string>;
  readonly log: PartitionRaftLog;
  readonly errors: unknown[] = [];
  state: string[] = [];
  leaderEpoch: number | null = null;
  onCommit: () => void = () => undefined;

  constructor(disk: SimulatedDisk) {
    this.environment = simulatedEnvironment({ disk });
    disk.makeDirectory('/data');
    disk.syncDirectory('/');
    this.log = PartitionRaftLog.open(this.environment, {
      logDirectory: '/data',
      segmentBytes: 400,
      segmentMs: 1e9,
      retentionBytes: 600,
      retentionMs: -1,
    });
    this.client = new RaftClient(this.environment, {
      self: { id: 1, directoryId: null },
      log: this.log,
      quorumState: new QuorumStateFile(disk, '/data/__cluster_metadata-0'),
      serde,
      staticVoters: VoterSet.ofIds([1]),
      electionTimeoutMs: 1000,
      fatal: (error) => void this.errors.push(error),
    });
    this.client.register({
      handleCommit: (batches: readonly CommittedBatch<string>[]) => {
        for (const { records } of batches) this.state.push(...records);
        this.onCommit();
      },
      handleLoadSnapshot: ({ records }) => {
        this.state = [...records];
        this.onCommit();
      },
      handleLeaderChange: ({ leaderId, epoch }) => {
        this.leaderEpoch = leaderId === 1 ? epoch : null;
      },
    });
    this.client.start();
  }

  run(durationMs = 20): Promise<void> {
    return this.environment.clock.scheduler.run(durationMs);
  }
}

/** Appends texts, some while others are being synced, writes snapshots and lets the log go, on a disk that remembers everything. */
async function work(disk: SimulatedDisk, committedAt: { readonly traced: number; readonly count: number }[]): Promise<Node> {
  const node = new Node(disk);
  node.onCommit = () => void committedAt.push({ traced: disk.trace.length, count: node.state.length });
  await node.run();
  for (let round = 0; round < 6; round++) {
    for (let at = 0; at < 4; at++) {
      node.client.scheduleAppend(node.client.leaderAndEpoch.epoch, [`text ${round} ${at}`, `more ${round} ${at}`]);
      if (at % 2 === 0) await node.run(1);
    }
    await node.run();
    const { offset, epoch } = node.client.logEnd;
    const writer = node.client.createSnapshot({ offset, epoch }, 1);
    for (const text of node.state) writer?.append(text);
    await node.environment.clock.scheduler.resolve(writer?.freeze() ?? Promise.resolve());
    node.client.clean();
  }
  assert.deepEqual(node.errors, []);
  return node;
}

for (const kind of ['lost', 'torn'] as const) {
  test(`after a power cut at any moment (unsynced data ${kind}) everything is there that was told committed, in order, and led by a newer epoch`, async () => {
    const disk = new SimulatedDisk({ isTraced: true });
    const committedAt: { readonly traced: number; readonly count: number }[] = [];
    const { state: all } = await work(disk, committedAt);
    assert.equal(all.length, 48);
    const random = new SimulatedRandom(5);
    let restarts = 0;
    for (let at = 3; at <= disk.trace.length; at++) {
      const mode = kind === 'lost' ? ({ unsynced: 'lost' } as const) : ({ unsynced: 'torn', random } as const);
      const after = new Node(disk.crashAt(at, mode));
      await after.run();
      assert.deepEqual(after.errors, [], `crash at ${at}`);
      const promised = committedAt.filter(({ traced }) => traced < at).at(-1)?.count ?? 0;
      assert.ok(after.state.length >= promised, `crash at ${at}: ${after.state.length} of ${promised}`);
      assert.deepEqual(after.state, all.slice(0, after.state.length), `crash at ${at}`);
      assert.ok((after.leaderEpoch ?? 0) >= (promised > 0 ? 2 : 1), `crash at ${at}: epoch ${after.leaderEpoch}`);
      restarts++;
    }
    assert.ok(restarts > 100, `${restarts} moments`);
  });
}
