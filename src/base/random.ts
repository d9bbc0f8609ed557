/** Chance as an argument. */
export interface Random {
  /** A whole number in [0, below). `below` is between 1 and 2^32. */
  integer(below: number): number;
  /** `count` random bytes (cryptographic in production). */
  bytes(count: number): Uint8Array;
}
