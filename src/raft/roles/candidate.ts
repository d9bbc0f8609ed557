import type { Millis } from '../../base/clock.ts';
import type { ElectionState } from '../quorum-state-file.ts';
import { answerVote, followLeader } from './answer-vote.ts';
import type { Effects, RaftMessage, Role, RoleContext, VoteResponse } from './role.ts';
import { NEVER, NO_EFFECTS } from './role.ts';

/** Stands for election in an epoch of its own making, with its own vote. */
export class Candidate implements Role {
  readonly name = 'candidate';
  readonly leaderId = null;
  readonly epoch: number;
  readonly #context: RoleContext;
  readonly #granting = new Set<number>();
  #electionDeadline: Millis = NEVER;

  constructor(context: RoleContext, epoch: number) {
    this.epoch = epoch;
    this.#context = context;
  }

  start(now: Millis): Effects {
    const { self } = this.#context;
    this.#granting.add(self.id);
    const effects: Effects = { persist: this.#election };
    if (this.#hasWon) return { ...effects, become: this.#leadership };
    this.#electionDeadline = now + this.#context.electionTimeout();
    const request = {
      type: 'vote-request',
      epoch: this.epoch,
      candidate: self,
      lastOffset: this.#context.logEnd(),
    } as const;
    const send = this.#context
      .voters()
      .othersThan(self.id)
      .map((to) => ({ to, message: request }));
    return { ...effects, send };
  }

  receive(message: RaftMessage): Effects {
    if (message.type === 'vote-request') return answerVote(this.#context, this.#election, message);
    if (message.type === 'vote-response') return this.#counted(message);
    if (message.type === 'leader-announced' && message.epoch >= this.epoch) return followLeader(message);
    return NO_EFFECTS;
  }

  tick(now: Millis): { effects: Effects; nextDeadline: Millis } {
    if (now < this.#electionDeadline) return { effects: NO_EFFECTS, nextDeadline: this.#electionDeadline };
    return { effects: { become: { to: 'candidate', epoch: this.epoch + 1 } }, nextDeadline: NEVER };
  }

  #counted(message: VoteResponse): Effects {
    if (message.epoch > this.epoch) {
      const election = { epoch: message.epoch, leaderId: null, voted: null };
      return { persist: election, become: { to: 'unattached', election } };
    }
    if (message.epoch < this.epoch || !this.#context.voters().includes(message.voter)) return NO_EFFECTS;
    if (message.granted) this.#granting.add(message.voter.id);
    return this.#hasWon ? { become: this.#leadership } : NO_EFFECTS;
  }

  get #election(): ElectionState {
    return { epoch: this.epoch, leaderId: null, voted: this.#context.self };
  }

  get #hasWon(): boolean {
    return this.#granting.size >= this.#context.voters().majority;
  }

  get #leadership(): NonNullable<Effects['become']> {
    return { to: 'leader', epoch: this.epoch, grantingVoters: [...this.#granting] };
  }
}
