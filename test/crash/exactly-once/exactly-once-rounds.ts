import assert from 'node:assert/strict';
import { listGroupOffsets } from '../../../src/client/admin-group-offsets.ts';
import { createTopic } from '../../../src/client/admin-topics.ts';
import type { Client } from '../../../src/client/client.ts';
import { Consumer } from '../../../src/client/consumer.ts';
import { Producer } from '../../../src/client/producer.ts';
import { KafkaError } from '../../../src/protocol/errors.ts';
import { systemClock } from '../../../src/platform/system-clock.ts';
import { listTransactions } from '../../../src/protocol/messages/66-list-transactions.ts';
import { SimulatedRandom } from '../../../simulation/simulated-random.ts';
import { movingClient } from '../moving-client.ts';
import { MovingNetwork } from '../moving-network.ts';
import { NodeProcess } from '../node-process.ts';
import { between } from '../sequenced-value.ts';
import { BANK_PARTITIONS, BANK_TOPIC, BankJob, BankLedger } from './bank-job.ts';
import { COPY_GROUP, COPY_INPUT, COPY_OUTPUT, CopyJob } from './copy-job.ts';
import { Worker } from './worker.ts';

export interface ExactlyOnceOptions {
  readonly seed: number;
  readonly rounds: number;
  readonly directory: string;
  readonly isBuilt?: boolean;
  readonly report?: (line: string) => void;
}

export interface ExactlyOnceReport {
  readonly brokerKills: number;
  readonly clientKills: number;
  readonly recordsCopied: number;
  readonly transfersCommitted: number;
  readonly transfersAborted: number;
  readonly incarnations: number;
}

const COPY_PARTITIONS = 3;
const RECORDS_A_ROUND = 30;
/** The load goes on for a time between these before something is killed. */
const KILL_AFTER_MS = [30, 350] as const;
const CALM_MS = 90_000;
const PROPERTIES: Readonly<Record<string, string>> = {
  'offsets.topic.num.partitions': '5',
  'transaction.state.log.num.partitions': '5',
  'group.initial.rebalance.delay.ms': '0',
  'group.consumer.session.timeout.ms': '6000',
  'group.consumer.min.session.timeout.ms': '1000',
  'group.consumer.heartbeat.interval.ms': '200',
  'group.consumer.min.heartbeat.interval.ms': '100',
  'transaction.abort.timed.out.transaction.cleanup.interval.ms': '500',
};

/** Copies and transfers go on while brokers and clients are killed. Throws when anything comes out twice, not at all, in part or in another order. */
export async function runExactlyOnceRounds(options: ExactlyOnceOptions): Promise<ExactlyOnceReport> {
  const world = new World(options);
  try {
    return await world.run();
  } finally {
    await world.close();
  }
}

class World {
  readonly #options: ExactlyOnceOptions;
  readonly #random: SimulatedRandom;
  readonly #network = new MovingNetwork();
  readonly #client: Client;
  readonly #ledger = new BankLedger();
  readonly #workers: readonly Worker[];
  /** What was written to be copied, by partition. */
  readonly #input = Array.from({ length: COPY_PARTITIONS }, (): string[] => []);
  #node: NodeProcess | null = null;
  #brokerKills = 0;
  #clientKills = 0;

  constructor(options: ExactlyOnceOptions) {
    this.#options = options;
    this.#random = new SimulatedRandom(options.seed);
    this.#client = movingClient(this.#network);
    const protocol = this.#random.pick(['classic', 'consumer'] as const);
    const newClient = () => movingClient(this.#network);
    const copiers = ['copy-1', 'copy-2'].map(
      (transactionalId) =>
        new Worker({
          transactionalId,
          newClient,
          newJob: async (client) => new CopyJob(client, protocol),
          random: this.#random.fork(),
        }),
    );
    // Two of the tellers believe to be the only one of their name.
    const tellers = ['teller-1', 'teller-1', 'teller-2'].map(
      (transactionalId) =>
        new Worker({ transactionalId, newClient, newJob: async () => new BankJob(this.#ledger), random: this.#random.fork() }),
    );
    this.#workers = [...copiers, ...tellers];
  }

  async run(): Promise<ExactlyOnceReport> {
    const { rounds, report } = this.#options;
    await this.#startNode();
    await createTopic(this.#client, { name: COPY_INPUT, partitions: COPY_PARTITIONS });
    await createTopic(this.#client, { name: COPY_OUTPUT, partitions: COPY_PARTITIONS });
    await createTopic(this.#client, { name: BANK_TOPIC, partitions: BANK_PARTITIONS });
    const producer = new Producer(this.#client, { deliveryTimeoutMs: CALM_MS });
    for (const worker of this.#workers) worker.start();
    for (let round = 1; round <= rounds; round++) {
      await this.#write(producer, round);
      await this.#loadGoesOn();
      await this.#killSomething();
      if (round % 20 === 0)
        report?.(`${round} rounds: ${this.#ledger.committed.size} transfers, ${this.#brokerKills} kills of the broker`);
    }
    await producer.close();
    await this.#copiesDone();
    for (const worker of this.#workers) await worker.stop();
    await this.#nothingHangs();
    await this.#checkCopies();
    await this.#checkBank();
    return {
      brokerKills: this.#brokerKills,
      clientKills: this.#clientKills,
      recordsCopied: this.#input.flat().length,
      transfersCommitted: this.#ledger.committed.size,
      transfersAborted: this.#ledger.aborted.size,
      incarnations: this.#workers.reduce((sum, { incarnations }) => sum + incarnations, 0),
    };
  }

  async close(): Promise<void> {
    for (const worker of this.#workers) worker.kill();
    this.#client.close();
    await this.#node?.kill();
  }

  async #startNode(): Promise<void> {
    const { directory, isBuilt = false } = this.#options;
    this.#node = await NodeProcess.start({ directory, properties: PROPERTIES, isBuilt });
    this.#network.port = this.#node.port;
  }

  async #write(producer: Producer, round: number): Promise<void> {
    const sent = Array.from({ length: RECORDS_A_ROUND }, (_, index) => {
      const partition = this.#random.integer(COPY_PARTITIONS);
      const value = `${round}.${index}`;
      this.#input[partition]?.push(value);
      return producer.send({ topic: COPY_INPUT, partition, value });
    });
    await Promise.all(sent);
  }

  #loadGoesOn(): Promise<void> {
    return new Promise((resolve) => void systemClock.schedule(between(this.#random, ...KILL_AFTER_MS), resolve));
  }

  async #killSomething(): Promise<void> {
    const kind = this.#random.pick(['broker', 'client', 'both'] as const);
    if (kind !== 'broker') {
      this.#random.pick(this.#workers).kill();
      this.#clientKills++;
    }
    if (kind === 'client') return;
    this.#network.port = null;
    await this.#node?.kill();
    this.#brokerKills++;
    await this.#startNode();
  }

  async #copiesDone(): Promise<void> {
    await this.#until('every record is copied', async () => {
      const offsets = (await listGroupOffsets(this.#client, [COPY_GROUP])).get(COPY_GROUP);
      if (offsets === undefined || offsets instanceof KafkaError) return false;
      const committed = new Map([...offsets.values()].map(({ partition, offset }) => [partition, offset]));
      return this.#input.every((values, partition) => (committed.get(partition) ?? 0) >= values.length);
    });
  }

  async #nothingHangs(): Promise<void> {
    await this.#until('no transaction is open', async () => {
      const { transactionStates } = await this.#client.sendToAny(listTransactions, { stateFilters: [], producerIdFilters: [] });
      return transactionStates.every(({ transactionState: state }) =>
        ['Empty', 'CompleteCommit', 'CompleteAbort'].includes(state),
      );
    });
  }

  async #checkCopies(): Promise<void> {
    const output = await this.#read(COPY_OUTPUT, COPY_PARTITIONS);
    assert.deepEqual(output, this.#input, 'what came out is what went in, once and in order');
  }

  async #checkBank(): Promise<void> {
    const entries = (await this.#read(BANK_TOPIC, BANK_PARTITIONS))
      .flat()
      .map((text) => JSON.parse(text) as { transfer: string; change: number });
    const byTransfer = Map.groupBy(entries, ({ transfer }) => transfer);
    for (const [transfer, halves] of byTransfer) {
      assert.equal(halves.length, 2, `transfer ${transfer} has both halves, once`);
      assert.equal(
        halves.reduce((sum, { change }) => sum + change, 0),
        0,
      );
      assert.ok(!this.#ledger.aborted.has(transfer), `transfer ${transfer} was aborted and is not seen`);
    }
    for (const transfer of this.#ledger.committed)
      assert.ok(byTransfer.has(transfer), `transfer ${transfer} was committed and is there`);
  }

  /** What a reader of committed records sees, by partition. */
  async #read(topic: string, partitions: number): Promise<string[][]> {
    const consumer = new Consumer(this.#client, { isolationLevel: 'read_committed' });
    const places = Array.from({ length: partitions }, (_, partition) => ({ topic, partition, start: 'earliest' as const }));
    await consumer.assign(places);
    const values = places.map((): string[] => []);
    await this.#until(`${topic} is read`, async () => {
      for (const chunk of await consumer.poll(50))
        for (const { value } of chunk.records()) values[chunk.partition]?.push(Buffer.from(value ?? []).toString());
      return places.every((place) => consumer.endOffset(place) >= 0 && consumer.position(place) === consumer.endOffset(place));
    });
    await consumer.close();
    return values;
  }

  async #until(what: string, isTrue: () => Promise<boolean>): Promise<void> {
    const end = performance.now() + CALM_MS;
    while (!(await isTrue())) assert.ok(performance.now() < end, `${what}, in ${CALM_MS} ms`);
  }
}
