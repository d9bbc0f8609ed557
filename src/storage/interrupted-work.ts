import type { Disk } from '../base/disk.ts';
import { HeaderScan, LONG_SCAN_BYTES } from './header-scan.ts';
import { LogFile } from './log-file.ts';
import { joinPath } from './path.ts';
import { CLEANED_SUFFIX, DELETED_SUFFIX, LOG_SUFFIX, offsetOfFile, SNAPSHOT_SUFFIX, SWAP_SUFFIX } from './segment-files.ts';

/**
 * Finishes or undoes what an earlier life was in the middle of, and gives the names that are left in the directory.
 *
 * `.deleted` and `.tmp` files go. A cleaner writes `.cleaned` files, renames all of them to `.swap` when they are whole, and then lets them take the place of the
 * segments they came from: without the second step they are dropped, after it they are put in place.
 */
export function finishInterruptedWork(disk: Disk, directory: string): string[] {
  const names = disk.list(directory).flatMap((entry) => (entry.kind === 'file' ? [entry.name] : []));
  const isCleaned = (name: string): boolean => name.endsWith(CLEANED_SUFFIX);
  const remove = (name: string): void => disk.remove(joinPath(directory, name));
  const cleanedFrom = Math.min(...names.filter(isCleaned).map((name) => offsetOfFile(name) ?? Infinity));
  const isUnfinishedSwap = (name: string): boolean => name.endsWith(SWAP_SUFFIX) && (offsetOfFile(name) ?? -1) >= cleanedFrom;
  const doomed = names.filter(
    (name) => name.endsWith(DELETED_SUFFIX) || name.endsWith('.tmp') || isCleaned(name) || isUnfinishedSwap(name),
  );
  for (const name of doomed) remove(name);
  const left = names.filter((name) => !doomed.includes(name));
  const swaps = left.filter((name) => name.endsWith(SWAP_SUFFIX));
  return swaps.length === 0 ? left : putInPlace(disk, directory, { names: left, swaps });
}

function putInPlace(
  disk: Disk,
  directory: string,
  { names, swaps }: { readonly names: readonly string[]; readonly swaps: readonly string[] },
): string[] {
  const logs = swaps.filter((name) => name.endsWith(`${LOG_SUFFIX}${SWAP_SUFFIX}`));
  const from = Math.min(...logs.map((name) => offsetOfFile(name) ?? Infinity));
  const to = Math.max(...logs.map((name) => nextOffsetOf(disk, joinPath(directory, name), offsetOfFile(name) ?? 0)));
  const isReplaced = (name: string): boolean => {
    const offset = offsetOfFile(name);
    return offset !== null && offset >= from && offset < to && !swaps.includes(name) && !name.endsWith(SNAPSHOT_SUFFIX);
  };
  for (const name of names.filter(isReplaced)) disk.remove(joinPath(directory, name));
  const kept = names.filter((name) => !isReplaced(name) && !swaps.includes(name));
  const placed: string[] = [];
  for (const name of swaps) {
    const finalName = name.slice(0, -SWAP_SUFFIX.length);
    disk.rename(joinPath(directory, name), joinPath(directory, finalName));
    placed.push(finalName);
  }
  disk.syncDirectory(directory);
  return [...new Set([...kept, ...placed])];
}

function nextOffsetOf(disk: Disk, path: string, baseOffset: number): number {
  const log = LogFile.open(disk, path, () => undefined);
  try {
    const scan = new HeaderScan(log, 0, { blockBytes: LONG_SCAN_BYTES });
    let nextOffset = baseOffset;
    while (scan.next()) nextOffset = scan.batch.nextOffset;
    return nextOffset;
  } finally {
    log.releaseHandle();
  }
}
