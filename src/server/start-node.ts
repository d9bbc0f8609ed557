import type { Environment } from '../base/environment.ts';
import type { EmbeddedOptions } from '../config/embedded-profile.ts';
import type { ListenerSetting } from '../config/listeners.ts';
import { configureNode } from '../config/server-properties.ts';
import type { Texts } from '../config/effective.ts';
import type { LogLevels } from '../platform/node-logger.ts';
import { withAbsoluteDirectories } from './absolute-directories.ts';
import { DirectoryLocks } from './directory-locks.ts';
import { identifyNode, nodeDirectories } from './format-node.ts';
import { listenerTls } from './listener-tls.ts';
import { loggerLevels } from './logger-levels.ts';
import { Node } from './node.ts';
import { checkServable } from './servable.ts';
import { toStorageError } from './start-failure.ts';

export interface StartOptions {
  /** What a server.properties file and the command line say. */
  readonly texts: Texts;
  /** Where a node that was told nothing keeps its data and listens. */
  readonly embedded: EmbeddedOptions;
  /** This machine's name, told to clients where a listener has every address. */
  readonly hostName?: () => Promise<string>;
  /** Which lines the logger of the environment writes, so that admins may change it. */
  readonly logLevels?: LogLevels;
}

/** A node that serves clients. */
export interface RunningNode {
  readonly nodeId: number;
  readonly clusterId: string;
  /** What clients are told about where it listens: the ports are real ones. */
  readonly listeners: readonly ListenerSetting[];
  /** The same for the listeners of its controller; none in the embedded default. */
  readonly controllerListeners: readonly ListenerSetting[];
  /** Resolves when the node has failed and stopped by itself, with the reason. */
  readonly failed: Promise<unknown>;
  /** Stops in order: nothing is left to recover at the next start. Rejects with a StorageError where the disk does not let it. */
  stop(): Promise<void>;
  /** Stops without a word to the disk, as a crash would; for tests. */
  abandon(): Promise<void>;
}

/**
 * Starts a node and resolves once clients are served. Rejects with a KafkaError (INVALID_CONFIG) for configs that cannot be, with a
 * StorageError when a directory cannot be used, and with a ListenError when a listener cannot be bound.
 */
export async function startNode(environment: Environment, options: StartOptions): Promise<RunningNode> {
  const { disk, logger } = environment;
  const { settings: given, store, warnings } = configureNode(options.texts, options.embedded);
  const settings = withAbsoluteDirectories(given, disk);
  const notServed = checkServable(settings, store.broker(), options.texts);
  for (const warning of [...warnings, ...notServed]) logger.warn(warning);
  for (const listener of [...settings.listeners, ...settings.controllerListeners]) listenerTls(store, listener, disk);
  const locks = DirectoryLocks.take(disk, nodeDirectories(settings));
  try {
    const failure = locks.failures.get(settings.metadataLogDirectory);
    if (failure !== undefined) throw failure;
    const usable = nodeDirectories(settings).filter((path) => !locks.failures.has(path));
    return await Node.start(environment, {
      settings,
      configs: store,
      identity: identifyNode(environment, settings, usable),
      locks,
      hostName: options.hostName ?? (() => Promise.resolve('localhost')),
      ...(options.logLevels === undefined ? {} : { logLevels: loggerLevels(options.logLevels) }),
    });
  } catch (error) {
    locks.release();
    throw toStorageError(error);
  }
}
