import type { Environment } from '../base/environment.ts';
import { writeMetaProperties } from '../storage/meta-properties.ts';
import { joinPath } from '../storage/path.ts';
import { makeDurableDirectory, replaceSmallFile } from '../storage/small-file.ts';
import { METADATA_DIRECTORY } from './partition-raft-log.ts';
import { BOOTSTRAP_SNAPSHOT_ID } from './raft-log.ts';
import { snapshotFileName } from './snapshot-files.ts';

export interface FormatDirectoriesOptions {
  readonly clusterId: string;
  readonly nodeId: number;
  /** The log directories that are not formatted yet, with the ids they get. */
  readonly directories: readonly { readonly path: string; readonly directoryId: string }[];
  /** Where the metadata log will be, if this run formats it, and its first snapshot; null for a node that only adds directories. */
  readonly metadata: { readonly logDirectory: string; readonly bootstrapSnapshot: Uint8Array } | null;
}

/**
 * Makes log directories of a node. `meta.properties` says that a directory is formatted, so it is written last: after a crash the
 * run is repeated.
 */
export function formatDirectories({ disk, clock }: Environment, options: FormatDirectoriesOptions): void {
  const { clusterId, nodeId, metadata } = options;
  if (metadata !== null) {
    const directory = joinPath(metadata.logDirectory, METADATA_DIRECTORY);
    makeDurableDirectory(disk, directory);
    const path = joinPath(directory, snapshotFileName(BOOTSTRAP_SNAPSHOT_ID));
    replaceSmallFile(disk, path, metadata.bootstrapSnapshot, { durable: true });
  }
  for (const { path, directoryId } of options.directories) {
    makeDurableDirectory(disk, path);
    writeMetaProperties(disk, path, { properties: { nodeId, clusterId, directoryId }, now: clock.now() });
  }
}
