import type { Disk } from '../base/disk.ts';
import { type CheckpointFormat, parseWhole, readCheckpoint, writeCheckpoint } from './checkpoint-file.ts';
import { directoryNameOf, type TopicPartition } from './topic-partition.ts';

/** The checkpoints of a log directory that give one offset to each partition. */
export const RECOVERY_POINT_CHECKPOINT = 'recovery-point-offset-checkpoint';
export const LOG_START_OFFSET_CHECKPOINT = 'log-start-offset-checkpoint';
export const HIGH_WATERMARK_CHECKPOINT = 'replication-offset-checkpoint';

export interface PartitionOffset {
  readonly topicPartition: TopicPartition;
  readonly offset: number;
}

export const offsetFormat: CheckpointFormat<PartitionOffset> = {
  version: 0,
  format: ({ topicPartition, offset }) => `${topicPartition.topic} ${topicPartition.partition} ${offset}`,
  parse(line) {
    const fields = line.split(/\s+/);
    const [topic = '', partitionText = '', offsetText = ''] = fields;
    const partition = parseWhole(partitionText);
    const offset = parseWhole(offsetText);
    if (fields.length !== 3 || topic === '' || partition === null || offset === null) return null;
    return { topicPartition: { topic, partition }, offset };
  },
};

/** Offsets by directory name (`topic-partition`). Throws a CheckpointError if the file is unreadable. */
export function readOffsetCheckpoint(disk: Disk, path: string): Map<string, number> {
  return new Map(readCheckpoint(disk, path, offsetFormat).map((entry) => [directoryNameOf(entry.topicPartition), entry.offset]));
}

export function writeOffsetCheckpoint(disk: Disk, path: string, entries: Iterable<PartitionOffset>): void {
  writeCheckpoint(disk, { path, entries, format: offsetFormat, durable: true });
}
