import {
  describeProducers,
  describeTransactions,
  listTransactions,
  type TransactionDescription,
} from '../../client/admin-transactions.ts';
import type { Client } from '../../client/client.ts';
import { ClientError } from '../../client/client-error.ts';
import { keyOf, type TopicPartition } from '../../client/topic-partition.ts';
import { KafkaError } from '../../protocol/errors.ts';
import { usageError } from '../cli-error.ts';
import { type ClusterOptions, withClient } from '../cluster-option.ts';
import type { Terminal } from '../terminal.ts';
import {
  type HangingSearch,
  longOpenTransactions,
  type OpenTransaction,
  partitionsToSearch,
  withoutCoordinator,
} from '../transactions/hanging.ts';
import { inToolWords, sayRefusal } from '../transactions/tool-failure.ts';
import { printToolTable } from '../transactions/tool-table.ts';

export interface ListOptions extends ClusterOptions {
  readonly durationFilter?: number;
  readonly transactionalIdPattern?: string;
}

export async function listTransactionsCommand(terminal: Terminal, options: ListOptions): Promise<void> {
  const { durationFilter: durationMs, transactionalIdPattern: idPattern } = options;
  await withClient(options, (client) =>
    inToolWords(terminal, options, 'Failed to list transactions', async () => {
      const listings = await listTransactions(client, {
        ...(durationMs === undefined ? {} : { durationMs }),
        ...(idPattern === undefined ? {} : { idPattern }),
      });
      if (options.json === true) {
        terminal.line(JSON.stringify(listings));
        return;
      }
      printToolTable(
        terminal,
        ['TransactionalId', 'Coordinator', 'ProducerId', 'TransactionState'],
        listings.map(({ transactionalId, coordinator, producerId, state }) => [
          transactionalId,
          String(coordinator),
          String(producerId),
          state,
        ]),
      );
    }),
  );
}

export interface IdOptions extends ClusterOptions {
  readonly transactionalId?: string;
}

/** The id that is meant, as argument or as option. */
export function idMeant(named: string | undefined, { transactionalId }: IdOptions): string {
  const id = named ?? transactionalId;
  if (id === undefined) throw usageError('No transactional id is named', 'Name it with --transactional-id ID.');
  if (named !== undefined && transactionalId !== undefined) throw usageError('The transactional id is named twice');
  return id;
}

export async function describeTransactionCommand(
  terminal: Terminal,
  named: string | undefined,
  options: IdOptions,
): Promise<void> {
  const id = idMeant(named, options);
  const what = `Failed to describe transaction state of transactional-id \`${id}\``;
  await withClient(options, (client) =>
    inToolWords(terminal, options, what, async () => {
      const found = (await describeTransactions(client, [id])).get(id);
      if (found === undefined) throw new KafkaError('TRANSACTIONAL_ID_NOT_FOUND');
      if (found instanceof KafkaError) throw descriptionFailure(id, found);
      printTransaction(terminal, found, { isJson: options.json === true, now: client.environment.clock.now() });
    }),
  );
}

function descriptionFailure(id: string, error: KafkaError): KafkaError {
  if (error.errorName !== 'TRANSACTIONAL_ID_NOT_FOUND') return error;
  const what = `DescribeTransactions request for transactionalId \`${id}\` failed because the ID could not be found`;
  return new KafkaError(error.errorName, what);
}

function printTransaction(
  terminal: Terminal,
  transaction: TransactionDescription,
  { isJson, now }: { readonly isJson: boolean; readonly now: number },
): void {
  const { startedAt, coordinator, transactionalId, producerId, producerEpoch, state, timeoutMs, partitions } = transaction;
  const durationMs = startedAt === null ? null : now - startedAt;
  if (isJson) {
    terminal.line(JSON.stringify({ ...transaction, durationMs }));
    return;
  }
  const headers = ['CoordinatorId', 'TransactionalId', 'ProducerId', 'ProducerEpoch', 'TransactionState'];
  const times = ['TransactionTimeoutMs', 'CurrentTransactionStartTimeMs', 'TransactionDurationMs', 'TopicPartitions'];
  const cells = [coordinator, transactionalId, producerId, producerEpoch, state, timeoutMs, startedAt, durationMs].map(orNone);
  printToolTable(terminal, [...headers, ...times], [[...cells, partitions.map(placeText).join(',')]]);
}

const orNone = (value: string | number | null): string => (value === null ? 'None' : String(value));

export const placeText = ({ topic, partition }: TopicPartition): string => `${topic}-${partition}`;

export interface ProducersOptions extends ClusterOptions, TopicPartition {
  readonly brokerId?: number;
}

export async function describeProducersCommand(terminal: Terminal, options: ProducersOptions): Promise<void> {
  const { topic, partition, brokerId } = options;
  const where = brokerId === undefined ? 'leader' : `broker ${brokerId}`;
  const what = `Failed to describe producers for partition ${placeText({ topic, partition })} on ${where}`;
  await withClient(options, (client) =>
    inToolWords(terminal, options, what, async () => {
      ensureBroker(client, brokerId);
      await client.loadTopics([topic]);
      const producers = (await describeProducers(client, [{ topic, partition }], { broker: brokerId })).get(
        keyOf({ topic, partition }),
      );
      if (producers instanceof KafkaError) throw producers;
      if (options.json === true) {
        terminal.line(JSON.stringify(producers));
        return;
      }
      const headers = ['ProducerId', 'ProducerEpoch', 'LatestCoordinatorEpoch', 'LastSequence', 'LastTimestamp'];
      const rows = (producers ?? []).map((producer) =>
        [
          producer.producerId,
          producer.producerEpoch,
          producer.coordinatorEpoch,
          producer.lastSequence,
          producer.lastTimestamp,
          producer.startOffset,
        ].map(orNone),
      );
      printToolTable(terminal, [...headers, 'CurrentTransactionStartOffset'], rows);
    }),
  );
}

/** Kafka's tool waits a minute for a broker that is not there. */
function ensureBroker(client: Client, id: number | undefined): void {
  if (id !== undefined && client.metadata.broker(id) === null)
    throw new ClientError('invalid', `The cluster has no broker ${id} at the moment`);
}

export interface HangingOptions extends ClusterOptions {
  readonly brokerId?: number;
  readonly topic?: string;
  readonly partition?: number;
  /** In minutes. */
  readonly maxTransactionTimeout: number;
}

const MINUTE_MS = 60_000;

export async function findHangingCommand(terminal: Terminal, options: HangingOptions): Promise<void> {
  const { brokerId, topic, partition, maxTransactionTimeout } = options;
  if (topic === undefined && brokerId === undefined) {
    const text = 'The `find-hanging` command requires either --topic or --broker-id to limit the scope of the search';
    sayRefusal(terminal, options, text);
    return;
  }
  if (partition !== undefined && topic === undefined) {
    sayRefusal(terminal, options, 'The --partition argument requires --topic to be provided');
    return;
  }
  const search: HangingSearch = {
    broker: brokerId ?? null,
    topic: topic ?? null,
    partition: partition ?? null,
    maxTimeoutMs: maxTransactionTimeout * MINUTE_MS,
  };
  await withClient(options, async (client) => {
    let places: readonly TopicPartition[] = [];
    let hanging: readonly OpenTransaction[] = [];
    await inToolWords(terminal, options, `Failed to describe ${topic === undefined ? 'all' : '1'} topics`, async () => {
      places = await partitionsToSearch(client, search);
    });
    if (terminal.exitCode !== 0) return;
    const where = brokerId === undefined ? 'their leaders' : `broker ${brokerId}`;
    await inToolWords(terminal, options, `Failed to describe producers for ${places.length} partitions on ${where}`, async () => {
      ensureBroker(client, brokerId);
      hanging = await withoutCoordinator(client, await longOpenTransactions(client, places, search));
    });
    if (terminal.exitCode === 0)
      printHanging(terminal, hanging, { isJson: options.json === true, now: client.environment.clock.now() });
  });
}

function printHanging(
  terminal: Terminal,
  hanging: readonly OpenTransaction[],
  { isJson, now }: { readonly isJson: boolean; readonly now: number },
): void {
  const minutesOf = ({ producer }: OpenTransaction): number => Math.trunc((now - producer.lastTimestamp) / MINUTE_MS);
  if (isJson) {
    const rows = hanging.map(({ producer, ...place }) => ({ ...place, ...producer }));
    terminal.line(JSON.stringify(rows.map((row, at) => ({ ...row, minutes: minutesOf(hanging[at] as OpenTransaction) }))));
    return;
  }
  printToolTable(
    terminal,
    ['Topic', 'Partition', 'ProducerId', 'ProducerEpoch', 'CoordinatorEpoch', 'StartOffset', 'LastTimestamp', 'Duration(min)'],
    hanging.map((transaction) => {
      const { topic, partition, startOffset, producer } = transaction;
      const { producerId, producerEpoch, coordinatorEpoch, lastTimestamp } = producer;
      const numbers = [partition, producerId, producerEpoch, coordinatorEpoch, startOffset, lastTimestamp];
      return [topic, ...numbers.map(String), String(minutesOf(transaction))];
    }),
  );
}
