import { int64, message } from '../schema.ts';

/** An entry of a segment's transaction index. */
export const abortedTxn = message({
  name: 'AbortedTxn',
  versions: '0',
  flexible: 'none',
  fields: { producerId: int64(), firstOffset: int64(), lastOffset: int64(), lastStableOffset: int64() },
});
