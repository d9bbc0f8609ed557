import { int32, message } from '../schema.ts';

/** The value of a transaction marker. Only version 0 is in use. */
export const endTxnMarker = message({
  name: 'EndTxnMarker',
  versions: '0',
  flexible: 'none',
  fields: { coordinatorEpoch: int32() },
});
