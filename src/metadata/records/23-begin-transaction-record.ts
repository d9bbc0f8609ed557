import { message, string } from '../../protocol/schema.ts';

/** The records from here to the end of the transaction apply together (KIP-868). */
export const beginTransactionRecord = message({
  name: 'BeginTransactionRecord',
  key: 23,
  versions: '0',
  flexible: '0+',
  fields: { name: string({ nullable: '0+', tagged: '0+', tag: 0, default: null }) },
});
