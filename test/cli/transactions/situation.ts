import { silentLogger } from '../../../src/base/logger.ts';
import { ZERO_UUID } from '../../../src/base/uuid.ts';
import { alterConfigs } from '../../../src/client/admin-configs.ts';
import { describeTransactions } from '../../../src/client/admin-transactions.ts';
import { createTopic } from '../../../src/client/admin-topics.ts';
import { Client } from '../../../src/client/client.ts';
import { Producer } from '../../../src/client/producer.ts';
import { systemEnvironment } from '../../../src/platform/system-environment.ts';
import { KafkaError } from '../../../src/protocol/errors.ts';
import { produce } from '../../../src/protocol/messages/00-produce.ts';
import { buildBatch } from '../../../src/protocol/records/record-batch-builder.ts';
import { WireClient } from '../../conformance/wire-client.ts';

/** 2023-11-14T22:13:20Z. */
const FIRST_TIMESTAMP = 1_700_000_000_000;
const TIMEOUT_MS = 900_000;
const HALF_HUNG_PRODUCER = 3;

const topics: Readonly<Record<string, number>> = { orders: 3, plain: 1, 'k-hung': 3, 'o-hung': 3 };

/** Transactions of every kind on a broker, made by our own producer; they stay as they are while tools look at them. */
export class TransactionSituation {
  readonly #client: Client;
  readonly #producers: Producer[] = [];

  private constructor(port: number) {
    this.#client = new Client(systemEnvironment({ logger: silentLogger }), {
      bootstrapServers: `127.0.0.1:${port}`,
      clientId: 'situation',
    });
  }

  /** One producer after the other, so that all get the same ids each time. */
  static async make(port: number): Promise<TransactionSituation> {
    const situation = new TransactionSituation(port);
    const client = situation.#client;
    await client.connect();
    for (const [name, partitions] of Object.entries(topics))
      await createTopic(client, { name, partitions, configs: { 'retention.ms': '-1' } });
    const committer = await situation.#opened('a-committer', ['orders', 0], ['orders', 1]);
    await committer.commitTransaction();
    await situation.#completed('a-committer');
    const aborter = await situation.#opened('b-aborter', ['orders', 0]);
    await aborter.abortTransaction();
    await situation.#completed('b-aborter');
    await situation.#opened('c-open', ['orders', 2], ['orders', 0]);
    await situation.#producer('d-new').initTransactions();
    const long = await situation.#opened('a-rather-long-transactional-id-indeed', ['plain', 0]);
    await long.commitTransaction();
    await situation.#completed('a-rather-long-transactional-id-indeed');
    await situation.#opened('k-forced', ['plain', 0]);
    await situation.#opened('o-forced', ['plain', 0]);
    const idempotent = new Producer(client);
    await idempotent.send({ topic: 'plain', partition: 0, value: 'value', timestamp: FIRST_TIMESTAMP });
    await idempotent.close();
    // Brokers let transactions hang that do not ask coordinators before the first write.
    const change = { name: 'transaction.partition.verification.enable', operation: 'set', value: 'false' } as const;
    await alterConfigs(client, { type: 'broker', name: '' }, [change]);
    await makeHanging(port, 'k-hung');
    await makeHanging(port, 'o-hung');
    return situation;
  }

  close(): void {
    for (const producer of this.#producers) producer.abort();
    this.#client.close();
  }

  #producer(transactionalId: string): Producer {
    const producer = new Producer(this.#client, { transactionalId, transactionTimeoutMs: TIMEOUT_MS });
    this.#producers.push(producer);
    return producer;
  }

  /** Resolves when the markers are written: a producer does not wait for them. */
  async #completed(transactionalId: string): Promise<void> {
    for (let state = ''; !state.startsWith('Complete'); ) {
      const described = (await describeTransactions(this.#client, [transactionalId])).get(transactionalId);
      if (described === undefined || described instanceof KafkaError) throw described ?? new Error('no answer');
      ({ state } = described);
    }
  }

  /** A producer with an open transaction that has written to these partitions. */
  async #opened(transactionalId: string, ...places: readonly (readonly [topic: string, partition: number])[]): Promise<Producer> {
    const producer = this.#producer(transactionalId);
    await producer.initTransactions();
    producer.beginTransaction();
    for (const [topic, partition] of places)
      await producer.send({ topic, partition, value: 'value', timestamp: FIRST_TIMESTAMP });
    return producer;
  }
}

/** Of two of the producers no coordinator knows, of the one between them it knows that nothing is open. */
async function makeHanging(port: number, topic: string): Promise<void> {
  const wire = await WireClient.open(port);
  const writers = [
    { producerId: 5000, producerEpoch: 0 },
    { producerId: HALF_HUNG_PRODUCER, producerEpoch: 0 },
    { producerId: 5002, producerEpoch: 5 },
  ];
  try {
    for (const [index, writer] of writers.entries()) {
      const record = { value: Buffer.from('value'), timestamp: FIRST_TIMESTAMP };
      const records = buildBatch({ ...writer, records: [record], baseSequence: 0, isTransactional: true });
      const request = {
        transactionalId: 'past-the-coordinator',
        acks: -1,
        timeoutMs: 10_000,
        topicData: [{ name: topic, topicId: ZERO_UUID, partitionData: [{ index, records }] }],
      };
      // The change of the config may be on its way yet.
      for (let errorCode = -1; errorCode !== 0; ) {
        const { responses } = await wire.ask(produce, 9, request);
        errorCode = responses[0]?.partitionResponses[0]?.errorCode ?? -1;
      }
    }
  } finally {
    wire.close();
  }
}
