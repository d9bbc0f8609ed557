import { ZERO_UUID } from '../base/uuid.ts';

/** A replica of the metadata log: a node, and the directory that its log is in (null where kraft.version 0 does not tell). */
export interface ReplicaKey {
  readonly id: number;
  readonly directoryId: string | null;
}

export interface VoterEndpoint {
  readonly name: string;
  readonly host: string;
  readonly port: number;
}

export interface Voter extends ReplicaKey {
  readonly endpoints: readonly VoterEndpoint[];
  readonly minKRaftVersion: number;
  readonly maxKRaftVersion: number;
}

/** Who decides: the voters of the metadata quorum at one point of its log. */
export class VoterSet {
  readonly voters: readonly Voter[];

  constructor(voters: readonly Voter[]) {
    this.voters = voters;
  }

  static ofIds(ids: readonly number[]): VoterSet {
    return VoterSet.ofAddresses(ids.map((id) => ({ id, endpoints: [] })));
  }

  /** The static quorum of `controller.quorum.voters`. */
  static ofAddresses(voters: readonly Pick<Voter, 'id' | 'endpoints'>[]): VoterSet {
    return new VoterSet(voters.map((voter) => ({ ...voter, directoryId: null, minKRaftVersion: 0, maxKRaftVersion: 0 })));
  }

  get ids(): readonly number[] {
    return this.voters.map((voter) => voter.id);
  }

  /** How many voters make a decision. */
  get majority(): number {
    return Math.floor(this.voters.length / 2) + 1;
  }

  /** Whether the replica votes. A node whose directory is another one than the voter's lost its log and is not that voter (KIP-853). */
  includes({ id, directoryId }: ReplicaKey): boolean {
    return this.voters.some(
      (voter) => voter.id === id && (voter.directoryId === null || directoryId === null || voter.directoryId === directoryId),
    );
  }

  isOnlyVoter(replica: ReplicaKey): boolean {
    return this.voters.length === 1 && this.includes(replica);
  }

  othersThan(id: number): readonly Voter[] {
    return this.voters.filter((voter) => voter.id !== id);
  }
}

/** The directory id as the wire has it. */
export const directoryIdOrZero = (replica: ReplicaKey): string => replica.directoryId ?? ZERO_UUID;
