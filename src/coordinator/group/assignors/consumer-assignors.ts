import type { PartitionAssignor } from './partition-assignor.ts';
import { rangeAssignor } from './range-assignor.ts';
import { uniformAssignor } from './uniform-assignor.ts';

/** The server-side assignors of consumer groups by name, in the order of the default of `group.consumer.assignors`: the first is the default. */
export const consumerAssignors: ReadonlyMap<string, PartitionAssignor> = new Map(
  [uniformAssignor, rangeAssignor].map((assignor) => [assignor.name, assignor]),
);
