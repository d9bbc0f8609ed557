import { int8, message, string, uuid } from '../../protocol/schema.ts';

/** An access control entry (KIP-801). */
export const accessControlEntryRecord = message({
  name: 'AccessControlEntryRecord',
  key: 18,
  versions: '0',
  flexible: '0+',
  fields: {
    id: uuid(),
    resourceType: int8(),
    resourceName: string(),
    patternType: int8(),
    principal: string(),
    host: string(),
    operation: int8(),
    permissionType: int8(),
  },
});
