import type { Disk } from '../../../base/disk.ts';

/** All bytes of a small file. */
export function readWhole(disk: Disk, path: string): Buffer {
  const file = disk.open(path, { readOnly: true });
  try {
    const bytes = Buffer.alloc(file.size());
    return bytes.subarray(0, file.read(bytes, 0));
  } finally {
    file.close();
  }
}
