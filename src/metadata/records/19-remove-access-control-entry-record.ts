import { message, uuid } from '../../protocol/schema.ts';

/** The removal of an access control entry (KIP-801). */
export const removeAccessControlEntryRecord = message({
  name: 'RemoveAccessControlEntryRecord',
  key: 19,
  versions: '0',
  flexible: '0+',
  fields: { id: uuid() },
});
