import { METADATA_DIRECTORY } from '../../src/raft/partition-raft-log.ts';
import type { SimulatedMachine } from '../cluster/simulated-machine.ts';

const SYNC_MS_MAX = 5;
const SLOW_SYNC_MS_MAX = 100;

/** Syncs take some time, so that much happens while one is under way; on some machines those of records take long. */
export function slowSyncs({ disk, random }: SimulatedMachine): void {
  const chance = random.fork();
  const ofRecordsMs = chance.oneIn(3) ? SLOW_SYNC_MS_MAX : SYNC_MS_MAX;
  disk.syncDelayMs = (path) => chance.integer((path.includes(METADATA_DIRECTORY) ? SYNC_MS_MAX : ofRecordsMs) + 1);
}
