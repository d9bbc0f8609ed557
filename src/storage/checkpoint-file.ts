import type { Disk } from '../base/disk.ts';
import { readSmallFile, replaceSmallFile } from './small-file.ts';

/**
 * Kafka's text checkpoints: a line with the version, a line with the number of entries, a line an entry. There is no checksum, so everything
 * a checkpoint says must be possible to find out again from the log itself.
 */
export interface CheckpointFormat<Entry> {
  readonly version: number;
  readonly format: (entry: Entry) => string;
  /** Null for a line that is not an entry. */
  readonly parse: (line: string) => Entry | null;
}

/** The file is there and is not what it should be. */
export class CheckpointError extends Error {
  override readonly name = 'CheckpointError';
}

/** The entries; empty if the file is missing or holds nothing. Throws a CheckpointError if it is unreadable. */
export function readCheckpoint<Entry>(disk: Disk, path: string, format: CheckpointFormat<Entry>): Entry[] {
  const bytes = readSmallFile(disk, path);
  if (bytes === null || bytes.length === 0) return [];
  return parseCheckpoint(bytes.toString('utf8'), path, format);
}

export function parseCheckpoint<Entry>(text: string, path: string, format: CheckpointFormat<Entry>): Entry[] {
  if (!text.endsWith('\n')) throw new CheckpointError(`${path} ends in the middle of a line`);
  const lines = text.split('\n');
  if (lines[0] !== String(format.version)) throw new CheckpointError(`${path} does not start with version ${format.version}`);
  const count = parseWhole(lines[1] ?? '');
  if (count === null) throw new CheckpointError(`${path} does not say how many entries it has`);
  const body = lines.slice(2).filter((line) => line !== '');
  if (body.length !== count) throw new CheckpointError(`${path} has ${body.length} entries, but says ${count}`);
  return body.map((line) => {
    const entry = format.parse(line);
    if (entry === null) throw new CheckpointError(`${path} has a malformed line: ${JSON.stringify(line.slice(0, 200))}`);
    return entry;
  });
}

export function checkpointBytes<Entry>(entries: Iterable<Entry>, format: CheckpointFormat<Entry>): Buffer {
  const lines: string[] = [];
  for (const entry of entries) lines.push(format.format(entry));
  return Buffer.from(`${[String(format.version), String(lines.length), ...lines].join('\n')}\n`);
}

export interface CheckpointWrite<Entry> {
  readonly path: string;
  readonly entries: Iterable<Entry>;
  readonly format: CheckpointFormat<Entry>;
  readonly durable: boolean;
}

export function writeCheckpoint<Entry>(disk: Disk, write: CheckpointWrite<Entry>): void {
  replaceSmallFile(disk, write.path, checkpointBytes(write.entries, write.format), { durable: write.durable });
}

/** A whole number without sign or decoration that a double holds exactly, otherwise null. */
export function parseWhole(text: string): number | null {
  if (!/^\d{1,16}$/.test(text)) return null;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : null;
}
