import { resolve } from 'node:path';
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

/** Where a node keeps its data unless its configs say so: an absolute path, as Kafka tells its clients of log directories. */
export const dataDirectoryOf = ({ data }: NodeConfigOptions): string => resolve(data ?? DEFAULT_DATA_DIRECTORY);

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
    const said = ['log.dirs', 'log.dir'].find((name) => options.set?.[name] !== undefined);
    if (said !== undefined) throw usageError(`--data and --set ${said} both say where data is kept`, 'Leave one of them out.');
    texts.delete('log.dir');
    texts.set('log.dirs', dataDirectoryOf(options));
  }
  return texts;
}
