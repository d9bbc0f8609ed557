/** Bytes that are read from a file at once where they cannot go to the socket inside the kernel. */
export const PIECE_BYTES = 64 * 1024;

/** Free pieces that are kept for the next reader: 4 MiB. */
const FREE_PIECES_MAX = 64;

const free: Buffer[] = [];

/** Memory for up to PIECE_BYTES of a file on its way to a socket; give it back when the socket has taken the bytes. */
export function takePiece(): Buffer {
  return free.pop() ?? Buffer.allocUnsafeSlow(PIECE_BYTES);
}

export function givePiece(piece: Buffer): void {
  if (free.length < FREE_PIECES_MAX) free.push(piece);
}
