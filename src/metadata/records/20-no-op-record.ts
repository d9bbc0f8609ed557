import { message } from '../../protocol/schema.ts';

/** Nothing; it makes the log move (KIP-835). */
export const noOpRecord = message({
  name: 'NoOpRecord',
  key: 20,
  versions: '0',
  flexible: '0+',
  fields: {},
});
