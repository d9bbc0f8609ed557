import { api, array, int16, int32, int8, string } from '../schema.ts';

/**
 * FindCoordinator. v1 also finds transaction coordinators, v4 asks for several keys (KIP-699), v6 finds share coordinators
 * (KIP-932).
 */
export const findCoordinator = api({
  key: 10,
  name: 'FindCoordinator',
  versions: '0-6',
  flexible: '3+',
  listeners: ['broker'],
  request: {
    key: string({ versions: '0-3', default: '' }),
    keyType: int8({ versions: '1+', default: 0 }),
    coordinatorKeys: array(string(), { versions: '4+' }),
  },
  response: {
    throttleTimeMs: int32({ versions: '1+', ignorable: true, default: 0 }),
    errorCode: int16({ versions: '0-3', default: 0 }),
    errorMessage: string({ versions: '1-3', nullable: '1-3', ignorable: true, default: '' }),
    nodeId: int32({ versions: '0-3', default: 0 }),
    host: string({ versions: '0-3', default: '' }),
    port: int32({ versions: '0-3', default: 0 }),
    coordinators: array(
      {
        key: string(),
        nodeId: int32(),
        host: string(),
        port: int32(),
        errorCode: int16({ default: 0 }),
        errorMessage: string({ nullable: '4+', ignorable: true }),
      },
      { versions: '4+' },
    ),
  },
});
