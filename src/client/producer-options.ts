import type { Codec } from '../protocol/compression/codec.ts';

/** What a producer can be told; names and defaults are those of Kafka's producer. */
export interface ProducerOptions {
  readonly acks?: 'all' | 0 | 1;
  readonly enableIdempotence?: boolean;
  readonly compression?: Codec;
  readonly compressionLevel?: number;
  readonly lingerMs?: number;
  readonly batchSize?: number;
  readonly bufferMemory?: number;
  readonly maxBlockMs?: number;
  readonly maxInFlight?: number;
  readonly maxRequestSize?: number;
  readonly requestTimeoutMs?: number;
  readonly deliveryTimeoutMs?: number;
  readonly retries?: number;
  /** Records are sent in transactions, of a producer that is known under this id beyond its process. */
  readonly transactionalId?: string | null;
  readonly transactionTimeoutMs?: number;
}

export interface ProducerSettings extends Omit<Required<ProducerOptions>, 'compressionLevel'> {
  readonly compressionLevel: number | undefined;
}

export const producerDefaults = {
  acks: 'all',
  enableIdempotence: true,
  compression: 'none',
  lingerMs: 5,
  batchSize: 16_384,
  bufferMemory: 33_554_432,
  maxBlockMs: 60_000,
  maxInFlight: 5,
  maxRequestSize: 1_048_576,
  requestTimeoutMs: 30_000,
  deliveryTimeoutMs: 120_000,
  retries: 2_147_483_647,
  compressionLevel: undefined,
  transactionalId: null,
  transactionTimeoutMs: 60_000,
} as const satisfies ProducerSettings;

/** Fills in the defaults. Idempotence needs acks=all: without them it is off unless it was asked for, which is refused. */
export function producerSettings(options: ProducerOptions): ProducerSettings {
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const settings: ProducerSettings = { ...producerDefaults, ...given };
  const isTransactional = settings.transactionalId !== null;
  if (isTransactional && !settings.enableIdempotence) throw new RangeError('A transactional producer is idempotent');
  if (settings.acks === 'all') return settings;
  if (isTransactional) throw new RangeError('A transactional producer needs acks=all');
  if (options.enableIdempotence === true) throw new RangeError('An idempotent producer needs acks=all');
  return { ...settings, enableIdempotence: false };
}
