import type { ElectionState } from '../quorum-state-file.ts';
import { compareOffsetAndEpoch } from '../raft-log.ts';
import type { Effects, RoleContext, VoteRequest } from './role.ts';

/**
 * Answers a request for a vote. `known` is what this node has promised in its epoch. A vote goes to a voter of the same or a newer
 * epoch whose log is at least as complete, and to one candidate an epoch only; it is on disk before it is given.
 */
export function answerVote(context: RoleContext, known: ElectionState, request: VoteRequest): Effects {
  const isNewEpoch = request.epoch > known.epoch;
  const promised = isNewEpoch ? { epoch: request.epoch, leaderId: null, voted: null } : known;
  const isFree = promised.leaderId === null && (promised.voted === null || promised.voted.id === request.candidate.id);
  const isComplete = compareOffsetAndEpoch(request.lastOffset, context.logEnd()) >= 0;
  const granted = request.epoch === promised.epoch && isFree && isComplete && context.voters().includes(request.candidate);
  const answer = { type: 'vote-response', epoch: promised.epoch, voter: context.self, granted } as const;
  const send = [{ to: request.candidate, message: answer }];
  if (!isNewEpoch && !granted) return { send };
  const election = granted ? { ...promised, voted: request.candidate } : promised;
  return { persist: election, send, become: { to: 'unattached', election } };
}

/** The way into following: the leader is on disk before anything is fetched from it. */
export function followLeader(leader: { readonly epoch: number; readonly leaderId: number }): Effects {
  const { epoch, leaderId } = leader;
  return { persist: { epoch, leaderId, voted: null }, become: { to: 'follower', epoch, leaderId } };
}
