import {
  abortHangingTransaction,
  describeProducers,
  describeTransactions,
  fenceProducers,
  type HangingTransaction,
} from '../../client/admin-transactions.ts';
import type { Client } from '../../client/client.ts';
import { keyOf, type TopicPartition } from '../../client/topic-partition.ts';
import { KafkaError } from '../../protocol/errors.ts';
import { type ClusterOptions, withClient } from '../cluster-option.ts';
import type { Terminal } from '../terminal.ts';
import { inToolWords, sayRefusal } from '../transactions/tool-failure.ts';
import { type IdOptions, idMeant, placeText } from './transactions-show.ts';

export interface AbortOptions extends ClusterOptions, TopicPartition {
  readonly startOffset?: number;
  readonly producerId?: number;
  readonly producerEpoch?: number;
  readonly coordinatorEpoch?: number;
}

const HOW_TO_NAME =
  'The transaction to abort must be identified either with --start-offset (for brokers on 3.0 or above) or with ' +
  '--producer-id, --producer-epoch, and --coordinator-epoch (for older brokers)';

/** Ends a hanging transaction in one partition. Its coordinator, if there is one, is not asked. */
export async function abortTransactionCommand(terminal: Terminal, options: AbortOptions): Promise<void> {
  const { topic, partition, startOffset } = options;
  const missing = startOffset === undefined ? missingArgument(options) : null;
  if (missing !== null) {
    sayRefusal(terminal, options, missing);
    return;
  }
  const place = placeText({ topic, partition });
  await withClient(options, async (client) => {
    await client.loadTopics([topic]);
    let transaction: HangingTransaction | null = null;
    if (startOffset === undefined) transaction = namedTransaction(options);
    else
      await inToolWords(terminal, options, `Failed to validate producer state for partition ${place}`, async () => {
        transaction = await transactionAt(client, { topic, partition }, startOffset);
        if (transaction === null)
          sayRefusal(
            terminal,
            options,
            `Could not find any open transactions starting at offset ${startOffset} on partition ${place}`,
            `See who writes there with "ottla transactions describe-producers --topic ${topic} --partition ${partition}".`,
          );
      });
    if (transaction !== null) await abort(client, terminal, transaction, options);
  });
}

function missingArgument({ producerId, producerEpoch, coordinatorEpoch }: AbortOptions): string | null {
  if (producerId === undefined) return HOW_TO_NAME;
  if (producerEpoch === undefined) return 'Missing required argument --producer-epoch';
  return coordinatorEpoch === undefined ? 'Missing required argument --coordinator-epoch' : null;
}

/** A producer that has seen no marker yet has coordinator epoch −1; any real one is at least 0. */
const namedTransaction = ({
  topic,
  partition,
  producerId = -1,
  producerEpoch = -1,
  coordinatorEpoch = -1,
}: AbortOptions): HangingTransaction => ({
  topic,
  partition,
  producerId,
  producerEpoch,
  coordinatorEpoch: Math.max(0, coordinatorEpoch),
});

async function transactionAt(client: Client, place: TopicPartition, startOffset: number): Promise<HangingTransaction | null> {
  const producers = (await describeProducers(client, [place])).get(keyOf(place)) ?? [];
  if (producers instanceof KafkaError) throw producers;
  const found = producers.find((producer) => producer.startOffset === startOffset);
  if (found === undefined) return null;
  const { producerId, producerEpoch, coordinatorEpoch } = found;
  return { ...place, producerId, producerEpoch, coordinatorEpoch: Math.max(0, coordinatorEpoch) };
}

async function abort(
  client: Client,
  terminal: Terminal,
  transaction: HangingTransaction,
  options: ClusterOptions,
): Promise<void> {
  const { producerId, producerEpoch, coordinatorEpoch } = transaction;
  const place = placeText(transaction);
  const spec = `AbortTransactionSpec(topicPartition=${place}, producerId=${producerId}, producerEpoch=${producerEpoch}, coordinatorEpoch=${coordinatorEpoch})`;
  await inToolWords(terminal, options, `Failed to abort transaction ${spec}`, async () => {
    try {
      await abortHangingTransaction(client, transaction);
    } catch (error) {
      throw error instanceof KafkaError ? inMarkerWords(error, spec, coordinatorEpoch) : error;
    }
    if (options.json === true) terminal.line(JSON.stringify(transaction));
    else if (terminal.isInteractive) terminal.note(`Aborted the transaction of producer ${producerId} in ${place}.`);
  });
}

function inMarkerWords(error: KafkaError, spec: string, coordinatorEpoch: number): KafkaError {
  const request = `WriteTxnMarkers request with ${spec} failed`;
  switch (error.errorName) {
    case 'CLUSTER_AUTHORIZATION_FAILED':
      return new KafkaError(error.errorName, `${request} due to cluster authorization error`);
    case 'INVALID_PRODUCER_EPOCH':
      return new KafkaError(error.errorName, `${request} due an invalid producer epoch`);
    case 'TRANSACTION_COORDINATOR_FENCED': {
      const why = `since the provided coordinator epoch ${coordinatorEpoch} has been fenced by the active coordinator`;
      return new KafkaError(error.errorName, `${request} ${why}`);
    }
    default:
      return error;
  }
}

/** Aborts whatever transaction is open for a transactional id, and fences the producer that has it. */
export async function forceTerminateCommand(terminal: Terminal, named: string | undefined, options: IdOptions): Promise<void> {
  const id = idMeant(named, options);
  await withClient(options, (client) =>
    inToolWords(terminal, options, `Failed to force terminate transactionalId \`${id}\``, async () => {
      const before = (await describeTransactions(client, [id])).get(id);
      const isNew = before instanceof KafkaError && before.errorName === 'TRANSACTIONAL_ID_NOT_FOUND';
      await fenceProducers(client, id);
      if (options.json === true) terminal.line(JSON.stringify({ transactionalId: id }));
      // To take an id over makes it: who has mistyped it would never know.
      else if (isNew) terminal.note(`  Nobody had ${id} before; see which ids there are with "ottla transactions list".`);
      else if (terminal.isInteractive) terminal.note(`Fenced the producer of ${id}; its open transaction, if any, is aborted.`);
    }),
  );
}
