import { int16, message } from '../schema.ts';

/** Control record that ends a snapshot (KIP-630). */
export const snapshotFooterRecord = message({
  name: 'SnapshotFooterRecord',
  versions: '0',
  flexible: '0+',
  fields: { version: int16() },
});
