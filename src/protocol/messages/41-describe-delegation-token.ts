import { api, array, bytes, int16, int32, int64, string } from '../schema.ts';

/** DescribeDelegationToken. KIP-48; v3 tells who asked for the token (KIP-373). */
export const describeDelegationToken = api({
  key: 41,
  name: 'DescribeDelegationToken',
  versions: '1-3',
  flexible: '2+',
  listeners: ['broker', 'controller'],
  request: { owners: array({ principalType: string(), principalName: string() }, { nullable: '0+' }) },
  response: {
    errorCode: int16({ default: 0 }),
    tokens: array({
      principalType: string(),
      principalName: string(),
      tokenRequesterPrincipalType: string({ versions: '3+' }),
      tokenRequesterPrincipalName: string({ versions: '3+' }),
      issueTimestamp: int64(),
      expiryTimestamp: int64(),
      maxTimestamp: int64(),
      tokenId: string(),
      hmac: bytes(),
      renewers: array({ principalType: string(), principalName: string() }),
    }),
    throttleTimeMs: int32({ default: 0 }),
  },
});
