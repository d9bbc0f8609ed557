import { array, int16, int32, message, string, struct, uint16, uuid } from '../schema.ts';

/** Control record of the metadata log: the voters (KIP-853). */
export const votersRecord = message({
  name: 'VotersRecord',
  versions: '0',
  flexible: '0+',
  fields: {
    version: int16(),
    voters: array({
      voterId: int32(),
      voterDirectoryId: uuid(),
      endpoints: array({ name: string({ mapKey: true }), host: string(), port: uint16() }),
      kRaftVersionFeature: struct({ minSupportedVersion: int16(), maxSupportedVersion: int16() }),
    }),
  },
});
