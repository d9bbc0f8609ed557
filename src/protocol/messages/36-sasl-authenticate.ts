import { api, bytes, int16, int64, string } from '../schema.ts';

/** SaslAuthenticate. KIP-152; v1 tells how long the session lives (KIP-368). */
export const saslAuthenticate = api({
  key: 36,
  name: 'SaslAuthenticate',
  versions: '0-2',
  flexible: '2+',
  listeners: ['broker', 'controller'],
  request: { authBytes: bytes() },
  response: {
    errorCode: int16({ default: 0 }),
    errorMessage: string({ nullable: '0+' }),
    authBytes: bytes(),
    sessionLifetimeMs: int64({ versions: '1+', ignorable: true, default: 0 }),
  },
});
