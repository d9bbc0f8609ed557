import type { Millis } from '../../base/clock.ts';
import { answerVote, followLeader } from './answer-vote.ts';
import type { Effects, RaftMessage, Role, RoleContext } from './role.ts';
import { NEVER, NO_EFFECTS } from './role.ts';

/**
 * Knows the leader of its epoch and copies its log. A voter that hears nothing from the leader for too long stands for election;
 * the fetching itself is the driver's.
 */
export class Follower implements Role {
  readonly name = 'follower';
  readonly epoch: number;
  readonly leaderId: number;
  readonly #context: RoleContext;
  #fetchDeadline: Millis = NEVER;

  constructor(context: RoleContext, epoch: number, leaderId: number) {
    this.epoch = epoch;
    this.leaderId = leaderId;
    this.#context = context;
  }

  start(now: Millis): Effects {
    if (this.#context.voters().includes(this.#context.self)) this.#fetchDeadline = now + this.#context.electionTimeout();
    return NO_EFFECTS;
  }

  receive(message: RaftMessage, now: Millis): Effects {
    if (message.type === 'vote-request') {
      return answerVote(this.#context, { epoch: this.epoch, leaderId: this.leaderId, voted: null }, message);
    }
    if (message.type !== 'leader-announced') return NO_EFFECTS;
    if (message.epoch > this.epoch) return followLeader(message);
    if (message.epoch === this.epoch && message.leaderId === this.leaderId) return this.start(now);
    return NO_EFFECTS;
  }

  tick(now: Millis): { effects: Effects; nextDeadline: Millis } {
    if (now < this.#fetchDeadline) return { effects: NO_EFFECTS, nextDeadline: this.#fetchDeadline };
    return { effects: { become: { to: 'candidate', epoch: this.epoch + 1 } }, nextDeadline: NEVER };
  }
}
