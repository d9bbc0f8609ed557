import type { Disk } from '../base/disk.ts';
import type { Environment } from '../base/environment.ts';
import { randomUuid } from '../base/uuid.ts';
import type { NodeSettings } from '../config/node-settings.ts';
import { bootstrapSnapshot } from '../controller/storage-formatter.ts';
import { formatDirectories } from '../raft/format-directories.ts';
import { METADATA_DIRECTORY } from '../raft/partition-raft-log.ts';
import { QUORUM_STATE_FILE } from '../raft/quorum-state-file.ts';
import { kindOfDirectory } from '../storage/log-directory.ts';
import { type MetaProperties, readMetaProperties, writeMetaProperties } from '../storage/meta-properties.ts';
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
 * first start, as long as nothing lies there that it would be taken away from. Throws a StorageError where the directories contradict each
 * other or the configs, or where what they hold would be lost.
 */
export function identifyNode(environment: Environment, settings: NodeSettings, paths: readonly string[]): NodeIdentity {
  const { disk, random } = environment;
  const found = paths.map((path) => ({ path, properties: readMetaProperties(disk, path) }));
  checkAgreement(found, settings.nodeId);
  const known = found.find(({ properties }) => properties !== null)?.properties ?? null;
  const metadata = found.find(({ path }) => path === settings.metadataLogDirectory)?.properties ?? null;
  const missing = found.filter(({ properties }) => properties === null).map(({ path }) => path);
  if (known === null && !isAlone(settings)) throw notFormatted(settings);
  for (const path of missing) checkEmpty(disk, path);
  if (known !== null && metadata === null) throw metadataGone(settings, known);
  // A format that was cut off is completed; what is missing once the node has been at work was there, or has to be added by whoever knows.
  const [first] = missing;
  if (known !== null && first !== undefined && hasBegun(disk, settings.metadataLogDirectory)) throw directoryGone(first, known);
  if (known !== null) checkMetadataLog(environment, settings, paths);
  const clusterId = known?.clusterId ?? randomUuid(random);
  const directories = missing.map((path) => ({ path, directoryId: randomUuid(random) }));
  if (directories.length > 0) format(environment, settings, { clusterId, directories, isNewNode: known === null });
  const ids = new Map(directories.map(({ path, directoryId }) => [path, directoryId]));
  for (const { path, properties } of found) {
    if (properties?.directoryId === null) ids.set(path, giveDirectoryId(environment, path, properties));
  }
  return { clusterId, metadataDirectoryId: ids.get(settings.metadataLogDirectory) ?? metadata?.directoryId ?? null };
}

/** Directories that were formatted long ago have no ids of their own. */
function giveDirectoryId({ disk, random, clock }: Environment, path: string, properties: MetaProperties): string {
  const directoryId = randomUuid(random);
  writeMetaProperties(disk, path, { properties: { ...properties, directoryId }, now: clock.now() });
  return directoryId;
}

/** Logs without the file that says whose they are: whoever gave them another name would lose them. */
function checkEmpty(disk: Disk, path: string): void {
  if (!hasBegun(disk, path) && !disk.list(path).some(({ name }) => isTopicLog(name))) return;
  const what = `No meta.properties found in ${path}, although there are logs: it says which node and cluster they belong to.`;
  const advice = 'Put it back (node.id, cluster.id and directory.id as they were, and version=1), or take another directory.';
  throw new StorageError(path, `${what} ${advice}`);
}

const isTopicLog = (name: string): boolean => name !== METADATA_DIRECTORY && kindOfDirectory(name).kind === 'log';

/** Whether there is a metadata log, and more in it than formatting leaves. */
function hasBegun(disk: Disk, path: string): boolean {
  const directory = joinPath(path, METADATA_DIRECTORY);
  return disk.exists(directory) && disk.list(directory).some(({ name }) => name.endsWith('.log') || name === QUORUM_STATE_FILE);
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
  const hasLogs = paths.some((each) => disk.list(each).some(({ name }) => isTopicLog(name)));
  if (!hasLogs) return;
  const advice = 'Put it back: without it nobody knows what the logs in the directories of this node are.';
  throw new StorageError(metadataLogDirectory, `The metadata log ${path} is missing. ${advice}`);
}

function notFormatted({ metadataLogDirectory, logDirectories }: NodeSettings): StorageError {
  const paths = logDirectories.join(', ');
  const advice = 'Run `ottla storage format` with the cluster id of the other nodes first.';
  return new StorageError(metadataLogDirectory, `No log directory of this node (${paths}) is formatted. ${advice}`);
}

function directoryGone(path: string, { clusterId }: MetaProperties): StorageError {
  const what = `No meta.properties found in ${path}, although other directories of this node are formatted.`;
  const advice = `Is the right disk mounted there? A new directory is added by \`ottla storage format --ignore-formatted --cluster-id ${clusterId}\``;
  return new StorageError(path, `${what} ${advice} with the configs of this node.`);
}

function metadataGone({ metadataLogDirectory: path }: NodeSettings, { clusterId }: MetaProperties): StorageError {
  const what = `${path} is to hold the metadata log of cluster ${clusterId}, but is not formatted.`;
  const advice = 'Is the right disk mounted there? If the metadata is lost for good, `ottla storage format --ignore-formatted`';
  return new StorageError(path, `${what} ${advice} begins a new one.`);
}
