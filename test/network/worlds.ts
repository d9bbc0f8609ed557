import type { Environment } from '../../src/base/environment.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { MetricsRegistry } from '../../src/base/metrics-registry.ts';
import { nodeDisk } from '../../src/platform/node-disk.ts';
import { nodeNetwork } from '../../src/platform/node-network.ts';
import { nodeZlibStreams } from '../../src/platform/node-zlib-streams.ts';
import { systemClock } from '../../src/platform/system-clock.ts';
import { systemRandom } from '../../src/platform/system-random.ts';
import { Scheduler } from '../../simulation/scheduler.ts';
import { SimulatedClock } from '../../simulation/simulated-clock.ts';
import { simulatedEnvironment } from '../../simulation/simulated-environment.ts';
import { SimulatedNetwork } from '../../simulation/simulated-network.ts';
import { SimulatedRandom } from '../../simulation/simulated-random.ts';

export interface TestEnvironment extends Environment {
  readonly metrics: MetricsRegistry;
}

/** Somewhere to run a test: on this computer's own sockets or on simulated ones. */
export interface World {
  readonly name: string;
  readonly environment: TestEnvironment;
  /** Lets the world go on until the condition holds. */
  until(condition: () => boolean): Promise<void>;
  /** Lets the world go on until the promise is settled. */
  resolve<T>(promise: Promise<T>): Promise<T>;
}

const DEADLINE_MS = 20_000;

export async function untilReal(condition: () => boolean): Promise<void> {
  const end = performance.now() + DEADLINE_MS;
  while (!condition()) {
    if (performance.now() > end) throw new Error('the condition does not come true');
    await new Promise((resolve) => void setImmediate(resolve));
  }
}

export function realWorld(): World {
  return {
    name: 'real sockets',
    environment: {
      clock: systemClock,
      random: systemRandom,
      disk: nodeDisk,
      network: nodeNetwork,
      zlib: nodeZlibStreams,
      logger: silentLogger,
      metrics: new MetricsRegistry(),
    },
    until: untilReal,
    resolve: (promise) => promise,
  };
}

export interface SimulatedWorld extends World {
  readonly scheduler: Scheduler;
  readonly simulatedNetwork: SimulatedNetwork;
}

export function simulatedWorld({ isFragmenting = false, seed = 1 } = {}): SimulatedWorld {
  const scheduler = new Scheduler();
  const network = new SimulatedNetwork(scheduler, new SimulatedRandom(seed), { isFragmenting, delayMs: [0, 2] });
  return {
    name: `simulated sockets${isFragmenting ? ' in odd pieces' : ''}`,
    environment: simulatedEnvironment({ seed, clock: new SimulatedClock(scheduler), network: network.host('node') }),
    scheduler,
    simulatedNetwork: network,
    until: (condition) => scheduler.runUntil(condition, 1_000_000),
    resolve: (promise) => scheduler.resolve(promise, 1_000_000),
  };
}
