import type { Millis } from '../base/clock.ts';
import type { Disk } from '../base/disk.ts';
import { isReservedDirectory, parseUuid, UuidError } from '../base/uuid.ts';
import { joinPath } from './path.ts';
import { StorageError } from './storage-error.ts';
import { readSmallFile, replaceSmallFile } from './small-file.ts';

export const META_PROPERTIES_FILE = 'meta.properties';

/** 0 is that of the days of ZooKeeper, with a `broker.id`. */
const VERSIONS: ReadonlySet<string> = new Set(['0', '1']);

/** Which node of which cluster a log directory belongs to. */
export interface MetaProperties {
  readonly nodeId: number;
  readonly clusterId: string;
  /** The directory's own id (KIP-858); directories formatted long ago have none. */
  readonly directoryId: string | null;
}

/** Null if there is no such file. Throws a StorageError if there is one and it is not readable. */
export function readMetaProperties(disk: Disk, logDirectory: string): MetaProperties | null {
  const path = joinPath(logDirectory, META_PROPERTIES_FILE);
  const bytes = readSmallFile(disk, path);
  if (bytes === null) return null;
  const fields = new Map<string, string>();
  for (const line of bytes.toString('utf8').split('\n')) {
    const equals = line.indexOf('=');
    if (!line.startsWith('#') && equals > 0) fields.set(line.slice(0, equals).trim(), line.slice(equals + 1).trim());
  }
  const unreadable = (reason: string): StorageError => new StorageError(logDirectory, `${path} is not readable: ${reason}.`);
  const version = fields.get('version');
  if (version === undefined || !VERSIONS.has(version)) {
    throw unreadable(version === undefined ? 'it has no version' : `its version ${version} is not known`);
  }
  const nodeId = Number(fields.get('node.id') ?? fields.get('broker.id') ?? 'none');
  if (!Number.isInteger(nodeId)) throw unreadable('it has no node.id that is a number');
  const clusterId = fields.get('cluster.id') ?? '';
  if (clusterId === '') throw unreadable('it has no cluster.id');
  const directoryId = fields.get('directory.id') ?? null;
  if (directoryId !== null && !isDirectoryId(directoryId))
    throw unreadable(`its directory.id ${directoryId} is no id of a directory`);
  return { nodeId, clusterId, directoryId };
}

function isDirectoryId(text: string): boolean {
  try {
    return !isReservedDirectory(parseUuid(text));
  } catch (error) {
    if (error instanceof UuidError) return false;
    throw error;
  }
}

/** Written once, when a directory is formatted; durable when this returns. */
export function writeMetaProperties(
  disk: Disk,
  logDirectory: string,
  { properties, now }: { readonly properties: MetaProperties; readonly now: Millis },
): void {
  const { nodeId, clusterId, directoryId } = properties;
  const lines = ['#', `#${javaDate(now)}`, `node.id=${nodeId}`];
  if (directoryId !== null) lines.push(`directory.id=${directoryId}`);
  lines.push('version=1', `cluster.id=${clusterId}`);
  const bytes = Buffer.from(`${lines.join('\n')}\n`);
  replaceSmallFile(disk, joinPath(logDirectory, META_PROPERTIES_FILE), bytes, { durable: true });
}

/** As java.util.Date prints it: Sun Nov 29 22:24:32 UTC 2026. */
function javaDate(now: Millis): string {
  const [weekday, day, month, year, time] = new Date(now).toUTCString().replace(',', '').split(' ');
  return `${weekday} ${month} ${day} ${time} UTC ${year}`;
}
