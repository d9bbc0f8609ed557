import { batchesOf } from '../protocol/records/batches.ts';
import type { ControlFacts } from './control-records.ts';
import { readControlBatch } from './control-records.ts';
import type { RaftLog } from './raft-log.ts';
import type { SnapshotFacts } from './snapshot-reader.ts';
import { readSnapshotFacts } from './snapshot-reader.ts';
import type { VoterSet } from './voter-set.ts';

const READ_BYTES = 1024 * 1024;

/**
 * What the metadata log says about its own quorum: the level of kraft.version and, from level 1 on, the voters. Read from the latest
 * snapshot and the control batches after it; uncommitted ones count too (KIP-853).
 */
export class QuorumTracker {
  #kraftVersion = 0;
  #voters: VoterSet;
  #isInLog: boolean;

  private constructor(staticVoters: VoterSet) {
    this.#voters = staticVoters;
    this.#isInLog = true;
  }

  static load(log: RaftLog, staticVoters: VoterSet): QuorumTracker {
    const tracker = new QuorumTracker(staticVoters);
    const latest = log.snapshots().at(-1);
    if (latest !== undefined) {
      const source = log.readSnapshot(latest);
      try {
        tracker.#take(readSnapshotFacts(source));
      } finally {
        source.close();
      }
      // The bootstrap snapshot stands for no records: it tells what a new log has to begin with.
      tracker.#isInLog = latest.offset > 0 || tracker.#kraftVersion === 0;
    }
    const from = Math.max(log.startOffset, latest?.offset ?? 0);
    for (let offset = from; offset < log.end.offset; ) {
      for (const batch of batchesOf(log.read(offset, log.end.offset, READ_BYTES))) {
        offset = batch.lastOffset + 1;
        if (batch.isControl) tracker.#take(readControlBatch(batch), true);
      }
    }
    return tracker;
  }

  get kraftVersion(): number {
    return this.#kraftVersion;
  }

  get voters(): VoterSet {
    return this.#voters;
  }

  /** Whether the log itself says who votes, where it has to. */
  get isInLog(): boolean {
    return this.#isInLog;
  }

  writtenToLog(): void {
    this.#isInLog = true;
  }

  #take({ kraftVersion, voters }: Pick<SnapshotFacts, 'kraftVersion' | 'voters'> | ControlFacts, isFromLog = false): void {
    if (kraftVersion !== undefined) this.#kraftVersion = kraftVersion;
    if (voters === undefined) return;
    this.#voters = voters;
    if (isFromLog) this.#isInLog = true;
  }
}
