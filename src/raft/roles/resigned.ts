import type { Millis } from '../../base/clock.ts';
import { answerVote, followLeader } from './answer-vote.ts';
import type { Effects, RaftMessage, Role, RoleContext } from './role.ts';
import { NEVER, NO_EFFECTS } from './role.ts';

/**
 * Was the leader of this epoch and is not any more: it stepped down, or its process died and came back. It must not lead the epoch
 * again, for it no longer knows what it had promised.
 */
export class Resigned implements Role {
  readonly name = 'resigned';
  readonly epoch: number;
  readonly leaderId = null;
  readonly #context: RoleContext;
  #electionDeadline: Millis = NEVER;

  constructor(context: RoleContext, epoch: number) {
    this.epoch = epoch;
    this.#context = context;
  }

  start(now: Millis): Effects {
    const { self } = this.#context;
    if (this.#context.voters().isOnlyVoter(self)) return { become: { to: 'candidate', epoch: this.epoch + 1 } };
    this.#electionDeadline = now + this.#context.electionTimeout();
    return NO_EFFECTS;
  }

  receive(message: RaftMessage): Effects {
    if (message.type === 'vote-request') {
      const { self } = this.#context;
      return answerVote(this.#context, { epoch: this.epoch, leaderId: self.id, voted: null }, message);
    }
    if (message.type === 'leader-announced' && message.epoch > this.epoch) return followLeader(message);
    return NO_EFFECTS;
  }

  tick(now: Millis): { effects: Effects; nextDeadline: Millis } {
    if (now < this.#electionDeadline) return { effects: NO_EFFECTS, nextDeadline: this.#electionDeadline };
    return { effects: { become: { to: 'candidate', epoch: this.epoch + 1 } }, nextDeadline: NEVER };
  }
}
