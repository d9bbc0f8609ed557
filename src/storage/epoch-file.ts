import type { Disk } from '../base/disk.ts';
import { readCheckpoint, writeCheckpoint } from './checkpoint-file.ts';
import { type EpochEntry, LEADER_EPOCH_CHECKPOINT, LeaderEpochCache, leaderEpochFormat } from './leader-epoch-cache.ts';
import { joinPath } from './path.ts';

/**
 * The leader epochs of one log and their checkpoint file. The file follows at once, so that it survives the process; it is made durable before the
 * recovery point passes what it speaks of, because from there on the batches say the same.
 */
export class EpochFile {
  readonly cache: LeaderEpochCache;
  readonly #disk: Disk;
  readonly #path: string;
  readonly #written: (path: string) => void;
  #isChanged = false;
  #isPaused = false;

  /** `written` is told the path of a file whose content is not durable yet. */
  constructor(options: {
    readonly disk: Disk;
    readonly directory: string;
    readonly entries: readonly EpochEntry[];
    readonly written: (path: string) => void;
  }) {
    this.#disk = options.disk;
    this.#path = joinPath(options.directory, LEADER_EPOCH_CHECKPOINT);
    this.#written = options.written;
    this.cache = new LeaderEpochCache(options.entries, () => this.#changed());
  }

  static read(disk: Disk, directory: string): EpochEntry[] {
    return readCheckpoint(disk, joinPath(directory, LEADER_EPOCH_CHECKPOINT), leaderEpochFormat);
  }

  /** Several changes, one write. */
  together(change: () => void): void {
    this.#isPaused = true;
    try {
      change();
    } finally {
      this.#isPaused = false;
    }
    if (this.#isChanged) this.#write();
  }

  #changed(): void {
    this.#isChanged = true;
    if (!this.#isPaused) this.#write();
  }

  #write(): void {
    this.#isChanged = false;
    writeCheckpoint(this.#disk, {
      path: this.#path,
      entries: this.cache.entries,
      format: leaderEpochFormat,
      durable: false,
    });
    this.#written(this.#path);
  }
}
