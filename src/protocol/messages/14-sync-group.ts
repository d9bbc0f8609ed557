import { api, array, bytes, int16, int32, string } from '../schema.ts';

/** SyncGroup. v3 knows static members (KIP-345), v5 names the protocol type (KIP-559). */
export const syncGroup = api({
  key: 14,
  name: 'SyncGroup',
  versions: '0-5',
  flexible: '4+',
  listeners: ['broker'],
  request: {
    groupId: string(),
    generationId: int32(),
    memberId: string(),
    groupInstanceId: string({ versions: '3+', nullable: '3+', default: null }),
    protocolType: string({ versions: '5+', nullable: '5+', ignorable: true, default: null }),
    protocolName: string({ versions: '5+', nullable: '5+', ignorable: true, default: null }),
    assignments: array({ memberId: string(), assignment: bytes() }),
  },
  response: {
    throttleTimeMs: int32({ versions: '1+', ignorable: true, default: 0 }),
    errorCode: int16({ default: 0 }),
    protocolType: string({ versions: '5+', nullable: '5+', ignorable: true, default: null }),
    protocolName: string({ versions: '5+', nullable: '5+', ignorable: true, default: null }),
    assignment: bytes(),
  },
});
