import { message, string } from '../../protocol/schema.ts';

/** The records since the begin never apply (KIP-868). */
export const abortTransactionRecord = message({
  name: 'AbortTransactionRecord',
  key: 25,
  versions: '0',
  flexible: '0+',
  fields: { reason: string({ nullable: '0+', tagged: '0+', tag: 0, default: null }) },
});
