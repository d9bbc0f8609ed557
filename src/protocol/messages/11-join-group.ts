import { api, array, boolean, bytes, int16, int32, string } from '../schema.ts';

/**
 * JoinGroup. v4 makes members come back with their id (KIP-394), v5 knows static members (KIP-345), v7 names the protocol
 * type (KIP-559), v8 a reason (KIP-800), v9 lets the leader skip the assignment (KIP-814).
 */
export const joinGroup = api({
  key: 11,
  name: 'JoinGroup',
  versions: '0-9',
  flexible: '6+',
  listeners: ['broker'],
  request: {
    groupId: string(),
    sessionTimeoutMs: int32(),
    rebalanceTimeoutMs: int32({ versions: '1+', ignorable: true, default: -1 }),
    memberId: string(),
    groupInstanceId: string({ versions: '5+', nullable: '5+', default: null }),
    protocolType: string(),
    protocols: array({ name: string({ mapKey: true }), metadata: bytes() }),
    reason: string({ versions: '8+', nullable: '8+', ignorable: true, default: null }),
  },
  response: {
    throttleTimeMs: int32({ versions: '2+', ignorable: true, default: 0 }),
    errorCode: int16({ default: 0 }),
    generationId: int32({ default: -1 }),
    protocolType: string({ versions: '7+', nullable: '7+', ignorable: true, default: null }),
    protocolName: string({ nullable: '7+' }),
    leader: string(),
    skipAssignment: boolean({ versions: '9+', default: false }),
    memberId: string(),
    members: array({
      memberId: string(),
      groupInstanceId: string({ versions: '5+', nullable: '5+', ignorable: true, default: null }),
      metadata: bytes(),
    }),
  },
});
