import type { Clock, Millis } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { MetadataDelta } from './metadata-delta.ts';
import type { MetadataImage } from './metadata-image.ts';
import type { LoadManifest, MetadataPublisher } from './publisher.ts';

export interface SnapshotGeneratorOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** metadata.log.max.record.bytes.between.snapshots. */
  readonly maxBytes: number;
  /** metadata.log.max.snapshot.interval.ms; 0 for never. */
  readonly maxIntervalMs: Millis;
  /** Writes the image as a snapshot. */
  readonly emit: (image: MetadataImage) => Promise<void>;
  /** What `emit` rejected with: the disk failed. */
  readonly failed: (error: unknown) => void;
}

/** Asks for a snapshot when enough of the log has come since the last one, or enough time has passed with any of it. One at a time. */
export class SnapshotGenerator implements MetadataPublisher {
  readonly name = 'snapshot generator';
  readonly #options: SnapshotGeneratorOptions;
  #bytes = 0;
  #lastSnapshotAt: Millis;
  #isEmitting = false;

  constructor(options: SnapshotGeneratorOptions) {
    this.#options = options;
    this.#lastSnapshotAt = options.clock.monotonic();
  }

  metadataChanged(_delta: MetadataDelta, image: MetadataImage, manifest: LoadManifest): void {
    if (manifest.source === 'snapshot') {
      this.#restart();
      return;
    }
    this.#bytes += manifest.bytes;
    if (this.#isEmitting) return;
    const { maxBytes, maxIntervalMs, clock } = this.#options;
    const isDue = maxIntervalMs > 0 && clock.monotonic() - this.#lastSnapshotAt >= maxIntervalMs;
    if (this.#bytes >= maxBytes || isDue) this.#emit(image);
  }

  #emit(image: MetadataImage): void {
    const { logger, emit, failed } = this.#options;
    logger.info('writing a snapshot of the metadata', { offset: image.provenance.offset + 1, bytesSinceLast: this.#bytes });
    this.#isEmitting = true;
    this.#restart();
    emit(image)
      .catch(failed)
      .finally(() => {
        this.#isEmitting = false;
      });
  }

  #restart(): void {
    this.#bytes = 0;
    this.#lastSnapshotAt = this.#options.clock.monotonic();
  }
}
