import type { Millis } from '../../base/clock.ts';
import type { ElectionState } from '../quorum-state-file.ts';
import type { OffsetAndEpoch } from '../raft-log.ts';
import type { ReplicaKey, VoterSet } from '../voter-set.ts';

/** What a role is told: answers and requests of other voters, and what happened to the own log. */
export type RaftMessage =
  | VoteRequest
  | VoteResponse
  | { readonly type: 'leader-announced'; readonly epoch: number; readonly leaderId: number }
  /** A replica (this node included) holds everything before `endOffset` durably. */
  | { readonly type: 'replica-reached'; readonly replica: ReplicaKey; readonly endOffset: number }
  /** The owner of this node wants it to lead no longer. */
  | { readonly type: 'resign' };

export interface VoteRequest {
  readonly type: 'vote-request';
  readonly epoch: number;
  readonly candidate: ReplicaKey;
  readonly lastOffset: OffsetAndEpoch;
}

export interface VoteResponse {
  readonly type: 'vote-response';
  readonly epoch: number;
  readonly voter: ReplicaKey;
  readonly granted: boolean;
}

/** What must be done, in this order: persist, append, send, watermark, become. */
export interface Effects {
  /** To be on disk before anything else happens. */
  readonly persist?: ElectionState;
  /** The leader's first batch: the control record that tells of its election. */
  readonly appendLeaderChange?: { readonly grantingVoters: readonly number[] };
  readonly send?: readonly { readonly to: ReplicaKey; readonly message: RaftMessage }[];
  readonly highWatermark?: number;
  readonly become?: Transition;
}

/** The role a node takes next. */
export type Transition =
  | { readonly to: 'unattached'; readonly election: ElectionState }
  | { readonly to: 'follower'; readonly epoch: number; readonly leaderId: number }
  | { readonly to: 'candidate'; readonly epoch: number }
  | { readonly to: 'leader'; readonly epoch: number; readonly grantingVoters: readonly number[] }
  | { readonly to: 'resigned'; readonly epoch: number };

export const NO_EFFECTS: Effects = {};

/** What every role knows about its node. */
export interface RoleContext {
  readonly self: ReplicaKey;
  voters(): VoterSet;
  /** Where the own log ends. */
  logEnd(): OffsetAndEpoch;
  /** How long to wait for an election before the next one: random, so that candidates do not collide for ever. */
  electionTimeout(): Millis;
}

/**
 * What a node is in one epoch of the metadata quorum. Roles touch nothing: they are told, and say what is to be done. The driver
 * (`raft-client.ts`) does it and replaces the role when told to.
 */
export interface Role {
  readonly name: 'unattached' | 'follower' | 'candidate' | 'leader' | 'resigned';
  readonly epoch: number;
  readonly leaderId: number | null;
  /** On becoming the role. */
  start(now: Millis): Effects;
  receive(message: RaftMessage, now: Millis): Effects;
  /** To be called at `nextDeadline`, or earlier. */
  tick(now: Millis): { readonly effects: Effects; readonly nextDeadline: Millis };
}

/** A role with nothing to wait for. */
export const NEVER: Millis = Number.POSITIVE_INFINITY;
