import type { Disk } from '../base/disk.ts';
import { type NodeSettings, withoutEndSlash } from '../config/node-settings.ts';

/** A log directory as clients are told of it: from the root, but otherwise as it was written. */
export const absoluteDirectory = (directory: string, disk: Disk): string => withoutEndSlash(disk.absolute(directory));

/** Paths of directories are compared as texts, so each has to have one. */
export const withAbsoluteDirectories = (settings: NodeSettings, disk: Disk): NodeSettings => ({
  ...settings,
  logDirectories: [...new Set(settings.logDirectories.map((directory) => absoluteDirectory(directory, disk)))],
  metadataLogDirectory: absoluteDirectory(settings.metadataLogDirectory, disk),
});
