import { int8, message, string } from '../../protocol/schema.ts';

/** The removal of a SCRAM credential (KIP-900). */
export const removeUserScramCredentialRecord = message({
  name: 'RemoveUserScramCredentialRecord',
  key: 22,
  versions: '0',
  flexible: '0+',
  fields: { name: string(), mechanism: int8() },
});
