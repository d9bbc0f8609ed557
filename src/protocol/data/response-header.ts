import { int32, message } from '../schema.ts';

/** What precedes every response. */
export const responseHeader = message({
  name: 'ResponseHeader',
  versions: '0-1',
  flexible: '1+',
  fields: { correlationId: int32() },
});
