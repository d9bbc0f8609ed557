import { codeOf, type ErrorName, KafkaError } from '../protocol/errors.ts';
import { RecordBatch } from '../protocol/records/record-batch.ts';
import { type AppendEntry, type AppendOutcome, failedAppend } from '../replication/append.ts';
import type { BrokerServices } from './broker-services.ts';
import { type VerificationFault, type VerificationKind, verificationKind } from './transaction-verifier.ts';

/** What is known of the sender. */
export interface TransactionalSender {
  readonly transactionalId: string;
  readonly apiVersion: number;
}

/** Of Produce. */
const VERSIONS = { adding: 12, abortable: 11 };

const SEVERAL_PRODUCERS = 'Transactional records contained more than one producer ID';

/** Errors of the coordinator that a producer would not try again after: it is told NOT_ENOUGH_REPLICAS, which it does. */
const retriedByName: ReadonlySet<ErrorName> = new Set([
  'NETWORK_EXCEPTION',
  'COORDINATOR_LOAD_IN_PROGRESS',
  'COORDINATOR_NOT_AVAILABLE',
  'NOT_COORDINATOR',
]);

/**
 * Records may begin a transaction in a partition only when its coordinator agrees: asks it, for those partitions in which the producer's transaction is not open already.
 * Gives for each entry what may be appended, or what the producer is told instead.
 */
export async function verifiedEntries(
  services: BrokerServices,
  entries: readonly AppendEntry[],
  sender: TransactionalSender,
): Promise<(AppendEntry | AppendOutcome)[]> {
  const kind = verificationKind(sender.apiVersion, VERSIONS);
  const producers = new Set(entries.map(({ records }) => producerOf(records)));
  producers.delete(null);
  if (producers.size > 1)
    return entries.map(({ partition }) =>
      failedAppend(partition.index, codeOf('INVALID_PRODUCER_ID_MAPPING'), SEVERAL_PRODUCERS),
    );
  const started = entries.map((entry) => startVerification(entry, kind));
  const unverified = started.filter((entry) => !('errorCode' in entry) && entry.transactional?.verification !== undefined);
  if (unverified.length === 0) return started;
  const fault = await ask(services, unverified as AppendEntry[], { ...sender, kind });
  return started.map((entry) => {
    if ('errorCode' in entry || entry.transactional?.verification === undefined) return entry;
    const { topic, index } = entry.partition;
    const error = fault(topic, index);
    return error === null ? entry : refusal(index, error, kind);
  });
}

/** Null where there is nothing to verify: outside of transactions, and for records of nobody, which Kafka takes. */
const producerOf = (records: Buffer): string | null => {
  const { isTransactional, hasProducerId, producerId, producerEpoch } = new RecordBatch(records, 0);
  return isTransactional && hasProducerId ? `${producerId} ${producerEpoch}` : null;
};

/** Records of no transaction stay as they are. */
function startVerification(entry: AppendEntry, kind: VerificationKind): AppendEntry | AppendOutcome {
  const { partition, records } = entry;
  const { producerId, producerEpoch, baseSequence } = new RecordBatch(records, 0);
  if (producerOf(records) === null) return entry;
  try {
    const start = { producerId, producerEpoch, baseSequence, startsAtZero: kind === 'add' };
    const verification = partition.leaderLog.producers.startVerification(start) ?? undefined;
    return { ...entry, transactional: { isVerified: true, verification } };
  } catch (error) {
    if (!(error instanceof KafkaError)) throw error;
    return failedAppend(partition.index, error.code);
  }
}

function ask(
  { transactionVerifier }: BrokerServices,
  entries: readonly AppendEntry[],
  { transactionalId, kind }: TransactionalSender & { readonly kind: VerificationKind },
): Promise<VerificationFault> {
  const partitions = new Map<string, number[]>();
  for (const { partition } of entries) {
    const indexes = partitions.get(partition.topic);
    if (indexes === undefined) partitions.set(partition.topic, [partition.index]);
    else indexes.push(partition.index);
  }
  const { producerId, producerEpoch } = new RecordBatch(entries[0]?.records ?? Buffer.alloc(0), 0);
  return transactionVerifier.verify({ transactionalId, producerId, producerEpoch, kind, partitions });
}

function refusal(index: number, error: ErrorName, kind: VerificationKind): AppendOutcome {
  if (error === 'INVALID_TXN_STATE') return failedAppend(index, codeOf(error), 'Partition was not added to the transaction');
  const isRetried = retriedByName.has(error) || (error === 'CONCURRENT_TRANSACTIONS' && kind !== 'add');
  if (!isRetried) return failedAppend(index, codeOf(error));
  const message = `Unable to verify the partition has been added to the transaction. Underlying error: ${error}`;
  return failedAppend(index, codeOf('NOT_ENOUGH_REPLICAS'), message);
}
