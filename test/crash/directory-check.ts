import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { nodeDisk } from '../../src/platform/node-disk.ts';
import { batchesOf } from '../../src/protocol/records/batches.ts';
import { dumpLog } from '../../src/server/tools/dump-log/dump-log.ts';
import { DEFAULT_MAX_MESSAGE_SIZE, type DumpOptions, NO_BYTE_LIMIT } from '../../src/server/tools/dump-log/dump-options.ts';

const verifyIndexes: DumpOptions = {
  contents: null,
  deepIteration: false,
  skipRecordMetadata: false,
  indexSanityCheck: false,
  verifyIndexOnly: true,
  maxBytes: NO_BYTE_LIMIT,
  maxMessageSize: DEFAULT_MAX_MESSAGE_SIZE,
};

export interface DirectoryFacts {
  readonly partitions: number;
  readonly segments: number;
  readonly batches: number;
  readonly bytes: number;
  /** The offset after the last record of each partition, by directory name. */
  readonly ends: ReadonlyMap<string, number>;
}

/**
 * Looks at the files of a stopped node: every segment is whole batches with right checksums and consecutive offsets, and every index entry
 * points to where it says. Throws what is wrong.
 */
export function checkDirectory(directory: string): DirectoryFacts {
  const total = { partitions: 0, segments: 0, batches: 0, bytes: 0 };
  const ends = new Map<string, number>();
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    if (!entry.isDirectory() || !/-\d+$/.test(entry.name)) continue;
    total.partitions++;
    const facts = checkPartition(join(directory, entry.name));
    total.segments += facts.segments;
    total.batches += facts.batches;
    total.bytes += facts.bytes;
    ends.set(entry.name, facts.end);
  }
  return { ...total, ends };
}

function checkPartition(directory: string): { segments: number; batches: number; bytes: number; end: number } {
  const names = readdirSync(directory).toSorted();
  const segments = names.filter((name) => name.endsWith('.log'));
  let expected: number | null = null;
  let batches = 0;
  let bytes = 0;
  for (const name of segments) {
    const path = join(directory, name);
    const content = readFileSync(path);
    bytes += content.length;
    if (expected !== null && Number.parseInt(name, 10) !== expected) throw new Error(`${path} should begin with ${expected}`);
    expected ??= Number.parseInt(name, 10);
    let whole = 0;
    for (const batch of batchesOf(content)) {
      batch.ensureValid();
      if (batch.baseOffset !== expected) throw new Error(`${path} has ${batch.baseOffset} where ${expected} should be`);
      expected = batch.nextOffset;
      whole += batch.sizeInBytes;
      batches++;
    }
    if (whole !== content.length) throw new Error(`${path} ends with ${content.length - whole} bytes of no batch`);
  }
  checkIndexes(names.filter((name) => /\.(time)?index$/.test(name)).map((name) => join(directory, name)));
  return { segments: segments.length, batches, bytes, end: expected ?? 0 };
}

function checkIndexes(paths: readonly string[]): void {
  const problems: string[] = [];
  const filled = paths.filter((path) => statSync(path).size > 0);
  dumpLog(nodeDisk, filled, verifyIndexes, { out: () => undefined, problem: (line) => void problems.push(line) });
  if (problems.length > 0) throw new Error(problems.join('\n'));
}
