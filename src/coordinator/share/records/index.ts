import { shareSnapshotKey, shareSnapshotValue } from './00-share-snapshot.ts';
import { shareUpdateKey, shareUpdateValue } from './01-share-update.ts';

/** Every record type of the share coordinator's log, by name, in order of key. */
export const shareRecords = {
  ShareSnapshot: { key: shareSnapshotKey, value: shareSnapshotValue },
  ShareUpdate: { key: shareUpdateKey, value: shareUpdateValue },
} as const;
