import { api, array, bytes, int16, int32, int8, string } from '../schema.ts';

/** AlterUserScramCredentials. KIP-554. */
export const alterUserScramCredentials = api({
  key: 51,
  name: 'AlterUserScramCredentials',
  versions: '0',
  flexible: '0+',
  listeners: ['broker', 'controller'],
  forwardable: true,
  request: {
    deletions: array({ name: string(), mechanism: int8() }),
    upsertions: array({ name: string(), mechanism: int8(), iterations: int32(), salt: bytes(), saltedPassword: bytes() }),
  },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    results: array({ user: string(), errorCode: int16({ default: 0 }), errorMessage: string({ nullable: '0+' }) }),
  },
});
