import { api, array, bytes, int16, int32, int64, string } from '../schema.ts';

/** CreateDelegationToken. KIP-48; v3 makes tokens for others (KIP-373). */
export const createDelegationToken = api({
  key: 38,
  name: 'CreateDelegationToken',
  versions: '1-3',
  flexible: '2+',
  listeners: ['broker', 'controller'],
  forwardable: true,
  request: {
    ownerPrincipalType: string({ versions: '3+', nullable: '3+' }),
    ownerPrincipalName: string({ versions: '3+', nullable: '3+' }),
    renewers: array({ principalType: string(), principalName: string() }),
    maxLifetimeMs: int64(),
  },
  response: {
    errorCode: int16({ default: 0 }),
    principalType: string(),
    principalName: string(),
    tokenRequesterPrincipalType: string({ versions: '3+' }),
    tokenRequesterPrincipalName: string({ versions: '3+' }),
    issueTimestampMs: int64(),
    expiryTimestampMs: int64(),
    maxTimestampMs: int64(),
    tokenId: string(),
    hmac: bytes(),
    throttleTimeMs: int32({ default: 0 }),
  },
});
