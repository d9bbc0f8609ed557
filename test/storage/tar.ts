/** One file of a tar archive, or a directory (bytes null). */
export interface TarEntry {
  readonly name: string;
  readonly bytes: Buffer | null;
  /** Parts of a sparse file that are stored; the rest is zeros. */
  readonly size: number;
  readonly parts: readonly { readonly position: number; readonly bytes: Buffer }[];
}

const BLOCK = 512;

/** Reads what GNU tar writes: files, directories and old-style sparse files. */
export function* tarEntries(archive: Buffer): Generator<TarEntry> {
  for (let at = 0; at + BLOCK <= archive.length; ) {
    const header = archive.subarray(at, at + BLOCK);
    if (header.every((byte) => byte === 0)) return;
    const name = text(header, 0, 100);
    const stored = number(header, 124, 12);
    const type = String.fromCharCode(header[156] ?? 0);
    at += BLOCK;
    if (type === '5') {
      yield { name: name.replace(/\/$/, ''), bytes: null, size: 0, parts: [] };
    } else if (type === 'S') {
      const map = sparseMap(archive, header, at);
      yield sparseFile(archive, { name, size: number(header, 483, 12), map: map.ranges, at: map.end });
      at = map.end + roundUp(stored);
    } else {
      if (type !== '0' && type !== '\0') throw new Error(`an entry of type ${type} is not expected`);
      const bytes = archive.subarray(at, at + stored);
      yield { name, bytes, size: stored, parts: [{ position: 0, bytes }] };
      at += roundUp(stored);
    }
  }
}

interface Range {
  readonly position: number;
  readonly length: number;
}

function sparseMap(archive: Buffer, header: Buffer, start: number): { ranges: Range[]; end: number } {
  const ranges = rangesOf(header, 386, 4);
  let isExtended = header[482] === 1;
  let end = start;
  while (isExtended) {
    const block = archive.subarray(end, end + BLOCK);
    ranges.push(...rangesOf(block, 0, 21));
    isExtended = block[504] === 1;
    end += BLOCK;
  }
  return { ranges, end };
}

function rangesOf(block: Buffer, start: number, count: number): Range[] {
  return Array.from({ length: count }, (_, index) => ({
    position: number(block, start + index * 24, 12),
    length: number(block, start + index * 24 + 12, 12),
  })).filter((range) => range.length > 0);
}

function sparseFile(archive: Buffer, file: { name: string; size: number; map: readonly Range[]; at: number }): TarEntry {
  let at = file.at;
  const parts = file.map.map(({ position, length }) => {
    const bytes = archive.subarray(at, at + length);
    at += length;
    return { position, bytes };
  });
  return { name: file.name, bytes: Buffer.alloc(0), size: file.size, parts };
}

const roundUp = (size: number): number => Math.ceil(size / BLOCK) * BLOCK;
const text = (block: Buffer, at: number, length: number): string =>
  block.toString('latin1', at, at + length).replace(/\0.*$/s, '');
const number = (block: Buffer, at: number, length: number): number => parseInt(text(block, at, length).trim() || '0', 8);
