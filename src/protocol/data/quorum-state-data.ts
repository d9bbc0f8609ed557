import { array, int32, int64, message, string, uuid } from '../schema.ts';

/** The file `quorum-state`, as JSON: the vote of a raft replica. v1 names directories (KIP-853). */
export const quorumStateData = message({
  name: 'QuorumStateData',
  versions: '0-1',
  flexible: '0+',
  fields: {
    clusterId: string({ versions: '0' }),
    leaderId: int32({ default: -1 }),
    leaderEpoch: int32({ default: -1 }),
    votedId: int32({ default: -1 }),
    votedDirectoryId: uuid({ versions: '1+' }),
    appliedOffset: int64({ versions: '0' }),
    currentVoters: array({ voterId: int32() }, { versions: '0', nullable: '0' }),
  },
});
