import type { Environment } from '../../../base/environment.ts';
import { parseUuid, randomUuid, UuidError } from '../../../base/uuid.ts';
import { parseAddress } from '../../../config/quorum-addresses.ts';
import type { NodeSettings } from '../../../config/node-settings.ts';
import { bootstrapSnapshot } from '../../../controller/storage-formatter.ts';
import { LATEST_METADATA_VERSION, metadataVersionNamed } from '../../../metadata/metadata-version.ts';
import { KafkaError } from '../../../protocol/errors.ts';
import { formatDirectories } from '../../../raft/format-directories.ts';
import { type Voter, VoterSet } from '../../../raft/voter-set.ts';
import { readMetaProperties } from '../../../storage/meta-properties.ts';
import { standaloneVoters, voterOf } from '../../standalone-voters.ts';
import { directoriesOf } from './storage-info.ts';

/** Who the first voters of the metadata quorum are, where the configs do not say (KIP-853). */
export type InitialControllers =
  | { readonly kind: 'standalone' }
  | { readonly kind: 'none' }
  /** `ID@HOST:PORT:DIRECTORY_ID`, separated by commas. */
  | { readonly kind: 'listed'; readonly text: string };

export interface FormatStorageOptions {
  readonly clusterId: string;
  /** Of the metadata version: `4.4`, `4.4-IV2` or a level; the newest, if null. */
  readonly releaseVersion: string | null;
  readonly features: ReadonlyMap<string, number>;
  readonly initialControllers: InitialControllers | null;
  /** Directories that are formatted already are left alone. */
  readonly ignoreFormatted: boolean;
}

export interface FormattedStorage {
  readonly metadataVersion: number;
  readonly directories: readonly { readonly path: string; readonly directoryId: string; readonly isMetadata: boolean }[];
}

/** Formats what is not formatted of a node's directories. Throws KafkaError (INVALID_CONFIG, UNSUPPORTED_VERSION) and touches nothing then. */
export function formatStorage(environment: Environment, settings: NodeSettings, options: FormatStorageOptions): FormattedStorage {
  const { disk, random, clock } = environment;
  const clusterId = clusterIdOf(options.clusterId);
  const metadataVersion = metadataVersionOf(options.releaseVersion);
  const missing = directoriesOf(settings).filter((path) => {
    if (readMetaProperties(disk, path) === null) return true;
    if (options.ignoreFormatted) return false;
    const advice = 'Use --ignore-formatted to ignore this directory and format the others.';
    throw new KafkaError('INVALID_CONFIG', `Log directory ${path} is already formatted. ${advice}`);
  });
  const directories = missing.map((path) => ({
    path,
    directoryId: randomUuid(random),
    isMetadata: path === settings.metadataLogDirectory,
  }));
  const metadataDirectory = directories.find(({ isMetadata }) => isMetadata);
  const voters = votersOf(settings, options.initialControllers, metadataDirectory?.directoryId ?? randomUuid(random));
  const listed = voters?.voters.find((voter) => voter.id === settings.nodeId);
  const formatted = directories.map((one) =>
    one.isMetadata && listed?.directoryId ? { ...one, directoryId: listed.directoryId } : one,
  );
  const metadata =
    metadataDirectory === undefined
      ? null
      : {
          logDirectory: settings.metadataLogDirectory,
          bootstrapSnapshot: bootstrapSnapshot({ metadataVersion, features: options.features, voters }, clock),
        };
  if (formatted.length > 0)
    formatDirectories(environment, { clusterId, nodeId: settings.nodeId, directories: formatted, metadata });
  return { metadataVersion, directories: formatted };
}

function clusterIdOf(text: string): string {
  try {
    return parseUuid(text);
  } catch (error) {
    if (!(error instanceof UuidError)) throw error;
    const advice = 'Make one with `ottla storage random-uuid`.';
    throw new KafkaError(
      'INVALID_CONFIG',
      `Cluster ID string ${text} does not appear to be a valid UUID: ${error.message}. ${advice}`,
    );
  }
}

function metadataVersionOf(text: string | null): number {
  const level = text === null ? LATEST_METADATA_VERSION : metadataVersionNamed(text);
  if (level === null) throw new KafkaError('INVALID_CONFIG', `Unknown release version ${text}.`);
  return level;
}

/** Null where the quorum is fixed by the configs, or where this node is to find it. */
function votersOf(settings: NodeSettings, initial: InitialControllers | null, directoryId: string): VoterSet | null {
  if (settings.voters.length > 0 || settings.isEmbedded) {
    if (initial === null || initial.kind === 'none') return null;
    const why = settings.isEmbedded
      ? 'The configs name no quorum: this node is one of its own'
      : 'controller.quorum.voters fixes the quorum';
    throw new KafkaError('INVALID_CONFIG', `${why}; leave --standalone and --initial-controllers out.`);
  }
  if (initial === null) {
    if (!settings.isController) return null;
    const choice = 'you must specify one of the following: --standalone, --initial-controllers, or --no-initial-controllers.';
    throw new KafkaError('INVALID_CONFIG', `Because controller.quorum.voters is not set on this controller, ${choice}`);
  }
  switch (initial.kind) {
    case 'none':
      return null;
    case 'listed':
      return new VoterSet(initial.text.split(',').map((entry) => listedVoter(entry, settings)));
    default: {
      if (!settings.isController) throw new KafkaError('INVALID_CONFIG', 'A node that is no controller cannot be the quorum.');
      return standaloneVoters(settings, directoryId);
    }
  }
}

function listedVoter(entry: string, settings: NodeSettings): Voter {
  const match = /^(\d+)@(.+):([A-Za-z0-9_-]{22})$/.exec(entry.trim());
  const address = match?.[2] === undefined ? null : parseAddress(match[2]);
  const name = settings.controllerListenerNames[0];
  if (match === null || address === null || name === undefined) {
    throw new KafkaError('INVALID_CONFIG', `"${entry}" is not a controller. It must have the form ID@HOST:PORT:DIRECTORY_ID.`);
  }
  return voterOf(Number(match[1]), parseUuid(match[3] ?? ''), [{ name, ...address }]);
}
