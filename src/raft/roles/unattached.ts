import type { Millis } from '../../base/clock.ts';
import type { ElectionState } from '../quorum-state-file.ts';
import { answerVote, followLeader } from './answer-vote.ts';
import type { Effects, RaftMessage, Role, RoleContext } from './role.ts';
import { NEVER, NO_EFFECTS } from './role.ts';

/** Knows an epoch, but no leader of it; perhaps it has given its vote. Becomes a candidate when no leader appears. */
export class Unattached implements Role {
  readonly name = 'unattached';
  readonly leaderId = null;
  readonly epoch: number;
  readonly #context: RoleContext;
  readonly #election: ElectionState;
  #electionDeadline: Millis = NEVER;

  constructor(context: RoleContext, election: ElectionState) {
    this.epoch = election.epoch;
    this.#context = context;
    this.#election = election;
  }

  /** The only voter need not wait for anybody. A node that does not vote never stands for election. */
  start(now: Millis): Effects {
    const { self } = this.#context;
    const voters = this.#context.voters();
    if (!voters.includes(self)) return NO_EFFECTS;
    if (voters.isOnlyVoter(self)) return { become: { to: 'candidate', epoch: this.epoch + 1 } };
    this.#electionDeadline = now + this.#context.electionTimeout();
    return NO_EFFECTS;
  }

  receive(message: RaftMessage): Effects {
    if (message.type === 'vote-request') return answerVote(this.#context, this.#election, message);
    if (message.type === 'leader-announced' && message.epoch >= this.epoch) return followLeader(message);
    return NO_EFFECTS;
  }

  tick(now: Millis): { effects: Effects; nextDeadline: Millis } {
    if (now < this.#electionDeadline) return { effects: NO_EFFECTS, nextDeadline: this.#electionDeadline };
    return { effects: { become: { to: 'candidate', epoch: this.epoch + 1 } }, nextDeadline: NEVER };
  }
}
