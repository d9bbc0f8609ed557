import { createHash } from 'node:crypto';
import type { TracedRun } from './crash-sweep.ts';

/** Tells whether two runs were the same: every change of the disk with its bytes, and everything that clients were told and when. */
export function digestOf({ disk, history, eventsRun }: TracedRun): string {
  const digest = createHash('sha1');
  for (const mutation of disk.trace) {
    digest.update(`${mutation.kind} ${mutation.path}\n`);
    if (mutation.kind === 'write') digest.update(mutation.bytes);
  }
  const { produced, trims, sightings, topics, producerIds, stops } = history;
  digest.update(JSON.stringify([produced, trims, sightings, [...topics.keys()], producerIds, stops, eventsRun]));
  return digest.digest('hex');
}
