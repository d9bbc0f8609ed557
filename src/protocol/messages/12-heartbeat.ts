import { api, int16, int32, string } from '../schema.ts';

/** Heartbeat. v3 knows static members (KIP-345). */
export const heartbeat = api({
  key: 12,
  name: 'Heartbeat',
  versions: '0-4',
  flexible: '4+',
  listeners: ['broker'],
  request: {
    groupId: string(),
    generationId: int32(),
    memberId: string(),
    groupInstanceId: string({ versions: '3+', nullable: '3+', default: null }),
  },
  response: { throttleTimeMs: int32({ versions: '1+', ignorable: true, default: 0 }), errorCode: int16({ default: 0 }) },
});
