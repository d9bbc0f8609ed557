import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { batchesOf } from '../../src/protocol/records/batches.ts';
import type { RecordBatch } from '../../src/protocol/records/record-batch.ts';

/** The batches in the first segment of a topic's partition 0, as they lie on disk. */
export const storedBatches = (directory: string, topic: string): RecordBatch[] => [
  ...batchesOf(readFileSync(join(directory, `${topic}-0`, '00000000000000000000.log'))),
];
