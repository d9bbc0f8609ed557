import { boolean, message, string } from '../schema.ts';

/** The principal of a forwarded request (KIP-590). */
export const defaultPrincipalData = message({
  name: 'DefaultPrincipalData',
  versions: '0',
  flexible: '0+',
  fields: { type: string(), name: string(), tokenAuthenticated: boolean() },
});
