import { api, array, int16, int32, string } from '../schema.ts';

/** ListGroups. v4 filters by state (KIP-518), v5 by type (KIP-848). */
export const listGroups = api({
  key: 16,
  name: 'ListGroups',
  versions: '0-5',
  flexible: '3+',
  listeners: ['broker'],
  request: { statesFilter: array(string(), { versions: '4+' }), typesFilter: array(string(), { versions: '5+' }) },
  response: {
    throttleTimeMs: int32({ versions: '1+', ignorable: true, default: 0 }),
    errorCode: int16({ default: 0 }),
    groups: array({
      groupId: string(),
      protocolType: string(),
      groupState: string({ versions: '4+', ignorable: true }),
      groupType: string({ versions: '5+', ignorable: true }),
    }),
  },
});
