import type { Clock } from './clock.ts';
import type { Disk } from './disk.ts';
import type { Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';
import type { Network } from './network.ts';
import type { Random } from './random.ts';
import type { ZlibStreams } from './zlib-streams.ts';

/** Everything that a node touches besides its own memory. First constructor argument of whatever needs any of it. */
export interface Environment {
  readonly clock: Clock;
  readonly random: Random;
  readonly disk: Disk;
  readonly network: Network;
  readonly zlib: ZlibStreams;
  readonly logger: Logger;
  readonly metrics: Metrics;
}
