import { api, array, boolean, int16, int32, string, uint16, uuid } from '../schema.ts';

/** AddRaftVoter. KIP-853. */
export const addRaftVoter = api({
  key: 80,
  name: 'AddRaftVoter',
  versions: '0-1',
  flexible: '0+',
  listeners: ['broker', 'controller'],
  forwardable: true,
  request: {
    clusterId: string({ nullable: '0+' }),
    timeoutMs: int32(),
    voterId: int32(),
    voterDirectoryId: uuid(),
    listeners: array({ name: string({ mapKey: true }), host: string(), port: uint16() }),
    ackWhenCommitted: boolean({ versions: '1+', default: true }),
  },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    errorCode: int16({ default: 0 }),
    errorMessage: string({ nullable: '0+', ignorable: true }),
  },
});
