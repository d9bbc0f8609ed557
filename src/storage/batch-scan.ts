import { RecordBatch } from '../protocol/records/record-batch.ts';
import { batchAt, claimedSize, HEAD_BYTES, HEAD_BYTES_MIN } from './batch-view.ts';
import type { LogFile } from './log-file.ts';

const BLOCK_BYTES = 1024 * 1024;

/**
 * Reads a log file batch by batch and checks each one's checksum: what recovery does. `batch` is a whole view of the scan's own bytes, valid until the
 * next step. Ends at the first place that is not a whole, valid batch.
 */
export class BatchScan {
  readonly #log: LogFile;
  #block = Buffer.allocUnsafe(BLOCK_BYTES);
  #blockStart = 0;
  #blockEnd = 0;
  #next: number;
  position = -1;
  batch: RecordBatch;

  constructor(log: LogFile, from = 0) {
    this.#log = log;
    this.#next = from;
    this.batch = new RecordBatch(this.#block, 0);
  }

  /** The place after the current batch, where the scan goes on or has ended. */
  get nextPosition(): number {
    return this.#next;
  }

  next(): boolean {
    const position = this.#next;
    const left = this.#log.sizeInBytes - position;
    if (left < HEAD_BYTES_MIN || !this.#has(position, Math.min(left, HEAD_BYTES))) return false;
    const size = claimedSize(this.#block, position - this.#blockStart);
    if (size === null || size > left || !this.#has(position, size)) return false;
    const batch = batchAt(this.#block, position - this.#blockStart);
    if (!batch.isCrcValid()) return false;
    this.batch = batch;
    this.position = position;
    this.#next = position + size;
    return true;
  }

  /** Brings the bytes at `position` into the block. */
  #has(position: number, count: number): boolean {
    if (position >= this.#blockStart && position + count <= this.#blockEnd) return true;
    if (position + count > this.#log.sizeInBytes) return false;
    if (count > this.#block.length) this.#block = Buffer.allocUnsafe(count);
    this.#blockStart = position;
    this.#blockEnd = position + this.#log.read(this.#block, position);
    return position + count <= this.#blockEnd;
  }
}
