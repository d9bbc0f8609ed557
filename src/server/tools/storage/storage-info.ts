import type { Disk } from '../../../base/disk.ts';
import { DiskError } from '../../../base/disk.ts';
import type { NodeSettings } from '../../../config/node-settings.ts';
import { type MetaProperties, readMetaProperties } from '../../../storage/meta-properties.ts';
import { StorageError } from '../../../storage/storage-error.ts';

/** What the log directories of a node say about themselves. */
export interface StorageInfo {
  /** Directories that exist. */
  readonly found: readonly string[];
  /** Those of them that are formatted. */
  readonly formatted: readonly { readonly path: string; readonly properties: MetaProperties }[];
  /** Sentences about what is not as it should be. */
  readonly problems: readonly string[];
}

/** Whether a node did not start because of what is in its directories; the message says what. */
export const isStorageError = (error: unknown): error is Error => error instanceof StorageError;

/** The directories of a node, each once, in order of name. */
export const directoriesOf = ({ logDirectories, metadataLogDirectory }: NodeSettings): string[] =>
  [...new Set([...logDirectories, metadataLogDirectory])].sort();

export function storageInfo(disk: Disk, settings: NodeSettings): StorageInfo {
  const found: string[] = [];
  const formatted: { path: string; properties: MetaProperties }[] = [];
  const problems: string[] = [];
  for (const path of directoriesOf(settings)) {
    if (!disk.exists(path)) {
      problems.push(`${path} does not exist`);
      continue;
    }
    if (!isDirectory(disk, path)) {
      problems.push(`${path} is not a directory`);
      continue;
    }
    found.push(path);
    try {
      const properties = readMetaProperties(disk, path);
      if (properties === null) problems.push(`${path} is not formatted.`);
      else formatted.push({ path, properties });
    } catch (error) {
      if (!(error instanceof StorageError || error instanceof DiskError)) throw error;
      problems.push(error.message);
    }
  }
  const [first] = formatted;
  for (const { path, properties } of formatted.slice(1)) {
    if (
      first !== undefined &&
      (properties.clusterId !== first.properties.clusterId || properties.nodeId !== first.properties.nodeId)
    ) {
      problems.push(
        `Metadata for ${path} was ${propertiesText(properties)}, but other directories featured ${propertiesText(first.properties)}`,
      );
    }
  }
  return { found, formatted, problems };
}

/** As Kafka's tool shows them. */
export const propertiesText = ({ clusterId, directoryId, nodeId }: MetaProperties): string =>
  `{cluster.id=${clusterId}${directoryId === null ? '' : `, directory.id=${directoryId}`}, node.id=${nodeId}, version=1}`;

function isDirectory(disk: Disk, path: string): boolean {
  try {
    disk.list(path);
    return true;
  } catch (error) {
    if (error instanceof DiskError && error.code === 'ENOTDIR') return false;
    throw error;
  }
}
