import { int16, int64, message } from '../schema.ts';

/** Control record that begins a snapshot (KIP-630). */
export const snapshotHeaderRecord = message({
  name: 'SnapshotHeaderRecord',
  versions: '0',
  flexible: '0+',
  fields: { version: int16(), lastContainedLogTimestamp: int64() },
});
