import { int16, int32, message, string } from '../schema.ts';

/** What precedes every request. The client id never takes the compact form, so that version 2 can be read before it is known. */
export const requestHeader = message({
  name: 'RequestHeader',
  versions: '1-2',
  flexible: '2+',
  fields: {
    requestApiKey: int16(),
    requestApiVersion: int16(),
    correlationId: int32(),
    clientId: string({ nullable: '1+', flexible: 'none' }),
  },
});
