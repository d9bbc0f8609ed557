import type { Clock } from '../base/clock.ts';
import type { MetadataImage } from '../metadata/metadata-image.ts';
import { recordsOfImage } from '../metadata/metadata-image.ts';
import type { MetadataRecord } from '../metadata/metadata-record.ts';
import type { RaftClient } from '../raft/raft-client.ts';

/** Records written before others get their turn: a large snapshot must not stop the node. */
const RECORDS_PER_TURN = 1024;

/** Writes an image as a snapshot of the metadata log and lets go of what it makes unnecessary. */
export async function emitSnapshot(raft: RaftClient<MetadataRecord>, image: MetadataImage, clock: Clock): Promise<void> {
  const { offset, epoch, timestamp } = image.provenance;
  const writer = raft.createSnapshot({ offset: offset + 1, epoch }, timestamp);
  if (writer === null) return;
  try {
    let count = 0;
    for (const record of recordsOfImage(image)) {
      writer.append(record);
      if (++count % RECORDS_PER_TURN === 0) await new Promise<void>((resolve) => clock.defer(resolve));
    }
    await writer.freeze();
  } catch (error) {
    writer.discard();
    throw error;
  }
  raft.clean();
}
