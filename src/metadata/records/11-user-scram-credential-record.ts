import { bytes, int32, int8, message, string } from '../../protocol/schema.ts';

/** A user's SCRAM credential (KIP-900). */
export const userScramCredentialRecord = message({
  name: 'UserScramCredentialRecord',
  key: 11,
  versions: '0',
  flexible: '0+',
  fields: { name: string(), mechanism: int8(), salt: bytes(), storedKey: bytes(), serverKey: bytes(), iterations: int32() },
});
