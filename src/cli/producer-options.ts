import { type Command, Option } from 'commander';
import type { ProducerOptions } from '../client/producer-options.ts';
import { CODECS, type Codec } from '../protocol/compression/codec.ts';
import { usageError } from './cli-error.ts';
import { byteSize, duration, wholeNumber } from './option-values.ts';

/** Options of commands that produce. */
export interface ProduceTuning {
  readonly acks: 'all' | '0' | '1' | '-1';
  readonly compression: Codec;
  readonly compressionLevel?: number;
  readonly linger: number;
  readonly batchSize: number;
  readonly bufferMemory: number;
  readonly maxInFlight: number;
  readonly maxRequestSize: number;
  readonly deliveryTimeout: number;
  readonly idempotence: boolean;
}

/** Options of commands that produce in transactions if they are told a transactional id. */
export interface TransactionTuning {
  readonly transactional?: string;
  readonly transactionSize?: number;
  readonly transactionDuration?: number;
  readonly transactionTimeout: number;
}

const DEFAULT_TRANSACTION_TIMEOUT_MS = 60_000;

export function addTransactionTuning(command: Command, { whole }: { readonly whole: string }): Command {
  return command
    .option('--transactional <id>', `send in transactions under this id: ${whole}, or as the next two say`)
    .option('--transactional-id <id>', 'the same')
    .option('--transaction-size <records>', 'commit after so many records', wholeNumber(1))
    .option('--transaction-duration <time>', 'commit after so long', duration)
    .addOption(
      new Option('--transaction-timeout <time>', 'brokers abort a transaction that is open for longer')
        .argParser(duration)
        .default(DEFAULT_TRANSACTION_TIMEOUT_MS, '1m'),
    );
}

interface TransactionOptions extends TransactionTuning {
  readonly transactionalId?: string;
  readonly acks: ProduceTuning['acks'];
  readonly idempotence: boolean;
}

/** The transactional id, or null; refuses what does not go together. */
export function transactionalIdOf(options: TransactionOptions): string | null {
  const { transactional, transactionalId, transactionSize, transactionDuration, acks, idempotence } = options;
  const id = transactional ?? transactionalId ?? null;
  if (id === null) {
    if (transactionSize !== undefined || transactionDuration !== undefined)
      throw usageError('Transactions need an id', 'Name it with --transactional ID.');
    return null;
  }
  if (id === '') throw usageError('The transactional id is empty');
  if (acks !== 'all' && acks !== '-1') throw usageError('Transactions need --acks all');
  if (!idempotence) throw usageError('--transactional and --no-idempotence exclude each other');
  return id;
}

const DEFAULT_BUFFER_BYTES = 33_554_432;
const DEFAULT_REQUEST_BYTES = 1_048_576;

/** `defaults` differ: a person at a terminal wants each line sent, a benchmark wants full batches. */
export function addProduceTuning(command: Command, defaults: { readonly lingerMs: number; readonly batchSize: number }): Command {
  return command
    .addOption(
      new Option('-a, --acks <who>', 'who must have a record: all in sync, the leader (1), nobody (0)')
        .choices(['all', '-1', '1', '0'])
        .default('all'),
    )
    .addOption(new Option('-z, --compression <codec>', 'compress batches').choices(CODECS).default('none'))
    .option('--compression-level <number>', 'gzip 1-9, zstd up to 22', wholeNumber(-131_072, 22))
    .addOption(
      new Option('--linger <time>', 'wait so long for a batch to fill')
        .argParser(duration)
        .default(defaults.lingerMs, `${defaults.lingerMs}ms`),
    )
    .addOption(new Option('--batch-size <bytes>', 'size of a full batch').argParser(byteSize).default(defaults.batchSize))
    .addOption(
      new Option('--buffer-memory <bytes>', 'memory for records that are not sent yet')
        .argParser(byteSize)
        .default(DEFAULT_BUFFER_BYTES),
    )
    .addOption(new Option('--max-request-size <bytes>', 'largest request').argParser(byteSize).default(DEFAULT_REQUEST_BYTES))
    .addOption(
      new Option('--max-in-flight <number>', 'requests under way to a broker').argParser(wholeNumber(1, 1000)).default(5),
    )
    .addOption(
      new Option('--delivery-timeout <time>', 'give a record up after so long').argParser(duration).default(120_000, '2m'),
    )
    .option('--no-idempotence', 'do without sequence numbers: a retry may write a record twice');
}

export function producerOptions(options: ProduceTuning & Partial<TransactionOptions>): ProducerOptions {
  const { transactionTimeout } = options;
  const transactionalId = transactionTimeout === undefined ? null : transactionalIdOf({ ...options, transactionTimeout });
  const acks = options.acks === 'all' || options.acks === '-1' ? 'all' : options.acks === '1' ? 1 : 0;
  return {
    acks,
    enableIdempotence: options.idempotence && acks === 'all',
    compression: options.compression,
    ...(options.compressionLevel === undefined ? {} : { compressionLevel: options.compressionLevel }),
    lingerMs: options.linger,
    batchSize: options.batchSize,
    bufferMemory: options.bufferMemory,
    maxInFlight: options.maxInFlight,
    maxRequestSize: options.maxRequestSize,
    deliveryTimeoutMs: options.deliveryTimeout,
    ...(transactionalId === null ? {} : { transactionalId, transactionTimeoutMs: transactionTimeout ?? 0 }),
  };
}
