import type { IsolationLevel } from './list-offsets.ts';

/** What a consumer can be told; names and defaults are those of Kafka's consumer. */
export interface ConsumerOptions {
  readonly isolationLevel?: IsolationLevel;
  /** Where to go on when the position is outside of the log. */
  readonly autoOffsetReset?: 'earliest' | 'latest' | 'none';
  readonly fetchMinBytes?: number;
  readonly fetchMaxBytes?: number;
  readonly fetchMaxWaitMs?: number;
  readonly maxPartitionFetchBytes?: number;
  /** Answers of one broker that may wait to be read before it is asked for more. */
  readonly prefetchAnswers?: number;
  readonly clientRack?: string;
  readonly checkCrcs?: boolean;
}

export type ConsumerSettings = Required<ConsumerOptions>;

export const consumerDefaults: ConsumerSettings = {
  isolationLevel: 'read_uncommitted',
  autoOffsetReset: 'latest',
  fetchMinBytes: 1,
  fetchMaxBytes: 52_428_800,
  fetchMaxWaitMs: 500,
  maxPartitionFetchBytes: 1_048_576,
  prefetchAnswers: 2,
  clientRack: '',
  checkCrcs: true,
};

export function consumerSettings(options: ConsumerOptions): ConsumerSettings {
  return { ...consumerDefaults, ...Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) };
}
