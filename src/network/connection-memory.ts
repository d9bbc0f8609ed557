import { isFileRegion, type Part } from '../base/disk.ts';
import type { Socket } from '../base/network.ts';
import type { AnswerHolder, AnswerMemory } from './answer-memory.ts';
import type { FrameSplitter } from './frame.ts';
import { type MemoryClaimant, type RequestMemory, SMALL_REQUEST_BYTES } from './request-memory.ts';

/** With so much written and not taken by the system, the client does not read. Less is everybody's own. */
export const PENDING_BYTES_MAX = 64 * 1024;

/** What the connections of a node take together; without bounds where absent. */
export interface SharedMemory {
  readonly requests?: RequestMemory;
  readonly answers?: AnswerMemory;
}

export interface ConnectionMemoryOptions {
  readonly shared: SharedMemory;
  readonly splitter: FrameSplitter;
  readonly socket: Socket;
  /** A large request may be read on, or not: whoever reads looks again. */
  readonly lookAgain: () => void;
  readonly giveUp: (reason: string) => void;
}

/** What one connection takes of the memory that all of them share. */
export class ConnectionMemory {
  readonly #options: ConnectionMemoryOptions;
  readonly #claimant: MemoryClaimant;
  readonly #holder: AnswerHolder;
  #servedBytes = 0;
  /** Of all requests, as it was last told. */
  #toldBytes = 0;
  /** Of answers that were written since the last time that nothing was pending. */
  #answerBytes = 0;
  #areAnswersTold = false;
  #isClosed = false;

  constructor(options: ConnectionMemoryOptions) {
    this.#options = options;
    const { splitter, lookAgain, giveUp } = options;
    this.#claimant = { receivedBytes: () => splitter.bufferedBytes, lookAgain, giveUp };
    this.#holder = { answerBytes: () => Math.min(this.#answerBytes, options.socket.pendingBytes), giveUp };
  }

  serves(frame: Buffer): void {
    this.#servedBytes = frame.byteLength;
  }

  /** Nothing is served any more. A request counts until then, even if its client is gone before. */
  servedEnds(): void {
    if (this.#servedBytes === 0) return;
    this.#servedBytes = 0;
    this.tell();
  }

  /** What requests take may have changed. */
  tell(): void {
    const bytes = this.#servedBytes + (this.#isClosed ? 0 : this.#options.splitter.heldBytes);
    const change = bytes - this.#toldBytes;
    if (change === 0) return;
    this.#toldBytes = bytes;
    this.#options.shared.requests?.changed(change);
  }

  /** Whether no more of the request under way may be read now. */
  get mustWait(): boolean {
    const { requests } = this.#options.shared;
    if (requests === undefined) return false;
    if (this.#options.splitter.lengthUnderWay > SMALL_REQUEST_BYTES) return requests.mustWait(this.#claimant);
    requests.done(this.#claimant);
    return false;
  }

  wrote(parts: readonly Part[]): void {
    for (const part of parts) if (!isFileRegion(part)) this.#answerBytes += part.length;
    if (this.#options.socket.pendingBytes > PENDING_BYTES_MAX) this.#tellAnswers();
  }

  /** Everything that was written is taken. */
  drained(): void {
    this.#answerBytes = 0;
    if (this.#areAnswersTold) this.#tellAnswers();
  }

  #tellAnswers(): void {
    this.#areAnswersTold = this.#answerBytes > 0;
    this.#options.shared.answers?.changed(this.#holder);
  }

  closed(): void {
    this.#isClosed = true;
    this.drained();
    this.tell();
    this.#options.shared.requests?.done(this.#claimant);
  }
}
