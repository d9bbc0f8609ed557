import type { Assignor } from './assignor.ts';
import { cooperativeStickyAssignor } from './cooperative-sticky.ts';
import { rangeAssignor } from './range.ts';
import { roundRobinAssignor } from './round-robin.ts';

export const classicAssignors = {
  range: rangeAssignor,
  roundrobin: roundRobinAssignor,
  'cooperative-sticky': cooperativeStickyAssignor,
} as const satisfies Record<string, Assignor>;

export type ClassicAssignorName = keyof typeof classicAssignors;
export const classicAssignorNames = Object.keys(classicAssignors) as readonly ClassicAssignorName[];
