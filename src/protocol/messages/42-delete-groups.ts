import { api, array, int16, int32, string } from '../schema.ts';

/** DeleteGroups. KIP-229. */
export const deleteGroups = api({
  key: 42,
  name: 'DeleteGroups',
  versions: '0-3',
  flexible: '2+',
  listeners: ['broker'],
  request: { groupsNames: array(string()) },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    results: array({
      groupId: string({ mapKey: true }),
      errorCode: int16({ default: 0 }),
      errorMessage: string({ versions: '3+', nullable: '3+', ignorable: true, default: null }),
    }),
  },
});
