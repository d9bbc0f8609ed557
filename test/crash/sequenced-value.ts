import type { SimulatedRandom } from '../../simulation/simulated-random.ts';

/** Which record it is: the n-th of a producer. Everything else about its value follows from that. */
export interface RecordId {
  readonly producer: number;
  readonly sequence: number;
}

const FILLER = Buffer.from(
  'The log is the one thing that a broker must not lose: what was acknowledged is there, once, at its place. '.repeat(20),
);

/** Told apart by their first bytes, of lengths that differ from record to record. */
export function valueOf({ producer, sequence }: RecordId): Buffer {
  const head = Buffer.from(`${producer}:${sequence}:`);
  const mixed = Math.imul(sequence + 1, 0x9e3779b1) ^ Math.imul(producer + 1, 0x85ebca6b);
  const length = (mixed >>> 8) % 1200;
  const start = (mixed >>> 20) % 800;
  return Buffer.concat([head, FILLER.subarray(start, start + length)]);
}

/** Throws for a value that was never made. */
export function idOfValue(value: Uint8Array | null): RecordId {
  const match = /^(\d+):(\d+):/.exec(Buffer.from(value ?? []).toString('latin1', 0, 40));
  if (match === null) throw new Error('a record has a value that nobody sent');
  const id = { producer: Number(match[1]), sequence: Number(match[2]) };
  if (!valueOf(id).equals(value ?? new Uint8Array())) {
    throw new Error(`record ${id.sequence} of producer ${id.producer} does not have the bytes that were sent`);
  }
  return id;
}

export const between = (random: SimulatedRandom, least: number, most: number): number => least + random.integer(most - least + 1);
