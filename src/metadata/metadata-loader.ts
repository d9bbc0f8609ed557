import { MetadataDelta } from './metadata-delta.ts';
import type { MetadataImage, MetadataProvenance } from './metadata-image.ts';
import { EMPTY_METADATA_IMAGE, recordsOfImage } from './metadata-image.ts';
import type { MetadataRecord } from './metadata-record.ts';
import type { LeaderAndEpoch, LoadManifest, MetadataPublisher } from './publisher.ts';

/** A batch of the metadata log, decoded. Control batches come with no records. */
export interface MetadataBatch {
  readonly baseOffset: number;
  readonly lastOffset: number;
  readonly epoch: number;
  readonly appendTimestamp: number;
  readonly sizeInBytes: number;
  readonly records: readonly MetadataRecord[];
}

/** A snapshot of the metadata log, decoded: it stands for everything before `offset`. */
export interface MetadataSnapshot {
  readonly offset: number;
  readonly epoch: number;
  readonly lastContainedLogTimestamp: number;
  readonly sizeInBytes: number;
  readonly records: Iterable<MetadataRecord>;
}

/**
 * Makes images of the committed metadata log and tells the publishers of each. It is a listener of the raft client; the first image
 * is published when it has caught up with what was committed at start, so that nobody acts on a past state of the cluster.
 */
export class MetadataLoader {
  readonly #highWatermark: () => number | null;
  /** Replaced, never changed, so that a publisher may come or go while the others are being told. */
  #publishers: readonly MetadataPublisher[] = [];
  #image: MetadataImage = EMPTY_METADATA_IMAGE;
  /** Records that are replayed but not published: until it is caught up, and inside a transaction. */
  #delta = new MetadataDelta(EMPTY_METADATA_IMAGE);
  #provenance: MetadataProvenance = EMPTY_METADATA_IMAGE.provenance;
  #isCaughtUp = false;
  /** The offset after the last record that was seen, in a transaction or not. */
  #nextOffset = 0;
  #unpublishedBytes = 0;
  #hasLoadedSnapshot = false;
  /** Records of the transaction that has begun and not ended; null outside of one. */
  #transaction: MetadataRecord[] | null = null;
  #leader: LeaderAndEpoch = { leaderId: null, epoch: 0 };

  /** `highWatermark` tells up to where the metadata log is committed, null while unknown. */
  constructor(highWatermark: () => number | null) {
    this.#highWatermark = highWatermark;
  }

  /** The last image that was published. */
  get image(): MetadataImage {
    return this.#image;
  }

  /** Whether the log ends within a transaction. */
  get isInTransaction(): boolean {
    return this.#transaction !== null;
  }

  get leader(): LeaderAndEpoch {
    return this.#leader;
  }

  /** A publisher that comes late is told of the current image as one change from the empty one. */
  install(publisher: MetadataPublisher): void {
    this.#publishers = [...this.#publishers, publisher];
    if (!this.#isCaughtUp) return;
    publisher.controllerChanged?.(this.#leader);
    publisher.metadataChanged(deltaFromEmpty(this.#image), this.#image, { source: 'snapshot', bytes: 0 });
  }

  remove(publisher: MetadataPublisher): void {
    this.#publishers = this.#publishers.filter((installed) => installed !== publisher);
  }

  handleCommit(batches: Iterable<MetadataBatch>): void {
    for (const batch of batches) {
      for (const record of batch.records) this.#replay(record);
      this.#nextOffset = batch.lastOffset + 1;
      this.#unpublishedBytes += batch.sizeInBytes;
      // Inside a transaction the image keeps the offset before it, for its records are not part of the image yet.
      if (this.#transaction === null) {
        this.#provenance = { offset: batch.lastOffset, epoch: batch.epoch, timestamp: batch.appendTimestamp };
      }
    }
    this.#publish();
  }

  handleLoadSnapshot(snapshot: MetadataSnapshot): void {
    this.#transaction = null;
    this.#hasLoadedSnapshot = true;
    this.#unpublishedBytes = snapshot.sizeInBytes;
    this.#nextOffset = snapshot.offset;
    this.#delta = new MetadataDelta(this.#image);
    for (const record of snapshot.records) this.#delta.replay(record);
    this.#delta.finishSnapshot();
    this.#provenance = { offset: snapshot.offset - 1, epoch: snapshot.epoch, timestamp: snapshot.lastContainedLogTimestamp };
    this.#publish();
  }

  handleLeaderChange(leader: LeaderAndEpoch): void {
    this.#leader = leader;
    if (this.#isCaughtUp) for (const publisher of this.#publishers) publisher.controllerChanged?.(leader);
  }

  /** A transaction's records count only when its end has come. */
  #replay(record: MetadataRecord): void {
    if (record.type === 'BeginTransactionRecord') {
      this.#transaction = [];
    } else if (record.type === 'AbortTransactionRecord') {
      this.#transaction = null;
    } else if (record.type === 'EndTransactionRecord') {
      for (const held of this.#transaction ?? []) this.#delta.replay(held);
      this.#transaction = null;
    } else if (this.#transaction !== null) {
      this.#transaction.push(record);
    } else {
      this.#delta.replay(record);
    }
  }

  #publish(): void {
    if (!this.#isCaughtUp && !this.#hasCaughtUp()) return;
    if (this.#provenance === this.#image.provenance) return;
    const isFirst = !this.#isCaughtUp;
    this.#isCaughtUp = true;
    const delta = this.#delta;
    const image = delta.apply(this.#provenance);
    this.#image = image;
    this.#delta = new MetadataDelta(image);
    const manifest: LoadManifest = { source: this.#hasLoadedSnapshot ? 'snapshot' : 'log', bytes: this.#unpublishedBytes };
    this.#hasLoadedSnapshot = false;
    this.#unpublishedBytes = 0;
    for (const publisher of this.#publishers) {
      if (isFirst) publisher.controllerChanged?.(this.#leader);
      publisher.metadataChanged(delta, image, manifest);
    }
  }

  #hasCaughtUp(): boolean {
    const highWatermark = this.#highWatermark();
    return highWatermark !== null && this.#nextOffset >= highWatermark;
  }
}

/** The whole of an image as one change. */
function deltaFromEmpty(image: MetadataImage): MetadataDelta {
  const delta = new MetadataDelta(EMPTY_METADATA_IMAGE);
  for (const record of recordsOfImage(image)) delta.replay(record);
  return delta;
}
