import type * as net from 'node:net';
import { isFileRegion } from '../base/disk.ts';
import type { Part } from '../base/disk.ts';
import type { Endpoint, Socket, SocketHandler } from '../base/network.ts';
import { RegionProgress } from './file-sender.ts';
import { PIECE_BYTES, givePiece, takePiece } from './piece-pool.ts';
import { lendReads } from './lent-reads.ts';

/** Handed to the operating system at once; what comes after waits until this has been taken. */
const BATCH_BYTES = 256 * 1024;
/** Several parts of together at most this are copied into one: cheaper than telling the system about each. */
const JOINED_BYTES = 16 * 1024;
/**
 * Regions from here on go by sendfile(2); shorter ones are read and leave together with what is around them. Measured with
 * `bench/file-sender.ts`: at 128 KiB reading takes a tenth less of the server's time, at 256 KiB a tenth more.
 */
const SENDFILE_BYTES = 256 * 1024;
/** Bytes that one socket may move by sendfile(2) before others have their turn. */
const SENDFILE_BUDGET_BYTES = 4 * 1024 * 1024;
/** What is sent the ordinary way to learn when a full socket takes bytes again. */
const STALL_PIECE_BYTES = 512;
/** What is to be encrypted is read in pieces of two records of TLS. */
const TLS_PIECE_BYTES = 32 * 1024;

export interface NodeSocketOptions {
  readonly isTls: boolean;
  readonly peerCertificate?: Uint8Array | null;
}

/** node:net and node:tls sockets as a Socket: bytes and file regions in order, with a bounded amount of memory between. */
export class NodeSocket implements Socket {
  readonly remote: Endpoint;
  readonly local: Endpoint;
  readonly isTls: boolean;
  readonly peerCertificate: Uint8Array | null;
  readonly #socket: net.Socket;
  #handler: SocketHandler | null = null;
  #readsAreLent = false;
  /** What the batch under way does not hold yet. */
  readonly #queue: (Uint8Array | RegionProgress)[] = [];
  #queuedBytes = 0;
  #batchBytes = 0;
  #batchPieces: Buffer[] = [];
  /** Waiting for the operating system, or for the next turn: `#pump` is called again. */
  #isBusy = false;
  #isEnding = false;
  #isClosed = false;
  /** Times in a row that sendfile(2) moved nothing. */
  #stalls = 0;
  #stallPiece: Buffer | null = null;
  #error: Error | null = null;

  constructor(socket: net.Socket, { isTls, peerCertificate = null }: NodeSocketOptions) {
    this.#socket = socket;
    this.isTls = isTls;
    this.peerCertificate = peerCertificate;
    this.remote = endpoint(socket.remoteAddress, socket.remotePort);
    this.local = endpoint(socket.localAddress, socket.localPort);
    socket.on('error', (error) => (this.#error ??= error));
    socket.on('close', this.#onClose);
  }

  get pendingBytes(): number {
    return this.#queuedBytes + this.#batchBytes;
  }

  start(handler: SocketHandler): void {
    this.#handler = handler;
    if (this.#isClosed) {
      queueMicrotask(() => handler.closed(this.#error));
      return;
    }
    this.#readsAreLent = !this.isTls && lendReads(this.#socket, (bytes) => handler.data(bytes));
    if (!this.#readsAreLent) this.#socket.on('data', (chunk: Buffer) => handler.data(chunk));
    this.#socket.on('end', () => handler.ended());
    this.resume();
  }

  write(parts: readonly Part[]): void {
    const isRefused = this.#isClosed || this.#isEnding || this.#socket.destroyed;
    for (const part of parts) {
      const queued = isFileRegion(part) ? new RegionProgress(part) : part;
      const length = queued instanceof RegionProgress ? queued.left : queued.byteLength;
      if (!isRefused && length > 0) {
        this.#queue.push(queued);
        this.#queuedBytes += length;
      } else if (queued instanceof RegionProgress) {
        queued.release();
      }
    }
    if (!this.#isBusy) this.#pump();
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    if (!this.#readsAreLent) this.#socket.resume();
    // A stream that is resumed reads a moment later, even if it was paused meanwhile: harmless for one that keeps what it has read.
    else if (!this.#socket.destroyed) this.#socket._read(0);
  }

  end(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    if (this.pendingBytes === 0) this.#socket.end();
  }

  destroy(): void {
    this.#socket.destroy();
    this.#dropQueue();
  }

  #pump(): void {
    try {
      while (!this.#isBusy && this.#queue.length > 0 && !this.#socket.destroyed) this.#sendNext();
    } catch (error) {
      // The file, not the socket: what is missing cannot be made up for, so the peer must not wait for it.
      this.#error ??= error instanceof Error ? error : new Error(String(error));
      this.destroy();
    }
  }

  #sendNext(): void {
    const first = this.#queue[0];
    if (first instanceof RegionProgress && this.#goesByKernel(first)) this.#sendByKernel(first);
    else this.#writeBatch(this.#takeBatch());
  }

  #goesByKernel(region: RegionProgress): boolean {
    return !this.isTls && region.length >= SENDFILE_BYTES && region.isSendable && descriptorOf(this.#socket) >= 0;
  }

  #takeBatch(): Uint8Array[] {
    const batch: Uint8Array[] = [];
    let taken = 0;
    while (this.#batchBytes < BATCH_BYTES) {
      const next = this.#queue[taken];
      if (next === undefined) break;
      if (next instanceof RegionProgress) {
        if (this.#goesByKernel(next)) break;
        batch.push(this.#readPiece(next));
        if (next.left > 0) continue;
        next.release();
      } else {
        batch.push(next);
        this.#moveToBatch(next.byteLength);
      }
      taken++;
    }
    this.#queue.splice(0, taken);
    return batch;
  }

  #readPiece(region: RegionProgress): Uint8Array {
    if (region.left < PIECE_BYTES / 4) {
      const bytes = region.read(Buffer.allocUnsafe(region.left));
      this.#moveToBatch(bytes.byteLength);
      return bytes;
    }
    const piece = this.#takePiece();
    const bytes = region.read(this.isTls ? piece.subarray(0, TLS_PIECE_BYTES) : piece);
    this.#moveToBatch(bytes.byteLength);
    return bytes;
  }

  #moveToBatch(count: number): void {
    this.#queuedBytes -= count;
    this.#batchBytes += count;
  }

  #writeBatch(batch: readonly Uint8Array[]): void {
    this.#isBusy = true;
    const first = batch[0];
    if (first !== undefined && batch.length === 1) {
      this.#socket.write(first, this.#onWritten);
    } else if (this.#batchBytes <= JOINED_BYTES) {
      this.#socket.write(Buffer.concat(batch, this.#batchBytes), this.#onWritten);
    } else {
      this.#socket.cork();
      batch.forEach((bytes, at) => {
        if (at === batch.length - 1) this.#socket.write(bytes, this.#onWritten);
        else this.#socket.write(bytes);
      });
      this.#socket.uncork();
    }
  }

  readonly #onWritten = (error?: Error | null): void => {
    for (const piece of this.#batchPieces) givePiece(piece);
    this.#batchPieces = [];
    this.#batchBytes = 0;
    this.#isBusy = false;
    // 'close' follows and says why.
    if (error instanceof Error) return;
    if (this.#queue.length > 0) this.#pump();
    else this.#drained();
  };

  #sendByKernel(region: RegionProgress): void {
    const moved = region.send(descriptorOf(this.#socket), SENDFILE_BUDGET_BYTES);
    this.#queuedBytes -= moved;
    if (region.left === 0) {
      this.#stalls = 0;
      this.#queue.shift();
      region.release();
      // Nobody is called back from within their own write.
      if (this.#queue.length === 0) queueMicrotask(this.#drainedUnlessBusy);
    } else if (moved >= SENDFILE_BUDGET_BYTES) {
      this.#isBusy = true;
      setImmediate(this.#pumpAgain);
    } else {
      this.#stalls = moved > 0 ? 0 : this.#stalls + 1;
      this.#awaitRoom(region);
    }
  }

  readonly #pumpAgain = (): void => {
    this.#isBusy = false;
    this.#pump();
  };

  /**
   * The socket is full, or dead. One piece is written the ordinary way: it comes back when there is room (of a third of the send buffer, so that much goes at
   * once afterwards), or tells the error. Where sendfile(2) moves nothing time after time, the pieces grow until they carry the region.
   */
  #awaitRoom(region: RegionProgress): void {
    const size = Math.min(PIECE_BYTES, STALL_PIECE_BYTES * 2 ** this.#stalls);
    const bytes = region.read(size === STALL_PIECE_BYTES ? this.#smallPiece() : this.#takePiece().subarray(0, size));
    this.#moveToBatch(bytes.byteLength);
    if (region.left === 0) {
      this.#queue.shift();
      region.release();
    }
    this.#writeBatch([bytes]);
  }

  /** Only one is on its way at a time. */
  #smallPiece(): Buffer {
    return (this.#stallPiece ??= Buffer.allocUnsafeSlow(STALL_PIECE_BYTES));
  }

  #takePiece(): Buffer {
    const piece = takePiece();
    this.#batchPieces.push(piece);
    return piece;
  }

  readonly #drainedUnlessBusy = (): void => {
    if (this.pendingBytes === 0 && !this.#isClosed) this.#drained();
  };

  #drained(): void {
    if (this.#isEnding) this.#socket.end();
    this.#handler?.drained();
  }

  readonly #onClose = (): void => {
    this.#isClosed = true;
    this.#dropQueue();
    this.#handler?.closed(this.#error);
  };

  #dropQueue(): void {
    for (const part of this.#queue) if (part instanceof RegionProgress) part.release();
    this.#queue.length = 0;
    this.#queuedBytes = 0;
  }
}

/** The descriptor of a socket, where the runtime shows it; otherwise -1. */
export function descriptorOf(socket: (net.Socket | net.Server) & { readonly _handle?: { readonly fd?: number } | null }): number {
  return socket._handle?.fd ?? -1;
}

export function endpoint(address: string | undefined, port: number | undefined): Endpoint {
  // A socket of both families shows IPv4 peers as IPv6 addresses.
  return { host: (address ?? '').replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/, ''), port: port ?? 0 };
}
