import { api, array, int16, int32, int8, string } from '../schema.ts';

/** DescribeUserScramCredentials. KIP-554. */
export const describeUserScramCredentials = api({
  key: 50,
  name: 'DescribeUserScramCredentials',
  versions: '0',
  flexible: '0+',
  listeners: ['broker', 'controller'],
  request: { users: array({ name: string() }, { nullable: '0+' }) },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    errorCode: int16({ default: 0 }),
    errorMessage: string({ nullable: '0+' }),
    results: array({
      user: string(),
      errorCode: int16({ default: 0 }),
      errorMessage: string({ nullable: '0+' }),
      credentialInfos: array({ mechanism: int8(), iterations: int32() }),
    }),
  },
});
