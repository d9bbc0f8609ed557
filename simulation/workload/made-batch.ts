import type { Codec } from '../../src/protocol/compression/codec.ts';
import { buildBatch } from '../../src/protocol/records/record-batch-builder.ts';

export interface BatchContent {
  readonly producerId: number;
  readonly baseSequence: number;
  readonly values: readonly string[];
  readonly codec?: Codec;
  readonly timestamp: number;
}

export const batchOf = ({ producerId, baseSequence, values, codec = 'none', timestamp }: BatchContent): Buffer =>
  buildBatch({
    records: values.map((value) => ({ timestamp, value: Buffer.from(value) })),
    codec,
    producerId,
    producerEpoch: 0,
    baseSequence,
  });
