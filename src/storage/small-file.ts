import { type Disk, DiskError } from '../base/disk.ts';
import { parentOf } from './path.ts';

/** The largest file that is read whole; checkpoints of 100,000 partitions fit. */
const SMALL_FILE_BYTES_MAX = 64 * 1024 * 1024;

/** The whole file, or null if there is none. */
export function readSmallFile(disk: Disk, path: string): Buffer | null {
  if (!disk.exists(path)) return null;
  const file = disk.open(path, { readOnly: true });
  try {
    const size = file.size();
    if (size > SMALL_FILE_BYTES_MAX)
      throw new DiskError('EFBIG', path, `${path} has ${size} bytes, more than any such file needs`);
    const bytes = Buffer.alloc(size);
    const count = file.read(bytes, 0);
    return bytes.subarray(0, count);
  } finally {
    file.close();
  }
}

/**
 * Replaces a file so that a reader sees the old content or the new, never half of one.
 *
 * `durable` says that the new content must be there after a power loss, before this call returns. Without it the replacement survives the death of
 * the process, and whoever needs more calls `syncSmallFile` later.
 */
export function replaceSmallFile(disk: Disk, path: string, bytes: Uint8Array, options: { readonly durable: boolean }): void {
  const temporary = `${path}.tmp`;
  const file = disk.open(temporary, { create: true });
  try {
    file.truncate(0);
    file.write([bytes], 0);
    if (options.durable) file.syncNow();
  } finally {
    file.close();
  }
  disk.rename(temporary, path);
  if (options.durable) disk.syncDirectory(parentOf(path));
}

/** Makes the content (not the directory entry) of a file durable, off the event loop. */
export async function syncSmallFile(disk: Disk, path: string): Promise<void> {
  const file = disk.open(path);
  try {
    await file.sync();
  } finally {
    file.close();
  }
}

/**
 * Replaces a file off the event loop. If it is durable, the new content is so before it takes the old one's place: after a power loss either of them may be
 * there. `isWanted` is asked at the last moment: the file may have been replaced by something newer meanwhile.
 */
export async function replaceSmallFileLater(
  disk: Disk,
  path: string,
  {
    bytes,
    isWanted,
    durable = true,
  }: { readonly bytes: Uint8Array; readonly isWanted: () => boolean; readonly durable?: boolean },
): Promise<void> {
  const temporary = `${path}.later.tmp`;
  const file = await disk.openLater(temporary, { create: true });
  try {
    file.truncate(0);
    file.write([bytes], 0);
    if (durable) await file.sync();
  } finally {
    file.close();
  }
  if (isWanted()) disk.rename(temporary, path);
}

/** Makes a directory and its missing parents, all of them durable. */
export function makeDurableDirectory(disk: Disk, path: string): void {
  const toSync: string[] = [];
  for (let at = path; !disk.exists(at); at = parentOf(at)) toSync.push(parentOf(at));
  if (toSync.length > 0) disk.makeDirectory(path);
  for (const parent of toSync) disk.syncDirectory(parent);
}
