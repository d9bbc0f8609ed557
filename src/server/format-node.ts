import type { Environment } from '../base/environment.ts';
import { randomUuid } from '../base/uuid.ts';
import type { NodeSettings } from '../config/node-settings.ts';
import { bootstrapSnapshot } from '../controller/storage-formatter.ts';
import { formatDirectories } from '../raft/format-directories.ts';
import { type MetaProperties, readMetaProperties } from '../storage/meta-properties.ts';
import { StorageError } from '../storage/storage-error.ts';

/** Who this node is, by its log directories. */
export interface NodeIdentity {
  readonly clusterId: string;
  /** Of the directory that holds the metadata log; null if that was formatted long ago. */
  readonly metadataDirectoryId: string | null;
}

interface FoundDirectory {
  readonly path: string;
  readonly properties: MetaProperties | null;
}

/**
 * Reads which node and cluster the log directories belong to. A cluster of one formats itself at its first start, and any node
 * formats a directory that was added to it. Throws a StorageError where the directories contradict each other or the configs.
 */
export function identifyNode(environment: Environment, settings: NodeSettings): NodeIdentity {
  const { disk, random, logger } = environment;
  const paths = [...new Set([settings.metadataLogDirectory, ...settings.logDirectories])];
  const found = paths.map((path) => ({ path, properties: readMetaProperties(disk, path) }));
  checkAgreement(found, settings.nodeId);
  const known = found.find(({ properties }) => properties !== null)?.properties ?? null;
  if (known === null && !isAlone(settings)) throw notFormatted(settings);
  const clusterId = known?.clusterId ?? randomUuid(random);
  const missing = found.filter(({ properties }) => properties === null);
  const directories = missing.map(({ path }) => ({ path, directoryId: randomUuid(random) }));
  if (directories.length > 0) {
    const isNewMetadataLog = known === null;
    const metadata = isNewMetadataLog
      ? { logDirectory: settings.metadataLogDirectory, bootstrapSnapshot: bootstrapSnapshot({ voters: null }, environment.clock) }
      : null;
    formatDirectories(environment, { clusterId, nodeId: settings.nodeId, directories, metadata });
    logger.info('Formatted the log directories', { clusterId, directories: directories.map(({ path }) => path) });
  }
  const metadataDirectory = found.find(({ path }) => path === settings.metadataLogDirectory);
  const added = directories.find(({ path }) => path === settings.metadataLogDirectory);
  return { clusterId, metadataDirectoryId: added?.directoryId ?? metadataDirectory?.properties?.directoryId ?? null };
}

/** Nobody else has a say in which cluster this is. */
const isAlone = ({ isController, isEmbedded, voters, nodeId, bootstrapServers }: NodeSettings): boolean =>
  isEmbedded || (isController && bootstrapServers.length === 0 && voters.every(({ id }) => id === nodeId));

function checkAgreement(found: readonly FoundDirectory[], nodeId: number): void {
  let first: { readonly path: string; readonly clusterId: string } | null = null;
  const directoryIds = new Map<string, string>();
  for (const { path, properties } of found) {
    if (properties === null) continue;
    if (properties.nodeId !== nodeId) {
      const advice = 'Start it with the node.id that it was formatted for, or with another directory.';
      throw new StorageError(path, `${path} belongs to node ${properties.nodeId}, not to node ${nodeId}. ${advice}`);
    }
    first ??= { path, clusterId: properties.clusterId };
    if (properties.clusterId !== first.clusterId) {
      const whose = `${path} belongs to cluster ${properties.clusterId}, but ${first.path} to cluster ${first.clusterId}.`;
      throw new StorageError(path, whose);
    }
    const { directoryId } = properties;
    const other = directoryId === null ? undefined : directoryIds.get(directoryId);
    if (other !== undefined) throw new StorageError(path, `${path} and ${other} have the same directory id ${directoryId}.`);
    if (directoryId !== null) directoryIds.set(directoryId, path);
  }
}

function notFormatted({ metadataLogDirectory, logDirectories }: NodeSettings): StorageError {
  const paths = logDirectories.join(', ');
  const advice = 'Run `ottla storage format` with the cluster id of the other nodes first.';
  return new StorageError(metadataLogDirectory, `No log directory of this node (${paths}) is formatted. ${advice}`);
}
