import { silentLogger, type Logger } from '../../src/base/logger.ts';
import type { Millis } from '../../src/base/clock.ts';
import { RequestSender } from '../../src/network/request-sender.ts';
import { type RunningNode, startNode } from '../../src/server/start-node.ts';
import { Scheduler } from '../scheduler.ts';
import { SIMULATED_EPOCH_MS, SimulatedClock } from '../simulated-clock.ts';
import type { SimulatedDisk } from '../simulated-disk.ts';
import { type SimulatedEnvironment, simulatedEnvironment } from '../simulated-environment.ts';
import { SimulatedNetwork } from '../simulated-network.ts';
import { SimulatedRandom } from '../simulated-random.ts';

export interface MachineOptions {
  readonly seed: number;
  readonly diskOf: (clock: SimulatedClock) => SimulatedDisk;
  readonly properties: Readonly<Record<string, string>>;
  /** What time it is: later than anything that the disk knows of. */
  readonly startMs?: Millis;
  readonly logger?: Logger;
}

export const DATA_DIRECTORY = '/data';
const HOST = 'node';
const REQUEST_TIMEOUT_MS = 20_000;
const CONNECT_TIMEOUT_MS = 2_000;
const DELAY_MS: readonly [Millis, Millis] = [0, 2];

/** A machine with one node on it, and clients around it. The seed decides everything that happens. */
export class SimulatedMachine {
  readonly scheduler = new Scheduler();
  readonly random: SimulatedRandom;
  readonly environment: SimulatedEnvironment;
  readonly #network: SimulatedNetwork;
  readonly #properties: Readonly<Record<string, string>>;
  #node: RunningNode | null = null;

  constructor({ seed, diskOf, properties, startMs = SIMULATED_EPOCH_MS, logger = silentLogger }: MachineOptions) {
    this.random = new SimulatedRandom(seed);
    this.#network = new SimulatedNetwork(this.scheduler, this.random.fork(), { delayMs: DELAY_MS });
    this.#properties = properties;
    const clock = new SimulatedClock(this.scheduler, startMs);
    this.environment = simulatedEnvironment({
      seed: this.random.integer(2 ** 32),
      clock,
      disk: diskOf(clock),
      network: this.#network.host(HOST),
      logger,
    });
  }

  get disk(): SimulatedDisk {
    return this.environment.disk;
  }

  get clock(): SimulatedClock {
    return this.environment.clock;
  }

  get node(): RunningNode {
    if (this.#node === null) throw new Error('the node does not run');
    return this.#node;
  }

  async start(): Promise<void> {
    this.#node = await startNode(this.environment, {
      texts: new Map(Object.entries(this.#properties)),
      embedded: { dataDirectory: DATA_DIRECTORY, port: 0 },
    });
  }

  /** Stops the node in order. */
  async stop(): Promise<void> {
    await this.node.stop();
    this.#node = null;
  }

  /** A client's connection to the node. */
  connect(): Promise<RequestSender> {
    return RequestSender.connect(
      { host: HOST, port: this.node.listeners[0]?.port ?? 0 },
      {
        network: this.#network.host('client'),
        clock: new SimulatedClock(this.scheduler),
        clientId: 'simulation',
        requestTimeoutMs: REQUEST_TIMEOUT_MS,
        connectTimeoutMs: CONNECT_TIMEOUT_MS,
      },
    );
  }

  /** Lets time pass until the work is done. */
  run<T>(work: () => Promise<T>): Promise<T> {
    return this.scheduler.resolve(work());
  }

  pause(ms: Millis): Promise<void> {
    return new Promise((resolve) => void this.scheduler.after(ms, resolve));
  }

  /** Everything that runs here stops in the middle and is not heard of again. */
  die(): void {
    this.clock.stop();
    this.#network.crash(HOST);
  }
}
