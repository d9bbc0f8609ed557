import type { FileRegion } from '../base/disk.ts';

/**
 * Lets go of the files in an answer that will never be sent: nobody else would. Handlers put more into answers than is written, and that may refer to itself: a
 * partition of a fetch session knows its neighbours.
 */
export function releaseRegions(answer: unknown): void {
  const seen = new Set<object>();
  const left: unknown[] = [answer];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value !== 'object' || value === null || value instanceof Uint8Array || seen.has(value)) continue;
    seen.add(value);
    if (isRegion(value)) value.release();
    else for (const inner of Object.values(value)) left.push(inner);
  }
}

function isRegion(value: object): value is FileRegion {
  return 'release' in value && typeof value.release === 'function' && 'file' in value && 'readFailed' in value;
}
