import type { Environment } from '../base/environment.ts';
import type { EmbeddedOptions } from '../config/embedded-profile.ts';
import type { ListenerSetting } from '../config/listeners.ts';
import { configureNode } from '../config/server-properties.ts';
import type { Texts } from '../config/effective.ts';
import { identifyNode } from './format-node.ts';
import { Node } from './node.ts';

export interface StartOptions {
  /** What a server.properties file and the command line say. */
  readonly texts: Texts;
  /** Where a node that was told nothing keeps its data and listens. */
  readonly embedded: EmbeddedOptions;
  /** This machine's name, told to clients where a listener has every address. */
  readonly hostName?: string;
}

/** A node that serves clients. */
export interface RunningNode {
  readonly nodeId: number;
  readonly clusterId: string;
  /** Where it listens: the ports are real ones. */
  readonly listeners: readonly ListenerSetting[];
  /** Resolves when the node has failed and stopped by itself, with the reason. */
  readonly failed: Promise<unknown>;
  /** Stops in order: nothing is left to recover at the next start. */
  stop(): Promise<void>;
  /** Stops without a word to the disk, as a crash would; for tests. */
  abandon(): Promise<void>;
}

/**
 * Starts a node and resolves once clients are served. Rejects with a KafkaError (INVALID_CONFIG) for configs that cannot be, and
 * with a StorageError or DiskError when a directory cannot be used.
 */
export async function startNode(environment: Environment, options: StartOptions): Promise<RunningNode> {
  const { settings, store, warnings } = configureNode(options.texts, options.embedded);
  for (const warning of warnings) environment.logger.warn(warning);
  const identity = identifyNode(environment, settings);
  return Node.start(environment, { settings, configs: store, identity, hostName: options.hostName ?? 'localhost' });
}
