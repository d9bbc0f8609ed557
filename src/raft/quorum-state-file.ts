import type { Disk } from '../base/disk.ts';
import { ZERO_UUID } from '../base/uuid.ts';
import { joinPath } from '../storage/path.ts';
import { readSmallFile, replaceSmallFile } from '../storage/small-file.ts';
import type { ReplicaKey } from './voter-set.ts';

export const QUORUM_STATE_FILE = 'quorum-state';
const HIGHEST_VERSION = 1;

/** What a voter must never forget: the epoch, whom it voted for in it, and who was elected. */
export interface ElectionState {
  readonly epoch: number;
  readonly leaderId: number | null;
  readonly voted: ReplicaKey | null;
}

/** A quorum-state file that cannot be trusted. The node must not start: guessing could elect two leaders in one epoch. */
export class QuorumStateError extends Error {
  override readonly name = 'QuorumStateError';
}

interface QuorumStateJson {
  readonly leaderId: number;
  readonly leaderEpoch: number;
  readonly votedId: number;
  readonly votedDirectoryId?: string;
  readonly data_version: number;
}

/**
 * The file `quorum-state` in the metadata log's directory: one line of JSON, in the two forms of kraft.version 0 (which lists the
 * voters) and 1. Written and synced before anything is said that depends on it.
 */
export class QuorumStateFile {
  readonly #disk: Disk;
  readonly #path: string;

  constructor(disk: Disk, directory: string) {
    this.#disk = disk;
    this.#path = joinPath(directory, QUORUM_STATE_FILE);
  }

  /** Null if there is none yet. Throws QuorumStateError for a file of another version or one that is damaged. */
  read(): ElectionState | null {
    const bytes = readSmallFile(this.#disk, this.#path);
    if (bytes === null) return null;
    return parseQuorumState(bytes.toString('utf8'), this.#path);
  }

  write(state: ElectionState, form: QuorumStateForm): void {
    replaceSmallFile(this.#disk, this.#path, Buffer.from(formatQuorumState(state, form)), { durable: true });
  }
}

/** How the file is written: as kraft.version 0 with the voters' ids, or as 1. */
export interface QuorumStateForm {
  readonly kraftVersion: number;
  readonly voterIds: readonly number[];
}

export function formatQuorumState(state: ElectionState, { kraftVersion, voterIds }: QuorumStateForm): string {
  const leaderId = state.leaderId ?? -1;
  const votedId = state.voted?.id ?? -1;
  const { epoch: leaderEpoch } = state;
  if (kraftVersion === 0) {
    const currentVoters = voterIds.map((voterId) => ({ voterId }));
    return JSON.stringify({ clusterId: '', leaderId, leaderEpoch, votedId, appliedOffset: 0, currentVoters, data_version: 0 });
  }
  const votedDirectoryId = state.voted?.directoryId ?? ZERO_UUID;
  return JSON.stringify({ leaderId, leaderEpoch, votedId, votedDirectoryId, data_version: 1 });
}

export function parseQuorumState(text: string, path: string): ElectionState {
  const json = parseJson(text, path);
  const voted = json.votedId < 0 ? null : { id: json.votedId, directoryId: votedDirectory(json.votedDirectoryId) };
  return { epoch: json.leaderEpoch, leaderId: json.leaderId < 0 ? null : json.leaderId, voted };
}

const votedDirectory = (id: string | undefined): string | null => (id === undefined || id === ZERO_UUID ? null : id);

function parseJson(text: string, path: string): QuorumStateJson {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new QuorumStateError(`${path} is not JSON`, { cause: error });
  }
  if (!isQuorumState(json)) throw new QuorumStateError(`${path} lacks one of leaderId, leaderEpoch, votedId and data_version`);
  if (json.data_version < 0 || json.data_version > HIGHEST_VERSION) {
    throw new QuorumStateError(`${path} has version ${json.data_version}, which this release cannot read`);
  }
  return json;
}

function isQuorumState(json: unknown): json is QuorumStateJson {
  if (typeof json !== 'object' || json === null) return false;
  const fields = new Map<string, unknown>(Object.entries(json));
  return ['leaderId', 'leaderEpoch', 'votedId', 'data_version'].every((name) => Number.isInteger(fields.get(name)));
}
