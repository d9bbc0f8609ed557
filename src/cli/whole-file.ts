import type { Disk } from '../base/disk.ts';
import { DiskError } from '../base/disk.ts';
import { CliError } from './cli-error.ts';

/** The bytes of a file that an option names. */
export function wholeFile(disk: Disk, path: string): Buffer {
  try {
    const file = disk.open(path, { readOnly: true });
    try {
      const bytes = Buffer.alloc(file.size());
      return bytes.subarray(0, file.read(bytes, 0));
    } finally {
      file.close();
    }
  } catch (error) {
    if (error instanceof DiskError) throw new CliError(`Cannot read ${path}: ${error.message}`, { cause: error });
    throw error;
  }
}
