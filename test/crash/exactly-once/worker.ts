import type { Client } from '../../../src/client/client.ts';
import { Producer } from '../../../src/client/producer.ts';
import { systemClock } from '../../../src/platform/system-clock.ts';
import type { SimulatedRandom } from '../../../simulation/simulated-random.ts';

/** What a worker does with a producer that has begun a session, until it is stopped or cannot go on. */
export interface Job {
  /** One transaction, or less. Whatever it throws ends the incarnation. */
  step(producer: Producer, random: SimulatedRandom): Promise<void>;
  /** Nobody listens any more: what it holds is let go of. */
  close(): Promise<void>;
}

export interface WorkerOptions {
  readonly transactionalId: string;
  readonly newClient: () => Client;
  readonly newJob: (client: Client) => Promise<Job>;
  readonly random: SimulatedRandom;
}

const TRANSACTION_TIMEOUT_MS = 10_000;
/** Between an incarnation that could not go on and the next one. */
const PAUSE_MS = 20;

/**
 * A process that works in transactions, in short: one incarnation after the other, each with a client of its own. A kill takes the client away in the middle of
 * everything, as the death of the process would; the transactional id stays.
 */
export class Worker {
  readonly #options: WorkerOptions;
  #client: Client | null = null;
  #isStopping = false;
  #running: Promise<void> = Promise.resolve();
  incarnations = 0;
  transactions = 0;

  constructor(options: WorkerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#isStopping = false;
    this.#running = this.#run();
  }

  /** The process is gone; another one with its id begins at once, beside what the dead one may still have on its way. */
  kill(): void {
    this.#client?.close();
  }

  /** Finishes its transaction, and works no more. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      const client = this.#options.newClient();
      this.#client = client;
      this.incarnations++;
      try {
        await this.#live(client);
      } catch {
        // Fenced, killed, or without a broker: the next incarnation knows better.
        await new Promise<void>((resolve) => void systemClock.schedule(PAUSE_MS, resolve));
      } finally {
        client.close();
      }
    }
  }

  async #live(client: Client): Promise<void> {
    const { transactionalId, newJob, random } = this.#options;
    const producer = new Producer(client, {
      transactionalId,
      transactionTimeoutMs: TRANSACTION_TIMEOUT_MS,
      maxBlockMs: 8_000,
      deliveryTimeoutMs: 8_000,
      lingerMs: random.pick([0, 2]),
    });
    const job = await newJob(client);
    try {
      await producer.initTransactions();
      while (!this.#isStopping) {
        await job.step(producer, random);
        this.transactions++;
      }
      await job.close();
    } finally {
      producer.abort();
    }
  }
}
