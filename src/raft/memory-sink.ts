import type { SnapshotSink } from './raft-log.ts';

/** Takes a snapshot's bytes into memory. */
export class MemorySink implements SnapshotSink {
  readonly #chunks: Uint8Array[] = [];

  append(bytes: Uint8Array): void {
    this.#chunks.push(bytes);
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  get sizeInBytes(): number {
    return this.#chunks.reduce((sum, { length }) => sum + length, 0);
  }

  freeze(): Promise<void> {
    return Promise.resolve();
  }

  discard(): void {
    this.#chunks.length = 0;
  }
}
