import type { MetadataDelta } from './metadata-delta.ts';
import type { MetadataImage } from './metadata-image.ts';

/** Who leads the metadata quorum, and since which epoch; `leaderId` is null while nobody is known to. */
export interface LeaderAndEpoch {
  readonly leaderId: number | null;
  readonly epoch: number;
}

/** Where a change came from: so many bytes of the log, or a snapshot that replaced what was known. */
export interface LoadManifest {
  readonly source: 'log' | 'snapshot';
  readonly bytes: number;
}

/** Somebody who acts on what changed in the cluster: the replica manager, the config store, the quotas … */
export interface MetadataPublisher {
  /** For logs. */
  readonly name: string;
  /**
   * Told in log order, one change after another, with the change and the image after it. The first call's delta is on the empty
   * image. What it throws is a bug and stops the process.
   */
  metadataChanged(delta: MetadataDelta, image: MetadataImage, manifest: LoadManifest): void;
  /** The metadata quorum has another leader. */
  controllerChanged?(leader: LeaderAndEpoch): void;
}
