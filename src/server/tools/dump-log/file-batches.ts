import { readInt32 } from '../../../base/bytes/big-endian.ts';
import type { DiskFile } from '../../../base/disk.ts';
import * as layout from '../../../protocol/records/batch-layout.ts';
import { LegacyBatch } from '../../../protocol/records/legacy-batch.ts';
import { RecordBatch } from '../../../protocol/records/record-batch.ts';
import { DumpLogError } from './dump-output.ts';

const BLOCK_BYTES = 1024 * 1024;

/** A batch and where in the file it starts. It is valid until the next one is taken. */
export interface FileBatch {
  readonly batch: RecordBatch;
  readonly position: number;
}

/**
 * The batches of a file as they lie there, whether valid or not, from `start` to `end`: a tool that shows what is wrong must not stop at a wrong
 * checksum. A batch that is cut short ends them. Throws DumpLogError where no batch can follow.
 */
export function* fileBatches(
  file: DiskFile,
  { start, end }: { readonly start: number; readonly end: number },
): Generator<FileBatch, void> {
  const block = new FileBlock(file);
  for (let position = start; position < end - layout.HEADER_SIZE_UP_TO_MAGIC; ) {
    const header = block.at(position, layout.HEADER_SIZE_UP_TO_MAGIC);
    const length = readInt32(block.bytes, header + layout.BATCH_LENGTH);
    if (length < layout.LENGTH_MIN) {
      const text = `Found record size ${length} smaller than minimum record overhead (${layout.LENGTH_MIN}) in file ${file.path}.`;
      throw new DumpLogError(text);
    }
    const size = layout.LOG_OVERHEAD + length;
    if (position + size > end) return;
    const at = block.at(position, size);
    const magic = block.bytes[at + layout.MAGIC] ?? 0;
    yield { batch: magic < layout.CURRENT_MAGIC ? new LegacyBatch(block.bytes, at) : new RecordBatch(block.bytes, at), position };
    position += size;
  }
}

/** A piece of the file in memory, moved forward as it is read. */
class FileBlock {
  readonly #file: DiskFile;
  bytes: Buffer = Buffer.alloc(0);
  #start = 0;

  constructor(file: DiskFile) {
    this.#file = file;
  }

  /** Brings bytes of the file into the block and gives their place in it. The caller knows that the file has them. */
  at(position: number, size: number): number {
    if (position < this.#start || position + size > this.#start + this.bytes.length) {
      const block = Buffer.allocUnsafe(Math.max(size, BLOCK_BYTES));
      const count = this.#file.read(block, position);
      if (count < size) throw new DumpLogError(`${this.#file.path} became shorter while it was read`);
      this.bytes = block.subarray(0, count);
      this.#start = position;
    }
    return position - this.#start;
  }
}
