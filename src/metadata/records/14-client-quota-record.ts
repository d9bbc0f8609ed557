import { array, boolean, float64, message, string } from '../../protocol/schema.ts';

/** A client quota, or its removal. */
export const clientQuotaRecord = message({
  name: 'ClientQuotaRecord',
  key: 14,
  versions: '0',
  flexible: '0+',
  fields: {
    entity: array({ entityType: string(), entityName: string({ nullable: '0+' }) }),
    key: string(),
    value: float64(),
    remove: boolean(),
  },
});
