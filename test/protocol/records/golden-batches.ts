import { readGolden } from '../../golden.ts';

/** Batches that Kafka 4.4 wrote and what its reader says of them. An int64 beyond 2^53 is a decimal string. */
export interface GoldenBatches {
  readonly name: string;
  readonly hex: string;
  readonly batches: readonly GoldenBatch[];
  readonly trailingBytes?: number;
}

export interface GoldenBatch {
  readonly position: number;
  readonly sizeInBytes: number;
  readonly baseOffset: number | string;
  readonly magic: number;
  readonly partitionLeaderEpoch?: number;
  readonly crc?: number;
  readonly attributes?: number;
  readonly lastOffsetDelta?: number;
  readonly baseTimestamp?: number;
  readonly maxTimestamp?: number;
  readonly producerId?: number | string;
  readonly producerEpoch?: number;
  readonly baseSequence?: number;
  readonly count?: number;
  readonly compression: string;
  readonly timestampType: 'NoTimestampType' | 'CreateTime' | 'LogAppendTime';
  readonly isTransactional: boolean;
  readonly isControl: boolean;
  readonly deleteHorizonMs: number | null;
  readonly lastOffset: number | string;
  readonly lastSequence: number;
  readonly records: readonly GoldenRecord[];
}

export type GoldenBytes = string | null | { readonly unit: string; readonly times: number };

export interface GoldenRecord {
  readonly offset: number | string;
  readonly timestamp: number;
  readonly key: GoldenBytes;
  readonly value: GoldenBytes;
  readonly headers: readonly { readonly key: string; readonly value: GoldenBytes }[];
  readonly controlName?: string;
}

export const goldenBatches = readGolden('records/batches.json.gz') as GoldenBatches[];

/** A batch that Kafka's reader was given and what became of it. */
export interface GoldenRead {
  readonly name: string;
  readonly hex: string;
  readonly error?: string;
  readonly message?: string | null;
}

export function bytesOf(golden: GoldenBytes): Buffer | null {
  if (golden === null) return null;
  if (typeof golden === 'string') return Buffer.from(golden, 'base64');
  return Buffer.concat(Array.from({ length: golden.times }, () => Buffer.from(golden.unit, 'base64')));
}

export const plain = (bytes: Uint8Array | null): Buffer | null => (bytes === null ? null : Buffer.from(bytes));
