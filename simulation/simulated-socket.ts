import { DiskError, isFileRegion } from '../src/base/disk.ts';
import type { FileRegion, Part } from '../src/base/disk.ts';
import type { Endpoint, Socket, SocketHandler } from '../src/base/network.ts';

/** The most that one delivery brings. */
const CHUNK_BYTES_MAX = 64 * 1024;
/** What delivered bytes are overwritten with. */
const LENT_BYTES_FILL = 0xdb;

/** What a socket needs of the network between it and its peer. */
export interface Wire {
  /** Runs in an event of its own, soon. */
  soon(run: () => void): void;
  /** Takes an item on its way: it arrives after the link's delay, after all earlier ones, and not while the link is cut. */
  carry(item: WireItem): void;
  /** How much the next delivery brings at most: chance decides when packets are to be cut oddly. */
  chunkBytes(): number;
  readonly windowBytes: number;
}

export type WireItem = { readonly kind: 'data'; readonly bytes: Buffer } | { readonly kind: 'fin' } | { readonly kind: 'reset' };

/** One end of a simulated connection. */
export class SimulatedSocket implements Socket {
  readonly remote: Endpoint;
  readonly local: Endpoint;
  readonly isTls: boolean;
  readonly peerCertificate = null;
  readonly #wire: Wire;
  #handler: SocketHandler | null = null;
  readonly #queue: { readonly part: Part; sent: number }[] = [];
  #isPumping = false;
  /** Sent and not yet read by the peer. */
  #unacknowledged = 0;
  readonly #arrived: WireItem[] = [];
  #isPaused = false;
  #isEnding = false;
  #hasSentFin = false;
  #hasReadFin = false;
  #isGone = false;
  #isTold = false;
  /** Set by the network: the other end. */
  peer: SimulatedSocket | null = null;
  pendingBytes = 0;

  constructor(wire: Wire, { remote, local, isTls }: { remote: Endpoint; local: Endpoint; isTls: boolean }) {
    this.#wire = wire;
    this.remote = remote;
    this.local = local;
    this.isTls = isTls;
  }

  start(handler: SocketHandler): void {
    this.#handler = handler;
    this.#wire.soon(() => this.#read());
  }

  write(parts: readonly Part[]): void {
    for (const part of parts) {
      const length = isFileRegion(part) ? part.length : part.byteLength;
      if (length > 0 && !this.#isGone && !this.#isEnding) {
        this.#queue.push({ part, sent: 0 });
        this.pendingBytes += length;
      } else if (isFileRegion(part)) {
        part.release();
      }
    }
    this.#pumpSoon();
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#wire.soon(() => this.#read());
  }

  end(): void {
    this.#isEnding = true;
    this.#pumpSoon();
  }

  /** Unread bytes make the peer see a reset, otherwise it sees the end. */
  destroy(): void {
    if (this.#isGone) return;
    const isUnread = this.#arrived.some((item) => item.kind === 'data');
    if (isUnread || !this.#hasSentFin) this.#wire.carry({ kind: isUnread ? 'reset' : 'fin' });
    this.#close(null);
  }

  /** The machine is gone: nothing is said to the peer. */
  vanish(): void {
    this.#close(null);
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** For the network: something came over the wire. */
  arrive(item: WireItem): void {
    if (this.#isGone) {
      if (item.kind === 'data') this.#wire.carry({ kind: 'reset' });
      return;
    }
    if (item.kind === 'reset') return this.#close(resetError());
    this.#arrived.push(item);
    this.#read();
  }

  /** For the peer: it has read this much. */
  acknowledge(count: number): void {
    this.#unacknowledged -= count;
    this.#pumpSoon();
  }

  #read(): void {
    while (this.#handler !== null && !this.#isPaused && !this.#isGone) {
      const item = this.#arrived.shift();
      if (item === undefined) return;
      if (item.kind === 'data') {
        this.peer?.acknowledge(item.bytes.byteLength);
        this.#handler.data(item.bytes);
        // The bytes were lent: whoever has kept them finds others.
        item.bytes.fill(LENT_BYTES_FILL);
      } else {
        this.#hasReadFin = true;
        this.#handler.ended();
        this.#closeIfDone();
      }
    }
  }

  #pumpSoon(): void {
    if (this.#isPumping) return;
    this.#isPumping = true;
    this.#wire.soon(() => {
      this.#isPumping = false;
      this.#pump();
    });
  }

  #pump(): void {
    const hadPending = this.pendingBytes > 0;
    try {
      while (!this.#isGone && this.#queue.length > 0 && this.#unacknowledged < this.#wire.windowBytes) this.#send();
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      this.#wire.carry({ kind: 'reset' });
      this.#close(error);
    }
    if (this.#isGone || this.pendingBytes > 0) return;
    if (this.#isEnding && !this.#hasSentFin) {
      this.#hasSentFin = true;
      this.#wire.carry({ kind: 'fin' });
    }
    if (hadPending) this.#handler?.drained();
    this.#closeIfDone();
  }

  #send(): void {
    const limit = Math.min(CHUNK_BYTES_MAX, this.#wire.chunkBytes(), this.#wire.windowBytes - this.#unacknowledged);
    const pieces: Uint8Array[] = [];
    let length = 0;
    while (length < limit) {
      const next = this.#queue[0];
      if (next === undefined) break;
      const piece = pieceOf(next.part, next.sent, limit - length);
      pieces.push(piece);
      length += piece.byteLength;
      next.sent += piece.byteLength;
      if (next.sent < (isFileRegion(next.part) ? next.part.length : next.part.byteLength)) continue;
      this.#queue.shift();
      if (isFileRegion(next.part)) next.part.release();
    }
    this.pendingBytes -= length;
    this.#unacknowledged += length;
    this.#wire.carry({ kind: 'data', bytes: Buffer.concat(pieces, length) });
  }

  #closeIfDone(): void {
    if (this.#hasSentFin && this.#hasReadFin) this.#close(null);
  }

  #close(error: Error | null): void {
    if (this.#isGone) return;
    this.#isGone = true;
    for (const { part } of this.#queue) if (isFileRegion(part)) part.release();
    this.#queue.length = 0;
    this.pendingBytes = 0;
    this.#wire.soon(() => {
      if (this.#isTold) return;
      this.#isTold = true;
      this.#handler?.closed(error);
    });
  }
}

function pieceOf(part: Part, sent: number, limit: number): Uint8Array {
  return isFileRegion(part) ? readPiece(part, sent, limit) : part.subarray(sent, sent + limit);
}

function readPiece(region: FileRegion, sent: number, limit: number): Uint8Array {
  const target = Buffer.alloc(Math.min(limit, region.length - sent));
  try {
    if (region.file.read(target, region.position + sent) === target.byteLength) return target;
  } catch (error) {
    if (error instanceof DiskError) region.readFailed(error);
    throw error;
  }
  throw new Error(`${region.file.path} ends before ${region.position + region.length}`);
}

export function resetError(): Error {
  return Object.assign(new Error('connection reset by the simulated peer'), { code: 'ECONNRESET' });
}
