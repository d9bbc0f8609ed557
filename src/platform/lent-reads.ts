import * as net from 'node:net';

/** One read(2) brings at most so much: a call for two requests of the size that producers like, and not too much for the processor's cache. */
const READ_BYTES = 256 * 1024;

type SocketWithHandle = net.Socket & { readonly _handle?: { useUserBuffer?: (buffer: Uint8Array) => void } | null };
type OnRead = (count: number, buffer: Uint8Array) => boolean;

/** Where a `net.Socket` keeps the buffer and the callback of its option `onread`. */
interface Places {
  readonly buffer: symbol;
  readonly callback: symbol;
}

let places: Places | null | undefined;
let shared: Buffer | null = null;

/**
 * Lets a paused socket of which nothing was read yet read into memory that all such sockets share, and calls `received` with a view of it for each read: valid until it
 * returns. Gives false, and changes nothing, where that cannot be: then the socket has 'data' events.
 *
 * Without this, Node.js allocates 64 KiB for each read, and the garbage collector runs for nothing else. `net.connect` has the option
 * `onread` for it, but a socket that a server accepts does not take options; what the option does is done here afterwards. The places where
 * it leaves its marks are looked for in a socket that was made with it, so nothing is assumed about their names.
 */
export function lendReads(socket: SocketWithHandle, received: (bytes: Uint8Array) => void): boolean {
  const handle = socket._handle;
  if (typeof handle?.useUserBuffer !== 'function') return false;
  places ??= findPlaces();
  if (places === null || !(places.buffer in socket) || !(places.callback in socket)) return false;
  const buffer = (shared ??= Buffer.allocUnsafeSlow(READ_BYTES));
  const onRead: OnRead = (count) => {
    received(buffer.subarray(0, count));
    return true;
  };
  Object.assign(socket, { [places.buffer]: buffer, [places.callback]: onRead });
  handle.useUserBuffer(buffer);
  return true;
}

/** Null where there are none, and on Windows: there a read has its memory from the beginning of the wait on, so that it cannot be shared. */
function findPlaces(): Places | null {
  if (process.platform === 'win32') return null;
  const buffer = new Uint8Array(1);
  const callback: OnRead = () => true;
  const socket = new net.Socket({ onread: { buffer, callback } });
  const values = new Map(Object.getOwnPropertySymbols(socket).map((symbol) => [Reflect.get(socket, symbol), symbol]));
  socket.destroy();
  const [atBuffer, atCallback] = [values.get(buffer), values.get(callback)];
  return atBuffer === undefined || atCallback === undefined ? null : { buffer: atBuffer, callback: atCallback };
}
