import { KafkaError } from '../protocol/errors.ts';
import { batchesOf } from '../protocol/records/batches.ts';
import { CURRENT_MAGIC } from '../protocol/records/batch-layout.ts';
import type { RecordBatch } from '../protocol/records/record-batch.ts';
import type { AppendOrigin } from './producer-append.ts';
import { directoryNameOf, type TopicPartition } from './topic-partition.ts';

export interface AnalysisOptions {
  readonly origin: AppendOrigin;
  readonly topicPartition: TopicPartition;
  readonly maxMessageBytes: number;
}

/** The whole batches of what is to be appended. */
export interface AppendAnalysis {
  readonly batches: readonly RecordBatch[];
  readonly bytes: Uint8Array;
}

/** What can be said of records before their place in the log is known; throws a KafkaError. A batch that is cut short is left out. */
export function analyzeAppend(records: Uint8Array, options: AnalysisOptions): AppendAnalysis {
  const { origin, maxMessageBytes } = options;
  const name = directoryNameOf(options.topicPartition);
  const isBounded = origin === 'client' || origin === 'coordinator';
  const batches: RecordBatch[] = [];
  let end = 0;
  for (const batch of batchesOf(records)) {
    if (origin === 'client' && batch.magic === CURRENT_MAGIC && batch.baseOffset !== 0) {
      throw new KafkaError(
        'INVALID_RECORD',
        `The baseOffset of the record batch in the append to ${name} should be 0, but it is ${batch.baseOffset}`,
      );
    }
    const size = batch.sizeInBytes;
    if (isBounded && size > maxMessageBytes) {
      throw new KafkaError(
        'MESSAGE_TOO_LARGE',
        `The record batch size in the append to ${name} is ${size} bytes which exceeds the maximum configured value of ${maxMessageBytes}).`,
      );
    }
    if (!batch.isCrcValid()) {
      throw new KafkaError('CORRUPT_MESSAGE', `Record is corrupt (stored crc = ${batch.crc}) in topic partition ${name}.`);
    }
    batches.push(batch);
    end = batch.end;
  }
  return { batches, bytes: end === records.length ? records : records.subarray(0, end) };
}
