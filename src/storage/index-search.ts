import { type IndexFile, PAGE_ENTRIES } from './index-file.ts';

/**
 * The last entry whose key is at most `target`, or −1. Keys never fall. Tries what is in memory first: the newest entries, then the page
 * of the last lookup; most readers are at the end or move forward.
 */
export function findFloor(file: IndexFile, target: number, keyAt: (index: number) => number): number {
  const { count } = file;
  if (count === 0) return -1;
  const tail = file.tailRange;
  if (tail.first < tail.end && keyAt(tail.first) <= target) return bisect(tail.first, tail.end, target, keyAt);
  const cached = file.cachedRange;
  if (cached.first < cached.end && keyAt(cached.first) <= target && target < keyAt(cached.end - 1)) {
    return bisect(cached.first, cached.end, target, keyAt);
  }
  // First the page, by its first entries, which are remembered; then the entry in it.
  const page = bisect(0, Math.ceil(tail.first / PAGE_ENTRIES), target, (at) => keyAt(at * PAGE_ENTRIES));
  if (page < 0) return -1;
  return bisect(page * PAGE_ENTRIES, Math.min((page + 1) * PAGE_ENTRIES, tail.first), target, keyAt);
}

function bisect(first: number, end: number, target: number, keyAt: (index: number) => number): number {
  let low = first;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keyAt(middle) <= target) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
