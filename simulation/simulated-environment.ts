import type { Environment } from '../src/base/environment.ts';
import type { Logger } from '../src/base/logger.ts';
import { silentLogger } from '../src/base/logger.ts';
import { MetricsRegistry } from '../src/base/metrics-registry.ts';
import type { Network } from '../src/base/network.ts';
import { SimulatedClock } from './simulated-clock.ts';
import { SimulatedDisk } from './simulated-disk.ts';
import { SimulatedRandom } from './simulated-random.ts';
import { SimulatedZlibStreams } from './simulated-zlib-streams.ts';

/** An environment in memory, with its parts in sight. */
export interface SimulatedEnvironment extends Environment {
  readonly clock: SimulatedClock;
  readonly random: SimulatedRandom;
  readonly disk: SimulatedDisk;
  readonly metrics: MetricsRegistry;
}

export interface SimulatedEnvironmentOptions {
  readonly seed?: number;
  readonly clock?: SimulatedClock;
  readonly disk?: SimulatedDisk;
  readonly network?: Network;
  readonly logger?: Logger;
}

/** Everything that is not given is new. Without a network, using it fails. */
export function simulatedEnvironment(options: SimulatedEnvironmentOptions = {}): SimulatedEnvironment {
  const clock = options.clock ?? new SimulatedClock();
  return {
    clock,
    random: new SimulatedRandom(options.seed ?? 1),
    disk: options.disk ?? new SimulatedDisk({ clock }),
    network: options.network ?? noNetwork,
    zlib: new SimulatedZlibStreams(clock),
    logger: options.logger ?? silentLogger,
    metrics: new MetricsRegistry(),
  };
}

const noNetwork: Network = {
  listen: () => Promise.reject(new Error('this simulated environment has no network')),
  connect: () => Promise.reject(new Error('this simulated environment has no network')),
};
