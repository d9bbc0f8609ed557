import type { Endpoint, Socket } from '../../src/base/network.ts';
import type { World } from './worlds.ts';

/** A client that sends any bytes and keeps what comes back. */
export class RawClient {
  readonly socket: Socket;
  receivedBytes = 0;
  #chunks: Uint8Array[] = [];
  hasServerEnded = false;
  closed: Error | null | undefined;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.start({
      data: (chunk) => {
        this.#chunks.push(Uint8Array.from(chunk));
        this.receivedBytes += chunk.byteLength;
      },
      ended: () => (this.hasServerEnded = true),
      drained: () => undefined,
      closed: (error) => (this.closed = error),
    });
  }

  static async connect(world: World, endpoint: Endpoint): Promise<RawClient> {
    return new RawClient(await world.resolve(world.environment.network.connect(endpoint, { timeoutMs: 10_000 })));
  }

  send(...chunks: (Uint8Array | string)[]): void {
    this.socket.write(chunks.map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk, 'hex') : chunk)));
  }

  get received(): Buffer {
    const joined = Buffer.concat(this.#chunks);
    this.#chunks = [joined];
    return joined;
  }

  /** The contents of the whole frames that came. */
  get frames(): Buffer[] {
    const frames: Buffer[] = [];
    const { received } = this;
    let at = 0;
    while (at + 4 <= received.length) {
      const length = received.readInt32BE(at);
      if (at + 4 + length > received.length) break;
      frames.push(received.subarray(at + 4, at + 4 + length));
      at += 4 + length;
    }
    return frames;
  }
}

export function framed(content: Uint8Array | string): Buffer {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const length = Buffer.alloc(4);
  length.writeInt32BE(bytes.byteLength);
  return Buffer.concat([length, bytes]);
}
