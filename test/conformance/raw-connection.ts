import { connect, type Socket } from 'node:net';

/** How an exchange over a bare socket can end. */
export type Ending = 'answered' | 'closed' | 'silent';

/**
 * A bare connection to a broker: writes any bytes and cuts what comes back into frames, so that a test sees exactly what a strange
 * client would.
 */
export class RawConnection {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #waiting: (() => void)[] = [];
  isClosed = false;
  wasReset = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => {
      this.#received = Buffer.concat([this.#received, chunk as Buffer]);
      this.#wake();
    });
    socket.on('error', () => {
      this.wasReset = true;
    });
    socket.on('close', () => this.#closed());
    socket.on('end', () => this.#closed());
  }

  static open(port: number, host = '127.0.0.1'): Promise<RawConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host, allowHalfOpen: true });
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(new RawConnection(socket));
      });
    });
  }

  write(bytes: Uint8Array): void {
    this.#socket.write(bytes);
  }

  /** Sends a frame: four bytes of length and the bytes given. */
  send(frame: Uint8Array): void {
    const length = Buffer.alloc(4);
    length.writeInt32BE(frame.length);
    this.#socket.write(Buffer.concat([length, frame]));
  }

  /** Sends no more. */
  halfClose(): void {
    this.#socket.end();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  reset(): void {
    this.#socket.resetAndDestroy();
  }

  /** The next whole frame without its length, or null once the broker has closed. Rejects after `withinMs`. */
  async frame(withinMs = 5000): Promise<Buffer | null> {
    for (;;) {
      const frame = this.#takeFrame();
      if (frame !== null) return frame;
      if (this.isClosed) return null;
      if (!(await this.#changed(withinMs))) throw new Error(`no frame and no close within ${withinMs} ms`);
    }
  }

  /** Bytes that came and are no whole frame. */
  get unfinishedBytes(): number {
    return this.#received.length;
  }

  /** Whether a frame comes, the broker closes, or nothing happens for `withinMs`. */
  async ending(withinMs: number): Promise<Ending> {
    for (;;) {
      if (this.#hasFrame()) return 'answered';
      if (this.isClosed) return 'closed';
      if (!(await this.#changed(withinMs))) return 'silent';
    }
  }

  #hasFrame(): boolean {
    return this.#received.length >= 4 && this.#received.length >= 4 + this.#received.readInt32BE(0);
  }

  #takeFrame(): Buffer | null {
    if (!this.#hasFrame()) return null;
    const end = 4 + this.#received.readInt32BE(0);
    const frame = this.#received.subarray(4, end);
    this.#received = this.#received.subarray(end);
    return frame;
  }

  /** True when something happened, false when the time passed. */
  #changed(withinMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), withinMs);
      this.#waiting.push(() => {
        clearTimeout(timer);
        resolve(true);
      });
    });
  }

  #closed(): void {
    this.isClosed = true;
    this.#wake();
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resume of waiting) resume();
  }
}
