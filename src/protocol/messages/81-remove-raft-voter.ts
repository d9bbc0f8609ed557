import { api, int16, int32, string, uuid } from '../schema.ts';

/** RemoveRaftVoter. KIP-853. */
export const removeRaftVoter = api({
  key: 81,
  name: 'RemoveRaftVoter',
  versions: '0',
  flexible: '0+',
  listeners: ['broker', 'controller'],
  forwardable: true,
  request: { clusterId: string({ nullable: '0+' }), voterId: int32(), voterDirectoryId: uuid() },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    errorCode: int16({ default: 0 }),
    errorMessage: string({ nullable: '0+', ignorable: true }),
  },
});
