import { buildBatch } from '../../../../../src/protocol/records/record-batch-builder.ts';
import { MemoryLog } from '../../../runtime/counters.ts';

/** What the cleaner leaves of a log: the last record of each key, in order; of tombstones nothing. */
export function compacted(log: MemoryLog): MemoryLog {
  const last = new Map<string, { readonly key: Buffer; readonly value: Buffer | null }>();
  for (const { records } of log.batches()) {
    for (const { key, value } of records) {
      if (key === null) continue;
      const id = Buffer.from(key).toString('hex');
      last.delete(id);
      last.set(id, { key: Buffer.from(key), value: value === null ? null : Buffer.from(value) });
    }
  }
  const kept = [...last.values()].filter(({ value }) => value !== null);
  const after = new MemoryLog();
  for (const { key, value } of kept)
    after.append(0, buildBatch({ records: [{ timestamp: 0, key, value, headers: [] }], codec: 'none' }));
  return after;
}
