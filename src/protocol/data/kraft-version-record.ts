import { int16, message } from '../schema.ts';

/** Control record of the metadata log: the level of the feature kraft.version (KIP-853). */
export const kRaftVersionRecord = message({
  name: 'KRaftVersionRecord',
  versions: '0',
  flexible: '0+',
  fields: { version: int16(), kRaftVersion: int16() },
});
