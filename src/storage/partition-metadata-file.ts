import type { Disk } from '../base/disk.ts';
import { joinPath } from './path.ts';
import { readSmallFile, replaceSmallFile } from './small-file.ts';

export const PARTITION_METADATA_FILE = 'partition.metadata';

const TOPIC_ID = /^[A-Za-z0-9_-]{22}$/;

/** The topic id that a partition's directory belongs to; null if the file is missing or unreadable. */
export function readPartitionMetadata(disk: Disk, directory: string): { readonly topicId: string } | null {
  const bytes = readSmallFile(disk, joinPath(directory, PARTITION_METADATA_FILE));
  if (bytes === null) return null;
  const fields = new Map<string, string>();
  for (const line of bytes.toString('utf8').split('\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) fields.set(line.slice(0, colon).trim(), line.slice(colon + 1).trim());
  }
  const topicId = fields.get('topic_id') ?? '';
  return fields.get('version') === '0' && TOPIC_ID.test(topicId) ? { topicId } : null;
}

export function writePartitionMetadata(disk: Disk, directory: string, topicId: string): void {
  const bytes = Buffer.from(`version: 0\ntopic_id: ${topicId}`);
  replaceSmallFile(disk, joinPath(directory, PARTITION_METADATA_FILE), bytes, { durable: false });
}
