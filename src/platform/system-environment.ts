import type { Environment } from '../base/environment.ts';
import type { Logger } from '../base/logger.ts';
import { MetricsRegistry } from '../base/metrics-registry.ts';
import { nodeDisk } from './node-disk.ts';
import { nodeNetwork } from './node-network.ts';
import { nodeZlibStreams } from './node-zlib-streams.ts';
import { systemClock } from './system-clock.ts';
import { systemRandom } from './system-random.ts';

/** The real clock, chance, disk and network of this machine. */
export const systemEnvironment = ({ logger }: { readonly logger: Logger }): Environment => ({
  clock: systemClock,
  random: systemRandom,
  disk: nodeDisk,
  network: nodeNetwork,
  zlib: nodeZlibStreams,
  logger,
  metrics: new MetricsRegistry(),
});
