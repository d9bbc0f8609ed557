import { api, array, int16, int32, string, struct, uint16, uuid } from '../schema.ts';

/** UpdateRaftVoter. KIP-853. */
export const updateRaftVoter = api({
  key: 82,
  name: 'UpdateRaftVoter',
  versions: '0',
  flexible: '0+',
  listeners: ['controller'],
  request: {
    clusterId: string({ nullable: '0+' }),
    currentLeaderEpoch: int32(),
    voterId: int32(),
    voterDirectoryId: uuid(),
    listeners: array({ name: string({ mapKey: true }), host: string(), port: uint16() }),
    kRaftVersionFeature: struct({ minSupportedVersion: int16(), maxSupportedVersion: int16() }),
  },
  response: {
    throttleTimeMs: int32({ default: 0 }),
    errorCode: int16({ default: 0 }),
    currentLeader: struct(
      { leaderId: int32({ default: -1 }), leaderEpoch: int32({ default: -1 }), host: string(), port: int32() },
      { tagged: '0+', tag: 0 },
    ),
  },
});
