import { type Command, Option } from 'commander';
import type { ProducerOptions } from '../client/producer-options.ts';
import { CODECS, type Codec } from '../protocol/compression/codec.ts';
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

export function producerOptions(options: ProduceTuning): ProducerOptions {
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
  };
}
