import type { Environment } from '../base/environment.ts';
import { randomUuid } from '../base/uuid.ts';
import type { NodeSettings } from '../config/node-settings.ts';
import { bootstrapSnapshot } from '../controller/storage-formatter.ts';
import { formatDirectories } from '../raft/format-directories.ts';
import { METADATA_DIRECTORY } from '../raft/partition-raft-log.ts';
import { kindOfDirectory } from '../storage/log-directory.ts';
import { type MetaProperties, readMetaProperties } from '../storage/meta-properties.ts';
import { joinPath } from '../storage/path.ts';
import { StorageError } from '../storage/storage-error.ts';
import { isAlone, standaloneVoters } from './standalone-voters.ts';

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

/** All directories of a node, that of the metadata log first, each once. */
export const nodeDirectories = ({ metadataLogDirectory, logDirectories }: NodeSettings): string[] => [
  ...new Set([metadataLogDirectory, ...logDirectories]),
];

/**
 * Reads which node and cluster the directories belong to, among them that of the metadata log. A cluster of one formats itself at its
 * first start, and any node formats a directory that was added to it. Throws a StorageError where the directories contradict each
 * other or the configs, or where what they hold would be lost.
 */
export function identifyNode(environment: Environment, settings: NodeSettings, paths: readonly string[]): NodeIdentity {
  const { disk } = environment;
  const found = paths.map((path) => ({ path, properties: readMetaProperties(disk, path) }));
  checkAgreement(found, settings.nodeId);
  const known = found.find(({ properties }) => properties !== null)?.properties ?? null;
  const metadata = found.find(({ path }) => path === settings.metadataLogDirectory)?.properties ?? null;
  if (known === null && !isAlone(settings)) throw notFormatted(settings);
  if (known !== null && metadata === null) throw metadataGone(settings, known);
  if (known !== null) checkMetadataLog(environment, settings, paths);
  const clusterId = known?.clusterId ?? randomUuid(environment.random);
  const missing = found.filter(({ properties }) => properties === null).map(({ path }) => path);
  const directories = missing.map((path) => ({ path, directoryId: randomUuid(environment.random) }));
  if (directories.length > 0) format(environment, settings, { clusterId, directories, isNewNode: known === null });
  const added = directories.find(({ path }) => path === settings.metadataLogDirectory);
  return { clusterId, metadataDirectoryId: added?.directoryId ?? metadata?.directoryId ?? null };
}

interface Formatting {
  readonly clusterId: string;
  readonly directories: readonly { readonly path: string; readonly directoryId: string }[];
  /** There is no metadata log yet. */
  readonly isNewNode: boolean;
}

function format(environment: Environment, settings: NodeSettings, { clusterId, directories, isNewNode }: Formatting): void {
  const { metadataLogDirectory: logDirectory, nodeId } = settings;
  const own = directories.find(({ path }) => path === logDirectory);
  // Where the configs fix the quorum, the log does not tell it; where they only say how to find it, it has to.
  const isDynamic = settings.bootstrapServers.length > 0 && settings.voters.length === 0;
  const voters = isDynamic && own !== undefined ? standaloneVoters(settings, own.directoryId) : null;
  const metadata = isNewNode ? { logDirectory, bootstrapSnapshot: bootstrapSnapshot({ voters }, environment.clock) } : null;
  formatDirectories(environment, { clusterId, nodeId, directories, metadata });
  environment.logger.info('Formatted the log directories', { clusterId, directories: directories.map(({ path }) => path) });
}

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
      throw new StorageError(path, `${whose} Directories of one node belong to one cluster.`);
    }
    const { directoryId } = properties;
    const other = directoryId === null ? undefined : directoryIds.get(directoryId);
    if (other !== undefined) throw new StorageError(path, `${path} and ${other} have the same directory id ${directoryId}.`);
    if (directoryId !== null) directoryIds.set(directoryId, path);
  }
}

/** Logs without the metadata that they belong to would all be put aside: whoever took it away has to say so. */
function checkMetadataLog({ disk }: Environment, { metadataLogDirectory }: NodeSettings, paths: readonly string[]): void {
  const path = joinPath(metadataLogDirectory, METADATA_DIRECTORY);
  if (disk.exists(path)) return;
  const hasLogs = paths.some((each) => disk.list(each).some(({ name }) => kindOfDirectory(name).kind === 'log'));
  if (!hasLogs) return;
  const advice = 'Put it back: without it nobody knows what the logs in the directories of this node are.';
  throw new StorageError(metadataLogDirectory, `The metadata log ${path} is missing. ${advice}`);
}

function notFormatted({ metadataLogDirectory, logDirectories }: NodeSettings): StorageError {
  const paths = logDirectories.join(', ');
  const advice = 'Run `ottla storage format` with the cluster id of the other nodes first.';
  return new StorageError(metadataLogDirectory, `No log directory of this node (${paths}) is formatted. ${advice}`);
}

function metadataGone({ metadataLogDirectory: path }: NodeSettings, { clusterId }: MetaProperties): StorageError {
  const what = `${path} is to hold the metadata log of cluster ${clusterId}, but is not formatted.`;
  const advice = 'Is the right disk mounted there? If the metadata is lost for good, `ottla storage format --ignore-formatted`';
  return new StorageError(path, `${what} ${advice} begins a new one.`);
}
