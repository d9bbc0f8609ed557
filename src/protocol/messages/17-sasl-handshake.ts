import { api, array, int16, string } from '../schema.ts';

/** SaslHandshake. After v0 raw tokens follow; after v1 they are sent in SaslAuthenticate (KIP-152). */
export const saslHandshake = api({
  key: 17,
  name: 'SaslHandshake',
  versions: '0-1',
  flexible: 'none',
  listeners: ['broker', 'controller'],
  request: { mechanism: string() },
  response: { errorCode: int16({ default: 0 }), mechanisms: array(string()) },
});
