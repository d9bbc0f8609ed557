import type { CheckpointFormat } from './checkpoint-file.ts';
import { parseWhole } from './checkpoint-file.ts';

export const LEADER_EPOCH_CHECKPOINT = 'leader-epoch-checkpoint';

export interface EpochEntry {
  readonly epoch: number;
  readonly startOffset: number;
}

export const leaderEpochFormat: CheckpointFormat<EpochEntry> = {
  version: 0,
  format: ({ epoch, startOffset }) => `${epoch} ${startOffset}`,
  parse(line) {
    const fields = line.split(/\s+/);
    const epoch = parseWhole(fields[0] ?? '');
    const startOffset = parseWhole(fields[1] ?? '');
    return fields.length !== 2 || epoch === null || startOffset === null ? null : { epoch, startOffset };
  },
};

/**
 * Which leader epoch starts at which offset (KIP-101, KIP-279). Epochs and start offsets both rise strictly from entry to entry.
 *
 * Changes are told to `changed`, which writes the checkpoint file when it suits: what it says can be found again in the batches.
 */
export class LeaderEpochCache {
  #entries: EpochEntry[];
  readonly #changed: () => void;

  constructor(entries: readonly EpochEntry[], changed: () => void) {
    this.#entries = [];
    this.#changed = changed;
    for (const entry of entries) this.#push(entry);
  }

  get entries(): readonly EpochEntry[] {
    return this.#entries;
  }

  get latest(): EpochEntry | null {
    return this.#entries.at(-1) ?? null;
  }

  /** The epoch's first offset is now known. Entries that contradict it (a larger epoch, a later start) are dropped, as in Kafka. */
  assign(epoch: number, startOffset: number): void {
    const latest = this.latest;
    if (latest !== null && latest.epoch === epoch && latest.startOffset <= startOffset) return;
    this.#push({ epoch, startOffset });
    this.#changed();
  }

  #push(entry: EpochEntry): void {
    for (let last = this.latest; last !== null; last = this.latest) {
      if (last.epoch < entry.epoch && last.startOffset < entry.startOffset) break;
      this.#entries.pop();
    }
    this.#entries.push(entry);
  }

  /**
   * The largest epoch that is not above `epoch`, and where it ends: the start of the next one, or `logEndOffset`. Null if nothing is known of
   * it (KIP-279: a follower then asks again with an older epoch, or truncates to what it is told).
   */
  endOffsetFor(epoch: number, logEndOffset: number): { readonly epoch: number; readonly endOffset: number } | null {
    const latest = this.latest;
    if (latest === null) return null;
    if (latest.epoch === epoch) return { epoch, endOffset: logEndOffset };
    const index = this.#entries.findLastIndex((entry) => entry.epoch <= epoch);
    const next = this.#entries[index + 1];
    if (next === undefined) return null;
    // An epoch before everything that is kept ends where the kept log begins.
    return { epoch: this.#entries[index]?.epoch ?? epoch, endOffset: next.startOffset };
  }

  /** The epoch of the batch at `offset`; null if it lies before the first entry. */
  epochFor(offset: number): number | null {
    return this.#entries.findLast((entry) => entry.startOffset <= offset)?.epoch ?? null;
  }

  /** Drops every entry that starts at `endOffset` or later. */
  truncateFromEnd(endOffset: number): void {
    const latest = this.latest;
    if (latest === null || latest.startOffset < endOffset) return;
    this.#entries = this.#entries.filter((entry) => entry.startOffset < endOffset);
    this.#changed();
  }

  /** Drops what ends before `startOffset`; the epoch that holds it now starts there. */
  truncateFromStart(startOffset: number): void {
    const index = this.#entries.findLastIndex((entry) => entry.startOffset <= startOffset);
    const holder = this.#entries[index];
    if (holder === undefined || (index === 0 && holder.startOffset === startOffset)) return;
    this.#entries = [{ epoch: holder.epoch, startOffset }, ...this.#entries.slice(index + 1)];
    this.#changed();
  }

  clear(): void {
    if (this.#entries.length === 0) return;
    this.#entries = [];
    this.#changed();
  }
}
