import { assert } from '../base/assert.ts';
import type { Clock, Millis, Timer } from '../base/clock.ts';
import type { Part } from '../base/disk.ts';
import type { Endpoint, Socket, SocketHandler } from '../base/network.ts';
import type { TimerQueue } from '../base/timer-queue.ts';
import { ProtocolError } from '../protocol/protocol-error.ts';
import { ConnectionMemory, PENDING_BYTES_MAX, type SharedMemory } from './connection-memory.ts';
import type { FrameMemory } from './frame-memory.ts';
import { FrameSplitter } from './frame.ts';

/** Bytes of later requests that are taken in while one is served. */
const READ_AHEAD_BYTES = 128 * 1024;
/** Requests that one connection may have served in one go, so that others have their turn. */
const REQUESTS_PER_TURN = 32;
/** How long the peer has for its own end after ours, until the socket is taken away. */
const LINGER_MS = 1000;

export interface ConnectionOptions {
  readonly id: number;
  readonly listenerName: string;
  /** Larger requests are a violation of the protocol. */
  readonly maxRequestBytes: number;
  readonly maxIdleMs: Millis;
  readonly clock: Clock;
  readonly timers: TimerQueue;
  readonly serve: Serve;
  /** Where requests come to lie; shared by all connections of a node. */
  readonly frameMemory?: FrameMemory;
  readonly sharedMemory?: SharedMemory;
  /** The socket is gone; why, in words. */
  readonly closed: (connection: Connection, reason: string) => void;
}

/**
 * Asked once for each connection: gives what takes its requests. Each request must lead to one call of `respond`, `proceed` or
 * `close` of the connection, now or later, and taking it may not throw.
 */
export type Serve = (connection: Connection) => (frame: Buffer) => void;

export interface RespondOptions {
  /** Told when the whole response has been handed to the operating system. */
  readonly onSent?: () => void;
  /** The next request is served after so long (throttling). */
  readonly muteMs?: Millis;
}

/**
 * A client's connection: requests are served one at a time and answered in order, the next one when the client has taken most of
 * what was written. Nothing here is bound by anything but named limits.
 */
export class Connection implements SocketHandler {
  readonly id: number;
  readonly listenerName: string;
  readonly #socket: Socket;
  readonly #options: ConnectionOptions;
  readonly #splitter: FrameSplitter;
  readonly #memory: ConnectionMemory;
  readonly #received: (frame: Buffer) => void;
  #isServed = false;
  #isMuted = false;
  #isInLoop = false;
  #isTurnOver = false;
  #isReadingPaused = false;
  #hasPeerEnded = false;
  #isClosing = false;
  #isClosed = false;
  #closeReason = 'the client went away';
  /** Why the connection ends after the request under way; null while it does not. */
  #finishReason: string | null = null;
  #lastActiveAt: Millis;
  #idleTimer: Timer;
  /** What was pending when it was last looked whether the peer takes anything; no bound since more was written. */
  #pendingAtCheck = Number.POSITIVE_INFINITY;
  #held: Part[] = [];
  #heldBytes = 0;
  #sent: (() => void)[] = [];
  readonly #closedListeners = new Set<() => void>();
  readonly #endedListeners = new Set<() => void>();

  constructor(socket: Socket, options: ConnectionOptions) {
    this.id = options.id;
    this.listenerName = options.listenerName;
    this.#socket = socket;
    this.#options = options;
    const { maxRequestBytes, frameMemory } = options;
    this.#splitter = new FrameSplitter(maxRequestBytes, frameMemory === undefined ? {} : { memory: frameMemory });
    this.#memory = new ConnectionMemory({
      shared: options.sharedMemory ?? {},
      splitter: this.#splitter,
      socket,
      lookAgain: () => this.#serve(),
      giveUp: (reason) => this.destroy(reason),
    });
    this.#lastActiveAt = options.clock.monotonic();
    this.#idleTimer = options.timers.schedule(options.maxIdleMs, this.#checkIdle);
    this.#received = options.serve(this);
    socket.start(this);
  }

  get remote(): Endpoint {
    return this.#socket.remote;
  }

  get local(): Endpoint {
    return this.#socket.local;
  }

  get isTls(): boolean {
    return this.#socket.isTls;
  }

  /** DER, of a client that has shown one that is believed. The same for all requests of a connection. */
  get peerCertificate(): Uint8Array | null {
    return this.#socket.peerCertificate;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** When bytes came or left for the last time, on the monotonic clock. */
  get lastActiveAt(): Millis {
    return this.#lastActiveAt;
  }

  /** Answers the request under way. */
  respond(parts: readonly Part[], { onSent, muteMs = 0 }: RespondOptions = {}): void {
    assert(this.#isServed, 'a response belongs to a request');
    if (onSent !== undefined) this.#sent.push(onSent);
    this.#pendingAtCheck = Number.POSITIVE_INFINITY;
    if (this.#isInLoop) this.#hold(parts);
    else this.#write(parts);
    this.#finish(muteMs);
  }

  /** Goes on without an answer to the request under way. */
  proceed({ muteMs = 0 }: Pick<RespondOptions, 'muteMs'> = {}): void {
    assert(this.#isServed, 'only a request can be left without an answer');
    this.#finish(muteMs);
  }

  /** Nobody looks at a request's bytes any more: the next one may lie in their place. May be left out. */
  giveBack(frame: Buffer): void {
    this.#splitter.giveBack(frame);
  }

  /** Sends what is pending, then ends the connection in an orderly way; nothing more is read. */
  close(reason: string): void {
    this.#memory.servedEnds();
    if (this.#isClosing || this.#isClosed) return;
    this.#isClosing = true;
    this.#closeReason = reason;
    this.#writeHeld();
    this.#socket.end();
    // Unread bytes in the system's buffer would turn our orderly end into a reset: they are read and dropped.
    this.#setReading(true);
    this.#idleTimer.cancel();
    this.#pendingAtCheck = this.#socket.pendingBytes;
    this.#idleTimer = this.#options.timers.schedule(LINGER_MS, this.#checkLinger);
  }

  /** Ends the connection in an orderly way once the request under way, if there is one, is answered. No other one is served. */
  finish(reason: string): void {
    if (!this.#isServed) return this.close(reason);
    this.#finishReason = reason;
  }

  /** Takes the socket away at once. */
  destroy(reason: string): void {
    this.#memory.servedEnds();
    if (!this.#isClosing) this.#closeReason = reason;
    this.#isClosing = true;
    this.#socket.destroy();
  }

  /** Calls back once when the connection is gone, at once if it is; gives the way to withdraw that. */
  onClosed(callback: () => void): () => void {
    if (this.#isClosed) {
      callback();
      return () => undefined;
    }
    this.#closedListeners.add(callback);
    return () => void this.#closedListeners.delete(callback);
  }

  /**
   * Calls back once when there is no point in letting the client wait, at once if that is so: it has ended its own direction, which may be all that is ever seen of a
   * client that is gone, or the connection is closed, or so much of it is unread that its end could not be seen. It may still take answers. Gives the way to withdraw that.
   */
  onEnded(callback: () => void): () => void {
    if (this.#isClosed || this.#hasPeerEnded || this.#isReadEnough) {
      callback();
      return () => undefined;
    }
    this.#endedListeners.add(callback);
    return () => void this.#endedListeners.delete(callback);
  }

  data(chunk: Uint8Array): void {
    if (this.#isClosing) return;
    this.#lastActiveAt = this.#options.clock.monotonic();
    this.#splitter.push(chunk);
    this.#serve();
  }

  /** What was sent before the end is still served. */
  ended(): void {
    this.#hasPeerEnded = true;
    this.#tellEnded();
    this.#serve();
  }

  drained(): void {
    this.#lastActiveAt = this.#options.clock.monotonic();
    this.#memory.drained();
    const sent = this.#sent;
    if (sent.length > 0) {
      this.#sent = [];
      for (const callback of sent) callback();
    }
    this.#serve();
  }

  closed(error: Error | null): void {
    this.#isClosed = true;
    this.#isClosing = true;
    this.#idleTimer.cancel();
    this.#memory.closed();
    if (error !== null) this.#closeReason = error.message;
    for (const callback of this.#closedListeners) callback();
    this.#closedListeners.clear();
    this.#tellEnded();
    this.#options.closed(this, this.#closeReason);
  }

  #tellEnded(): void {
    for (const callback of this.#endedListeners) callback();
    this.#endedListeners.clear();
  }

  /** Answers that are there at once leave together when all requests that have come are served. */
  #hold(parts: readonly Part[]): void {
    for (const part of parts) {
      this.#held.push(part);
      this.#heldBytes += part.length;
    }
  }

  #writeHeld(): void {
    if (this.#held.length === 0) return;
    const held = this.#held;
    this.#held = [];
    this.#heldBytes = 0;
    this.#write(held);
  }

  #write(parts: readonly Part[]): void {
    this.#socket.write(parts);
    this.#memory.wrote(parts);
  }

  #finish(muteMs: Millis): void {
    this.#isServed = false;
    this.#memory.servedEnds();
    if (this.#finishReason !== null) return this.close(this.#finishReason);
    if (muteMs > 0) {
      this.#isMuted = true;
      this.#options.timers.schedule(muteMs, () => {
        this.#isMuted = false;
        this.#serve();
      });
    }
    this.#serve();
  }

  get #canServe(): boolean {
    const isFree = !this.#isServed && !this.#isMuted && !this.#isTurnOver && !this.#isClosing;
    return isFree && this.#heldBytes + this.#socket.pendingBytes <= PENDING_BYTES_MAX;
  }

  /** Serves what there is. A response that is there at once comes back here, and the loop goes on. */
  #serve(): void {
    if (this.#isInLoop || this.#isClosed) return;
    this.#isInLoop = true;
    try {
      this.#takeFrames();
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.close(error.message);
    } finally {
      this.#isInLoop = false;
      this.#writeHeld();
    }
    if (this.#isClosing) return;
    this.#memory.tell();
    this.#setReading(!this.#isReadEnough && !this.#memory.mustWait);
    // While nothing is read nobody knows whether the client is still there: it is better to answer it now.
    if (this.#isServed && this.#isReadingPaused) this.#tellEnded();
  }

  get #isReadEnough(): boolean {
    return !this.#canServe && this.#splitter.bufferedBytes >= READ_AHEAD_BYTES;
  }

  #takeFrames(): void {
    for (let count = 0; this.#canServe; count++) {
      if (count === REQUESTS_PER_TURN) return this.#endTurn();
      const frame = this.#splitter.next();
      if (frame === null) {
        if (this.#hasPeerEnded) this.close('the client has ended');
        return;
      }
      this.#isServed = true;
      this.#memory.serves(frame);
      this.#received(frame);
    }
  }

  #endTurn(): void {
    this.#isTurnOver = true;
    this.#options.clock.defer(() => {
      this.#isTurnOver = false;
      this.#serve();
    });
  }

  #setReading(isReading: boolean): void {
    if (isReading !== this.#isReadingPaused) return;
    this.#isReadingPaused = !isReading;
    if (isReading) this.#socket.resume();
    else this.#socket.pause();
  }

  /** A request that is being served may take its time; a client that neither asks nor reads may not. */
  readonly #checkIdle = (): void => {
    const { timers, clock, maxIdleMs } = this.#options;
    const left = this.#lastActiveAt + maxIdleMs - clock.monotonic();
    if (left > 0) this.#idleTimer = timers.schedule(left, this.#checkIdle);
    else if (this.#isBusy()) this.#idleTimer = timers.schedule(maxIdleMs, this.#checkIdle);
    else this.close(IDLE_REASON);
  };

  #isBusy(): boolean {
    return this.#isServed || this.#isMuted || (this.#socket.pendingBytes > 0 && this.#hasSentSinceCheck());
  }

  /** The socket is taken away when the peer takes nothing of what is left, or does not end in time. */
  readonly #checkLinger = (): void => {
    if (this.#hasSentSinceCheck()) this.#idleTimer = this.#options.timers.schedule(LINGER_MS, this.#checkLinger);
    else this.#socket.destroy();
  };

  #hasSentSinceCheck(): boolean {
    const pending = this.#socket.pendingBytes;
    const hasSent = pending < this.#pendingAtCheck;
    this.#pendingAtCheck = pending;
    return hasSent;
  }
}

/** Why idle connections are closed, as `closed` tells it. */
export const IDLE_REASON = 'nothing came or left for too long';
