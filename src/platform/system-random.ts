import { randomBytes, randomInt } from 'node:crypto';
import type { Random } from '../base/random.ts';

/** Chance from the operating system. */
export const systemRandom: Random = {
  integer: (below) => randomInt(below),
  bytes: (count) => randomBytes(count),
};
