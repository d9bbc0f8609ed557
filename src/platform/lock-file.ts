import * as fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { DiskLock } from '../base/disk.ts';
import { cLibrary } from './native/c-library.ts';

/** Paths that this process has locked: the operating system's lock keeps out other processes only. */
const lockedHere = new Set<string>();

/**
 * Takes the lock file at `path`, or gives null if a live process has it. Apache Kafka's `.lock` is taken and respected: both lock
 * the whole file with fcntl(2), which a dead process cannot leave behind. The file also names its holder; where the C library
 * is out of reach, that name alone decides, so that a file without one, or of a process that is gone, is free.
 * Throws the operating system's errors.
 */
export function takeLockFile(path: string): Required<DiskLock> | null {
  const key = join(fs.realpathSync(dirname(path)), basename(path));
  if (lockedHere.has(key)) return null;
  const descriptor = openLocked(path);
  if (descriptor === null) return null;
  lockedHere.add(key);
  return {
    syncFileSystem: (directories) => {
      const { dev } = fs.fstatSync(descriptor);
      const areHere = directories.every((directory) => fs.statSync(directory, { throwIfNoEntry: false })?.dev === dev);
      // The descriptor is as old as the lock: the system tells by it of everything that it has failed to write since.
      return areHere && cLibrary()?.syncFileSystem?.(descriptor) === true;
    },
    release: () => {
      if (!lockedHere.delete(key)) return;
      try {
        // Removed while it is still locked, so that nobody can lose a lock taken on this file in between.
        fs.rmSync(path, { force: true });
      } finally {
        fs.closeSync(descriptor);
      }
    },
  };
}

function openLocked(path: string): number | null {
  for (;;) {
    const descriptor = fs.openSync(path, fs.constants.O_RDWR | fs.constants.O_CREAT, 0o644);
    if (!isFree(descriptor)) {
      fs.closeSync(descriptor);
      return null;
    }
    if (isStillAt(path, descriptor)) {
      fs.ftruncateSync(descriptor, 0);
      fs.writeSync(descriptor, describeProcess(process.pid) ?? String(process.pid), 0);
      return descriptor;
    }
    // The former holder removed the file between our open and our lock: what we hold is a lock on nothing.
    fs.closeSync(descriptor);
  }
}

function isFree(descriptor: number): boolean {
  const library = cLibrary();
  if (library !== null && !library.tryLock(descriptor)) return false;
  return !namesLiveProcess(fs.readFileSync(descriptor, 'utf8'));
}

function isStillAt(path: string, descriptor: number): boolean {
  const there = fs.statSync(path, { throwIfNoEntry: false });
  return there !== undefined && there.ino === fs.fstatSync(descriptor).ino;
}

function namesLiveProcess(text: string): boolean {
  const pid = Number.parseInt(text, 10);
  if (!(pid > 0) || pid === process.pid) return false;
  const description = describeProcess(pid);
  return description === null ? isAlive(pid) : description === text;
}

/** Number and birth of a process, so that a number that was given out again is not taken for its former bearer; null off Linux. */
function describeProcess(pid: number): string | null {
  try {
    const boot = fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The program's name is in brackets and may hold anything; the start time is the 20th field after it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie runs no more and holds nothing.
    return fields[0] === 'Z' ? `${pid} gone` : `${pid} ${fields[19]} ${boot}`;
  } catch {
    return fs.existsSync('/proc/self/stat') ? `${pid} gone` : null;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
