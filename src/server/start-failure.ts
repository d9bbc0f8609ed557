import { DiskError } from '../base/disk.ts';
import { StorageError } from '../storage/storage-error.ts';

/** What the operating system says of a disk, and what helps. */
const sentences: Readonly<Record<string, string>> = {
  ENOSPC: 'There is no space left on its disk. Make room, or take another directory.',
  EDQUOT: 'The disk quota of this user is used up. Make room, or take another directory.',
  EACCES: 'This user may not use it. Look at its owner and permissions, or take another directory.',
  EPERM: 'This user may not use it. Look at its owner and permissions, or take another directory.',
  EROFS: 'Its file system is read-only. Mount it for writing, or take another directory.',
  ENOENT: 'It is not there, and cannot be made.',
  ENOTDIR: 'It is not a directory, or lies under what is none.',
  EEXIST: 'It is not a directory.',
  EMFILE: 'This process has too many files open. Raise the limit (ulimit -n).',
  ENFILE: 'This machine has too many files open.',
  EIO: 'Its disk fails. The system log may say more.',
};

/** What hinders a node from starting, as something a person can act on: a failure of the disk becomes a StorageError with a sentence. */
export function toStorageError(error: unknown): unknown {
  const failure = error instanceof StorageError ? error.cause : error;
  if (!(failure instanceof DiskError)) return error;
  const directory = error instanceof StorageError ? error.logDirectory : failure.path;
  const sentence = sentences[failure.code];
  if (sentence === undefined)
    return new StorageError(directory, `${failure.path} cannot be used: ${failure.message}`, { cause: error });
  return new StorageError(directory, `${failure.path} cannot be used. ${sentence}`, { cause: error });
}
