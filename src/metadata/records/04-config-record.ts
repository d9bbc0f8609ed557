import { int8, message, string } from '../../protocol/schema.ts';

/** A dynamic config; null removes it. */
export const configRecord = message({
  name: 'ConfigRecord',
  key: 4,
  versions: '0',
  flexible: '0+',
  fields: { resourceType: int8(), resourceName: string(), name: string(), value: string({ nullable: '0+' }) },
});
