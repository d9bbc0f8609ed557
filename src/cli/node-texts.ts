import type { Texts } from '../config/effective.ts';
import { parseProperties } from '../config/server-properties.ts';
import { nodeDisk } from '../platform/node-disk.ts';
import { usageError } from './cli-error.ts';
import { wholeFile } from './whole-file.ts';

export const DEFAULT_DATA_DIRECTORY = 'data';

/** How the command line tells a node's configs. */
export interface NodeConfigOptions {
  readonly config?: string;
  readonly data?: string;
  readonly host?: string;
  readonly port?: number;
  readonly set?: Readonly<Record<string, string>>;
}

/** What the file and the command line say; the command line is stronger. */
export function textsOf(options: NodeConfigOptions): Texts {
  const file =
    options.config === undefined
      ? new Map<string, string>()
      : parseProperties(wholeFile(nodeDisk, options.config).toString('utf8'));
  const texts = new Map([...file, ...Object.entries(options.set ?? {})]);
  if (texts.has('listeners') && (options.port !== undefined || options.host !== undefined)) {
    const remedy = 'Change the listeners with --set listeners=PLAINTEXT://localhost:9092.';
    throw usageError('--port and --host are for a node whose configs name no listeners', remedy);
  }
  if (options.data !== undefined) {
    texts.delete('log.dir');
    texts.set('log.dirs', options.data);
  }
  return texts;
}
