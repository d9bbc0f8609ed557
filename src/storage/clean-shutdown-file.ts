import type { Disk } from '../base/disk.ts';
import { joinPath } from './path.ts';
import { readSmallFile, replaceSmallFile } from './small-file.ts';

const CLEAN_SHUTDOWN_FILE = '.kafka_cleanshutdown';
const UNKNOWN_BROKER_EPOCH = -1;

/**
 * The marker of an orderly stop: the last thing that is written, the first that is removed (KAFKA-10471). It says which registration of the broker stopped, so that
 * the controller can tell a clean restart from a lost disk (KIP-966).
 */
export interface CleanShutdown {
  readonly brokerEpoch: number;
}

/** Takes the marker away, for good, and tells what it said; null if there was none. */
export function takeCleanShutdownMarker(disk: Disk, logDirectory: string): CleanShutdown | null {
  const path = joinPath(logDirectory, CLEAN_SHUTDOWN_FILE);
  const bytes = readSmallFile(disk, path);
  if (bytes === null) return null;
  disk.remove(path);
  disk.syncDirectory(logDirectory);
  return { brokerEpoch: brokerEpochOf(bytes.toString('utf8')) };
}

export function writeCleanShutdownMarker(disk: Disk, logDirectory: string, { brokerEpoch }: CleanShutdown): void {
  const bytes = Buffer.from(JSON.stringify({ version: 0, brokerEpoch }));
  replaceSmallFile(disk, joinPath(logDirectory, CLEAN_SHUTDOWN_FILE), bytes, { durable: true });
}

function brokerEpochOf(text: string): number {
  const match = /"brokerEpoch"\s*:\s*(-?\d+)/.exec(text);
  return match === null ? UNKNOWN_BROKER_EPOCH : Number(match[1]);
}
