import { RecordBatch } from '../protocol/records/record-batch.ts';
import { batchAt, claimedSize, HEAD_BYTES, HEAD_BYTES_MIN } from './batch-view.ts';
import type { LogFile } from './log-file.ts';

/** What one read brings when looking for one offset: about what lies between two index entries. */
const SHORT_SCAN_BYTES = 8 * 1024;
/** What one read brings when walking a whole segment. */
export const LONG_SCAN_BYTES = 64 * 1024;

/** For lookups, which are over before anything else can start. */
const sharedBlock = Buffer.alloc(SHORT_SCAN_BYTES);

export interface ScanOptions {
  readonly end?: number;
  readonly blockBytes?: number;
  /** Uses the one block of all short scans: only while no other such scan is going on. */
  readonly shared?: boolean;
}

/**
 * Walks the batches of a log file by their headers; records are never read. Stops at `end` or at the first place that cannot be a batch.
 *
 * `batch` is a view of the scanner's own bytes: valid until the next step, and only its header.
 */
export class HeaderScan {
  readonly #log: LogFile;
  readonly #block: Buffer;
  readonly #end: number;
  #blockStart = 0;
  #blockEnd = 0;
  #next: number;
  /** Where in the file the current batch starts. */
  position = -1;
  batch: RecordBatch;

  constructor(log: LogFile, from: number, options: ScanOptions = {}) {
    this.#log = log;
    this.#block = options.shared === true ? sharedBlock : Buffer.allocUnsafe(options.blockBytes ?? SHORT_SCAN_BYTES);
    this.#end = Math.min(options.end ?? log.sizeInBytes, log.sizeInBytes);
    this.#next = from;
    this.batch = new RecordBatch(this.#block, 0);
  }

  /** The place after the current batch. */
  get nextPosition(): number {
    return this.#next;
  }

  /** Moves to the next batch; false if there is no whole one. */
  next(): boolean {
    const position = this.#next;
    const left = this.#end - position;
    if (left < HEAD_BYTES_MIN) return false;
    const head = Math.min(left, HEAD_BYTES);
    if (position < this.#blockStart || position + head > this.#blockEnd) this.#readBlock(position);
    if (position + head > this.#blockEnd) return false;
    const at = position - this.#blockStart;
    const size = claimedSize(this.#block, at);
    if (size === null || size > left) return false;
    this.batch = batchAt(this.#block, at);
    this.position = position;
    this.#next = position + size;
    return true;
  }

  /** The current batch with its records, in bytes of its own. */
  wholeBatch(): RecordBatch {
    const bytes = Buffer.allocUnsafe(this.#next - this.position);
    this.#log.read(bytes, this.position);
    return batchAt(bytes, 0);
  }

  #readBlock(position: number): void {
    const count = this.#log.read(this.#block, position);
    this.#blockStart = position;
    this.#blockEnd = position + count;
  }
}
