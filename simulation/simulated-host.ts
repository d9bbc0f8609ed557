import { silentLogger } from '../src/base/logger.ts';
import type { Logger } from '../src/base/logger.ts';
import type { CrashMode } from './disk-image.ts';
import { SimulatedClock } from './simulated-clock.ts';
import { SimulatedDisk } from './simulated-disk.ts';
import { type SimulatedEnvironment, simulatedEnvironment } from './simulated-environment.ts';
import { SimulatedNetwork, type SimulatedNetworkOptions } from './simulated-network.ts';
import { SimulatedRandom } from './simulated-random.ts';
import { Scheduler } from './scheduler.ts';

/**
 * Several machines that share one time, one network and one seed. What runs on them sees nothing else, so that the seed decides
 * everything that happens.
 */
export class SimulatedWorld {
  readonly scheduler = new Scheduler();
  readonly random: SimulatedRandom;
  readonly network: SimulatedNetwork;
  readonly #hosts = new Map<string, SimulatedHost>();
  readonly #logger: Logger;

  constructor(seed: number, options: SimulatedNetworkOptions & { readonly logger?: Logger } = {}) {
    this.random = new SimulatedRandom(seed);
    const { logger = silentLogger, ...network } = options;
    this.#logger = logger;
    this.network = new SimulatedNetwork(this.scheduler, this.random.fork(), network);
  }

  /** The machine of this name, made when it is first asked for. */
  host(name: string): SimulatedHost {
    let host = this.#hosts.get(name);
    if (host === undefined) this.#hosts.set(name, (host = new SimulatedHost(this, name, this.#logger.named(name))));
    return host;
  }
}

/** A machine: its disk outlives what runs on it. */
export class SimulatedHost {
  readonly name: string;
  readonly #world: SimulatedWorld;
  readonly #logger: Logger;
  #environment: SimulatedEnvironment;

  constructor(world: SimulatedWorld, name: string, logger: Logger) {
    this.#world = world;
    this.name = name;
    this.#logger = logger;
    this.#environment = this.#started(null);
  }

  /** For whatever runs on the machine now. After a crash it is another one. */
  get environment(): SimulatedEnvironment {
    return this.#environment;
  }

  /**
   * Everything that runs here stops in the middle: its timers, its sockets, its disk. The machine is up again with what the disk
   * kept; with `silently` its peers are not told by the network either.
   */
  crash(mode: CrashMode, options: { readonly silently?: boolean } = {}): SimulatedEnvironment {
    const { clock, disk } = this.#environment;
    clock.stop();
    this.#world.network.crash(this.name, options);
    this.#environment = this.#started((nextClock) => disk.crash(mode, { clock: nextClock }));
    return this.#environment;
  }

  #started(diskOf: ((clock: SimulatedClock) => SimulatedDisk) | null): SimulatedEnvironment {
    const { scheduler, random, network } = this.#world;
    const clock = new SimulatedClock(scheduler);
    return simulatedEnvironment({
      seed: random.integer(2 ** 32),
      clock,
      disk: diskOf === null ? new SimulatedDisk({ clock }) : diskOf(clock),
      network: network.host(this.name),
      logger: this.#logger,
    });
  }
}
