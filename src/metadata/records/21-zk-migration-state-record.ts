import { int8, message } from '../../protocol/schema.ts';

/** The state of a migration from ZooKeeper (KIP-866). Old logs have it. */
export const zkMigrationStateRecord = message({
  name: 'ZkMigrationStateRecord',
  key: 21,
  versions: '0',
  flexible: '0+',
  fields: { zkMigrationState: int8() },
});
