import type { Millis } from '../base/clock.ts';
import type { TimerQueue } from '../base/timer-queue.ts';

/** Requests of at most so many bytes never wait for memory: what is asked by everyday clients is answered, whatever large requests take. */
export const SMALL_REQUEST_BYTES = 64 * 1024;
/** Where the configs set no limit. */
const BYTES_MAX_DEFAULT = 256 * 1024 * 1024;
/** While somebody waits, requests that could come and do not are given up when they are looked at for the second time. */
const LOOK_MS: Millis = 5_000;
/** The request that has its turn has to be whole after so many looks. */
const LOOKS_MAX = 6;

/** A connection that is in the middle of a large request. */
export interface MemoryClaimant {
  /** Bytes of its request that have come. */
  readonly receivedBytes: () => number;
  /** There is memory now, or it is this one's turn: it looks again whether it must wait. */
  readonly lookAgain: () => void;
  /** Others wait for the memory of its request, which does not come. */
  readonly giveUp: (reason: string) => void;
}

/**
 * What the requests of all connections take, from their first bytes until they are answered. Beyond the limit, nothing more is read of large requests, but for one of them
 * at a time: so all of them come to their end, and the limit is exceeded by one request at most. Kafka: queued.max.request.bytes. A claimed length takes nothing.
 */
export class RequestMemory {
  readonly #bytesMax: number;
  readonly #timers: TimerQueue;
  #bytes = 0;
  /** All that are in the middle of a large request, and how much of it had come when it was looked at. */
  readonly #begun = new Map<MemoryClaimant, number>();
  readonly #waiting = new Set<MemoryClaimant>();
  #turn: { readonly claimant: MemoryClaimant; looks: number } | null = null;
  #isLooking = false;

  /** No more than 0 is no limit of the configs. */
  constructor(
    timers: TimerQueue,
    { bytesMax, requestBytesMax }: { readonly bytesMax: number; readonly requestBytesMax: number },
  ) {
    this.#timers = timers;
    this.#bytesMax = Math.max(bytesMax > 0 ? bytesMax : BYTES_MAX_DEFAULT, requestBytesMax);
  }

  get bytes(): number {
    return this.#bytes;
  }

  get waitingCount(): number {
    return this.#waiting.size;
  }

  /** What one connection holds is so much more, or less. */
  changed(byBytes: number): void {
    this.#bytes += byBytes;
    if (byBytes < 0) this.#letGoOn();
  }

  /** Asked by a connection in the middle of a large request; if it must wait, it is told when to look again. */
  mustWait(claimant: MemoryClaimant): boolean {
    if (!this.#begun.has(claimant)) this.#begun.set(claimant, -1);
    if (!this.#isShort || this.#turn?.claimant === claimant) return false;
    this.#waiting.add(claimant);
    if (this.#turn === null) this.#beginTurn();
    if (!this.#waiting.has(claimant)) return false;
    this.#lookLater();
    return true;
  }

  /** The request of the connection has come, or never will. */
  done(claimant: MemoryClaimant): void {
    if (!this.#begun.delete(claimant)) return;
    this.#waiting.delete(claimant);
    if (this.#turn?.claimant !== claimant) return;
    this.#turn = null;
    this.#letGoOn();
  }

  get #isShort(): boolean {
    return this.#bytes >= this.#bytesMax;
  }

  #letGoOn(): void {
    if (this.#waiting.size === 0) return;
    if (this.#isShort) {
      if (this.#turn === null) this.#beginTurn()?.lookAgain();
      return;
    }
    const all = [...this.#waiting];
    this.#waiting.clear();
    for (const claimant of all) claimant.lookAgain();
  }

  /** Of the one that has waited longest. Requests that came in their turns and are not answered yet may not take as much again as the limit. */
  #beginTurn(): MemoryClaimant | null {
    if (this.#bytes >= 2 * this.#bytesMax) return null;
    for (const claimant of this.#waiting) {
      this.#waiting.delete(claimant);
      this.#turn = { claimant, looks: 0 };
      return claimant;
    }
    return null;
  }

  #lookLater(): void {
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#timers.schedule(LOOK_MS, () => {
      this.#isLooking = false;
      if (this.#waiting.size === 0) return;
      this.#look();
      this.#lookLater();
    });
  }

  #look(): void {
    for (const [claimant, bytesBefore] of this.#begun) {
      if (this.#waiting.has(claimant)) continue;
      const bytes = claimant.receivedBytes();
      const isTooLong = this.#turn?.claimant === claimant && ++this.#turn.looks >= LOOKS_MAX;
      if (isTooLong || bytes === bytesBefore) claimant.giveUp('a large request did not come while others waited for its memory');
      else this.#begun.set(claimant, bytes);
    }
  }
}
