import { int32, message } from '../../protocol/schema.ts';

/** A controller that is gone for good. */
export const unregisterControllerRecord = message({
  name: 'UnregisterControllerRecord',
  key: 29,
  versions: '0',
  flexible: '0+',
  fields: { controllerId: int32() },
});
