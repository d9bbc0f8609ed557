import type { FileRegion } from '../base/disk.ts';

/** Lets go of the files in an answer that will never be sent: nobody else would. */
export function releaseRegions(value: unknown): void {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return;
  if (isRegion(value)) value.release();
  else for (const inner of Object.values(value)) releaseRegions(inner);
}

function isRegion(value: object): value is FileRegion {
  return 'release' in value && typeof value.release === 'function' && 'file' in value && 'readFailed' in value;
}
