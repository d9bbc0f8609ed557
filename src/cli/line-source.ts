import type { Disk } from '../base/disk.ts';

const READ_BYTES = 256 * 1024;
/** A line longer than this is taken for a mistake: a binary file, or a delimiter that does not occur. */
export const LINE_BYTES_MAX = 64 * 1024 * 1024;

export class LineTooLongError extends Error {
  override readonly name = 'LineTooLongError';
}

/** The bytes of a file, piece by piece. Throws DiskError. */
export async function* fileChunks(disk: Disk, path: string): AsyncGenerator<Uint8Array, void> {
  const file = disk.open(path, { readOnly: true });
  try {
    for (let position = 0; ; ) {
      const piece = Buffer.allocUnsafe(READ_BYTES);
      const count = await file.readAsync(piece, position);
      if (count === 0) return;
      position += count;
      yield piece.subarray(0, count);
    }
  } finally {
    file.close();
  }
}

/**
 * The lines of a stream, without their ends, all that one chunk completes at once. With the usual delimiter a carriage return before it
 * belongs to the end, too. The last line need not have an end.
 */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>, delimiter: Buffer): AsyncGenerator<Buffer[], void> {
  const isNewline = delimiter.length === 1 && delimiter[0] === 0x0a;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const view = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const bytes = rest.length === 0 ? view : Buffer.concat([rest, view]);
    const lines: Buffer[] = [];
    // The delimiter may lie across the border of two chunks.
    let searchFrom = Math.max(0, rest.length - delimiter.length + 1);
    let start = 0;
    for (let at = bytes.indexOf(delimiter, searchFrom); at >= 0; at = bytes.indexOf(delimiter, searchFrom)) {
      const end = isNewline && at > start && bytes[at - 1] === 0x0d ? at - 1 : at;
      lines.push(bytes.subarray(start, end));
      start = at + delimiter.length;
      searchFrom = start;
    }
    rest = bytes.subarray(start);
    if (rest.length > LINE_BYTES_MAX) throw new LineTooLongError(`A line is longer than ${LINE_BYTES_MAX} bytes`);
    if (lines.length > 0) yield lines;
  }
  if (rest.length > 0) yield [rest];
}
