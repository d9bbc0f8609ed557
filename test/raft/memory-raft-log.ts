import { batchesOf } from '../../src/protocol/records/batches.ts';
import type { OffsetAndEpoch, RaftLog, SnapshotSink, SnapshotSource } from '../../src/raft/raft-log.ts';
import { compareOffsetAndEpoch } from '../../src/raft/raft-log.ts';

interface StoredBatch {
  readonly bytes: Buffer;
  readonly baseOffset: number;
  readonly lastOffset: number;
  readonly epoch: number;
}

/** A metadata log in memory whose device answers when the test lets it. */
export class MemoryRaftLog implements RaftLog {
  startOffset = 0;
  highWatermark = 0;
  batches: StoredBatch[] = [];
  durableOffset = 0;
  flushes = 0;
  /** Set to hold syncs back; call the functions to let them go. */
  held: (() => void)[] | null = null;
  readonly files = new Map<string, { readonly id: OffsetAndEpoch; readonly bytes: Buffer }>();

  get end(): OffsetAndEpoch {
    const last = this.batches.at(-1);
    return last === undefined ? { offset: this.startOffset, epoch: 0 } : { offset: last.lastOffset + 1, epoch: last.epoch };
  }

  appendAsLeader(batches: readonly Uint8Array[], epoch: number): void {
    for (const bytes of batches) {
      for (const batch of batchesOf(bytes)) {
        const { baseOffset, lastOffset, partitionLeaderEpoch } = batch;
        if (baseOffset !== this.end.offset || partitionLeaderEpoch !== epoch) throw new Error('a batch out of order');
        this.batches.push({ bytes: Buffer.from(bytes), baseOffset, lastOffset, epoch });
      }
    }
  }

  async flush(): Promise<void> {
    const { offset } = this.end;
    this.flushes++;
    const { held } = this;
    if (held !== null) await new Promise<void>((resolve) => held.push(resolve));
    this.durableOffset = Math.max(this.durableOffset, offset);
  }

  updateHighWatermark(offset: number): void {
    this.highWatermark = offset;
  }

  read(offset: number, end: number, maxBytes: number): Buffer {
    const chosen: Buffer[] = [];
    let bytes = 0;
    for (const batch of this.batches) {
      if (batch.lastOffset < offset || batch.lastOffset >= end) continue;
      if (chosen.length > 0 && bytes + batch.bytes.length > maxBytes) break;
      chosen.push(batch.bytes);
      bytes += batch.bytes.length;
    }
    return Buffer.concat(chosen);
  }

  snapshots(): readonly OffsetAndEpoch[] {
    return [...this.files.values()].map(({ id }) => id).sort(compareOffsetAndEpoch);
  }

  readSnapshot(id: OffsetAndEpoch): SnapshotSource {
    const file = this.files.get(`${id.offset}-${id.epoch}`);
    if (file === undefined) throw new Error('no such snapshot');
    const { bytes } = file;
    return {
      id,
      sizeInBytes: bytes.length,
      read: (target, position) => bytes.copy(target, 0, position),
      close: () => undefined,
    };
  }

  createSnapshot(id: OffsetAndEpoch): SnapshotSink | null {
    const key = `${id.offset}-${id.epoch}`;
    if (this.files.has(key)) return null;
    const chunks: Uint8Array[] = [];
    return {
      append: (bytes) => void chunks.push(Buffer.from(bytes)),
      get sizeInBytes() {
        return chunks.reduce((sum, chunk) => sum + chunk.length, 0);
      },
      freeze: async () => void this.files.set(key, { id, bytes: Buffer.concat(chunks) }),
      discard: () => undefined,
    };
  }

  clean(): void {
    const latest = this.snapshots().at(-1);
    if (latest === undefined) return;
    this.batches = this.batches.filter(({ lastOffset }) => lastOffset >= latest.offset);
    this.startOffset = latest.offset;
  }

  async close(): Promise<void> {
    // Nothing is open.
  }
}
