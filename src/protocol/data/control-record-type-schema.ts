import { int16, message } from '../schema.ts';

/** The key of a control record. */
export const controlRecordTypeSchema = message({
  name: 'ControlRecordTypeSchema',
  versions: '0',
  flexible: 'none',
  fields: { type: int16() },
});
