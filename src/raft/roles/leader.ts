import { unreachable } from '../../base/assert.ts';
import type { Millis } from '../../base/clock.ts';
import { answerVote, followLeader } from './answer-vote.ts';
import type { Effects, RaftMessage, Role, RoleContext } from './role.ts';
import { NEVER, NO_EFFECTS } from './role.ts';

/**
 * Leads its epoch. Its high watermark is what a majority of the voters holds durably, but only once that covers the first record of
 * its own epoch: what a leader before it left behind is committed by committing something after it (the case of figure 8 of the
 * Raft paper).
 */
export class Leader implements Role {
  readonly name = 'leader';
  readonly epoch: number;
  readonly leaderId: number;
  readonly #context: RoleContext;
  readonly #grantingVoters: readonly number[];
  /** By voter: up to where it holds the log durably. */
  readonly #endOffsets = new Map<number, number>();
  #epochStartOffset = 0;
  #highWatermark = -1;

  constructor(context: RoleContext, epoch: number, grantingVoters: readonly number[]) {
    this.epoch = epoch;
    this.leaderId = context.self.id;
    this.#context = context;
    this.#grantingVoters = grantingVoters;
  }

  /** The offset of the record that tells of this election. */
  get epochStartOffset(): number {
    return this.#epochStartOffset;
  }

  /** By voter: up to where it is known to hold the log durably. */
  get endOffsets(): ReadonlyMap<number, number> {
    return this.#endOffsets;
  }

  start(): Effects {
    this.#epochStartOffset = this.#context.logEnd().offset;
    return {
      persist: { epoch: this.epoch, leaderId: this.leaderId, voted: null },
      appendLeaderChange: { grantingVoters: this.#grantingVoters },
    };
  }

  receive(message: RaftMessage): Effects {
    switch (message.type) {
      case 'replica-reached':
        if (!this.#context.voters().includes(message.replica)) return NO_EFFECTS;
        this.#endOffsets.set(message.replica.id, Math.max(message.endOffset, this.#endOffsets.get(message.replica.id) ?? 0));
        return this.#advanced();
      case 'resign':
        return { become: { to: 'resigned', epoch: this.epoch } };
      case 'vote-request':
        return answerVote(this.#context, { epoch: this.epoch, leaderId: this.leaderId, voted: null }, message);
      case 'leader-announced':
        return message.epoch > this.epoch ? followLeader(message) : NO_EFFECTS;
      case 'vote-response':
        return NO_EFFECTS;
      default:
        return unreachable(message);
    }
  }

  tick(_now: Millis): { effects: Effects; nextDeadline: Millis } {
    return { effects: NO_EFFECTS, nextDeadline: NEVER };
  }

  #advanced(): Effects {
    const voters = this.#context.voters();
    const reached = voters.ids.map((id) => this.#endOffsets.get(id) ?? 0).sort((a, b) => b - a);
    const majorityOffset = reached[voters.majority - 1] ?? 0;
    if (majorityOffset <= this.#epochStartOffset || majorityOffset <= this.#highWatermark) return NO_EFFECTS;
    this.#highWatermark = majorityOffset;
    return { highWatermark: majorityOffset };
  }
}
