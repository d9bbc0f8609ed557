import { message } from '../../protocol/schema.ts';

/** The records since the begin apply now (KIP-868). */
export const endTransactionRecord = message({
  name: 'EndTransactionRecord',
  key: 24,
  versions: '0',
  flexible: '0+',
  fields: {},
});
