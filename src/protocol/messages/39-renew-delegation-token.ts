import { api, bytes, int16, int32, int64 } from '../schema.ts';

/** RenewDelegationToken. KIP-48. */
export const renewDelegationToken = api({
  key: 39,
  name: 'RenewDelegationToken',
  versions: '1-2',
  flexible: '2+',
  listeners: ['broker', 'controller'],
  forwardable: true,
  request: { hmac: bytes(), renewPeriodMs: int64() },
  response: { errorCode: int16({ default: 0 }), expiryTimestampMs: int64(), throttleTimeMs: int32({ default: 0 }) },
});
