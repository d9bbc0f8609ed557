import { array, int16, int32, message, uuid } from '../schema.ts';

const voter = { voterId: int32(), voterDirectoryId: uuid({ versions: '1+' }) };

/** Control record of the metadata log: a leader's first (KIP-595). Version 0 is written. */
export const leaderChangeMessage = message({
  name: 'LeaderChangeMessage',
  versions: '0-1',
  flexible: '0+',
  fields: { version: int16(), leaderId: int32(), voters: array(voter), grantingVoters: array(voter) },
});
