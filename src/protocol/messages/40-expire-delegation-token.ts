import { api, bytes, int16, int32, int64 } from '../schema.ts';

/** ExpireDelegationToken. KIP-48. */
export const expireDelegationToken = api({
  key: 40,
  name: 'ExpireDelegationToken',
  versions: '1-2',
  flexible: '2+',
  listeners: ['broker', 'controller'],
  forwardable: true,
  request: { hmac: bytes(), expiryTimePeriodMs: int64() },
  response: { errorCode: int16({ default: 0 }), expiryTimestampMs: int64(), throttleTimeMs: int32({ default: 0 }) },
});
