import type { Disk } from '../../src/base/disk.ts';
import { batchesOf } from '../../src/protocol/records/batches.ts';
import { CorruptBatchError } from '../../src/protocol/records/corrupt-batch-error.ts';
import type { NodeState } from './node-state.ts';

const METADATA_FILE = 'partition.metadata';

/** What lies whole on the disk of a node that is down: its end by topic id and partition. Made without any code of the storage layer. */
export type SurvivingEnds = ReadonlyMap<string, number>;

/** Reads the segments of every partition up to the first batch that is damaged or missing. */
export function survivingEnds(disk: Disk, directory: string): SurvivingEnds {
  const ends = new Map<string, number>();
  if (!disk.exists(directory)) return ends;
  for (const { name, kind } of disk.list(directory)) {
    const partition = /-(\d+)$/.exec(name)?.[1];
    if (kind !== 'directory' || partition === undefined) continue;
    const topicId = topicIdIn(disk, `${directory}/${name}`);
    if (topicId !== null) ends.set(`${topicId}/${partition}`, endOf(disk, `${directory}/${name}`));
  }
  return ends;
}

/** Throws when a node has thrown away records that the crash had left whole. */
export function checkSurvivors(ends: SurvivingEnds, state: NodeState): void {
  for (const [name, topic] of state) {
    for (const [partition, { end }] of topic.contents.entries()) {
      const survived = ends.get(`${topic.id}/${partition}`) ?? 0;
      if (end < survived)
        throw new Error(`${name}-${partition} ends at ${end}, though records up to ${survived} were whole on disk`);
    }
  }
}

function topicIdIn(disk: Disk, directory: string): string | null {
  if (!disk.exists(`${directory}/${METADATA_FILE}`)) return null;
  const text = contentsOf(disk, `${directory}/${METADATA_FILE}`).toString();
  return /^topic_id: (.{22})$/m.exec(text)?.[1] ?? null;
}

function endOf(disk: Disk, directory: string): number {
  const segments = disk.list(directory).filter(({ name }) => name.endsWith('.log'));
  let expected: number | null = null;
  for (const { name } of segments) {
    const baseOffset = Number.parseInt(name, 10);
    if (expected !== null && baseOffset !== expected) return expected;
    const bytes = contentsOf(disk, `${directory}/${name}`);
    const { end, isWhole } = wholeBatches(bytes, baseOffset);
    expected = end;
    if (!isWhole) break;
  }
  return expected ?? 0;
}

function wholeBatches(bytes: Buffer, baseOffset: number): { readonly end: number; readonly isWhole: boolean } {
  let end = baseOffset;
  let size = 0;
  try {
    for (const batch of batchesOf(bytes)) {
      if (batch.baseOffset !== end || !batch.isCrcValid()) break;
      end = batch.nextOffset;
      size += batch.sizeInBytes;
    }
  } catch (error) {
    if (!(error instanceof CorruptBatchError)) throw error;
  }
  return { end, isWhole: size === bytes.length };
}

function contentsOf(disk: Disk, path: string): Buffer {
  const file = disk.open(path, { readOnly: true });
  const bytes = Buffer.alloc(file.size());
  file.read(bytes, 0);
  file.close();
  return bytes;
}
