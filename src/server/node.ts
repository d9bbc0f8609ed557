import type { Environment } from '../base/environment.ts';
import type { LogLevels } from '../broker/log-levels.ts';
import type { ConfigStore } from '../config/config-store.ts';
import { isEveryAddress, type ListenerSetting } from '../config/listeners.ts';
import type { NodeSettings } from '../config/node-settings.ts';
import { advertisedListeners } from './advertised.ts';
import { BrokerLifecycle } from './broker-lifecycle.ts';
import { BrokerServer } from './broker-server.ts';
import type { DirectoryLocks } from './directory-locks.ts';
import type { NodeIdentity } from './format-node.ts';
import { NodeController } from './node-controller.ts';
import { NodeFailure } from './node-failure.ts';
import type { RunningNode } from './start-node.ts';

/** How long an orderly stop waits for the controller to move leaderships away. */
const CONTROLLED_SHUTDOWN_MS = 500;
/** How long it waits for requests under way to be answered and taken by their clients. */
const FINISHING_MS = 250;

export interface NodeOptions {
  readonly settings: NodeSettings;
  readonly configs: ConfigStore;
  readonly identity: NodeIdentity;
  /** Held until the node has stopped. */
  readonly locks: DirectoryLocks;
  /** This machine's name, asked for where a listener has every address. */
  readonly hostName: () => Promise<string>;
  readonly logLevels?: LogLevels;
}

/** A node with both roles: its controller, its broker, and the broker's membership in the cluster. */
export class Node implements RunningNode {
  readonly nodeId: number;
  readonly clusterId: string;
  readonly failed: Promise<unknown>;
  listeners: readonly ListenerSetting[] = [];
  readonly #environment: Environment;
  readonly #options: NodeOptions;
  readonly #failure: NodeFailure;
  readonly #controller: NodeController;
  readonly #broker: BrokerServer;
  readonly #lifecycle: BrokerLifecycle;
  #stopping: Promise<void> | null = null;

  private constructor(environment: Environment, options: NodeOptions, parts: Parts) {
    this.#environment = environment;
    this.#options = options;
    this.#failure = parts.failure;
    this.nodeId = options.settings.nodeId;
    this.clusterId = options.identity.clusterId;
    this.#controller = parts.controller;
    this.#broker = parts.broker;
    this.#lifecycle = parts.lifecycle;
    this.failed = this.#failure.happened.then((error) => this.#stopFailed(error));
  }

  /** Resolves once clients are served. Rejects with what is in the way, and nothing is left running then but the locks. */
  static async start(environment: Environment, options: NodeOptions): Promise<Node> {
    const failure = new NodeFailure();
    const node = new Node(environment, options, await openParts(environment, options, failure));
    try {
      await Promise.race([node.#bringUp(), failure.thrown]);
    } catch (error) {
      await node.abandon();
      throw error;
    }
    return node;
  }

  get controllerListeners(): readonly ListenerSetting[] {
    return this.#controller.advertised;
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  abandon(): Promise<void> {
    this.#stopping ??= this.#abandon();
    return this.#stopping;
  }

  async #bringUp(): Promise<void> {
    const { settings } = this.#options;
    const hostName = await this.#hostName();
    for (const publisher of this.#broker.publishers) this.#controller.loader.install(publisher);
    await this.#controller.listen(hostName);
    this.#controller.start();
    await this.#broker.listen();
    const { acceptor } = this.#broker;
    const addressOf = (name: string) => acceptor.addressOf(name);
    this.listeners = advertisedListeners(settings.advertised, settings.listeners, { addressOf, hostName });
    await this.#lifecycle.register(this.listeners);
    await this.#lifecycle.unfence();
    await this.#broker.caughtUp(this.nodeId, this.#lifecycle.epoch);
    this.#broker.serve();
  }

  /** A look-up may take its time, so that it is made only where the name is told to somebody. */
  #hostName(): Promise<string> {
    const { settings, hostName } = this.#options;
    const isTold = [...settings.advertised, ...settings.advertisedController].some(({ host }) => isEveryAddress(host));
    return isTold ? hostName() : Promise.resolve('');
  }

  async #stop(): Promise<void> {
    const { logger } = this.#environment;
    logger.info('Stopping');
    const isControlled = this.#options.configs.broker()['controlled.shutdown.enable'];
    try {
      await this.#lifecycle.shutDown(isControlled ? CONTROLLED_SHUTDOWN_MS : 0);
      await this.#broker.close({ brokerEpoch: this.#lifecycle.epoch, finishingMs: FINISHING_MS });
      await this.#controller.close({ finishingMs: FINISHING_MS });
      // A log directory that fails while it is closed is left to be recovered.
      this.#failure.throwIfAny();
    } catch (error) {
      await this.#abandon();
      throw error;
    }
    this.#options.locks.release();
    logger.info('Stopped');
  }

  /** The disk may be what has failed: what can be closed is closed all the same. */
  async #abandon(): Promise<void> {
    const { logger } = this.#environment;
    this.#lifecycle.close();
    for (const part of [() => this.#broker.abandon(), () => this.#controller.close()]) {
      await part().catch((error: unknown) => logger.warn('a part of the node could not be closed', { error }));
    }
    this.#options.locks.release();
  }

  /** What is on disk is left as it is: the next start recovers it. */
  async #stopFailed(error: unknown): Promise<unknown> {
    const { logger } = this.#environment;
    logger.error('The node cannot go on and stops', { error });
    // It may have been stopping already, and failed in that.
    await this.abandon().catch((reason: unknown) => logger.warn('The node was not stopped in order', { error: reason }));
    return error;
  }
}

interface Parts {
  readonly failure: NodeFailure;
  readonly controller: NodeController;
  readonly broker: BrokerServer;
  readonly lifecycle: BrokerLifecycle;
}

/** Opens what is on disk: the metadata log first, then the logs of the broker. */
async function openParts(environment: Environment, options: NodeOptions, failure: NodeFailure): Promise<Parts> {
  const { settings, configs, identity, locks, logLevels } = options;
  const loggers = logLevels === undefined ? {} : { logLevels };
  const controller = await NodeController.open(environment, { settings, configs, identity, fatal: failure.report, ...loggers });
  try {
    let lifecycle: BrokerLifecycle | null = null;
    const broker = await BrokerServer.open(environment, {
      settings,
      configs,
      clusterId: identity.clusterId,
      controller: controller.channel,
      lockOf: locks.of,
      brokerEpoch: () => lifecycle?.epoch ?? -1,
      directoryFailed: (directoryId) => lifecycle?.directoryFailed(directoryId),
      configsChanged: () => {
        broker.acceptor.configsChanged();
        controller.acceptor.configsChanged();
      },
      fatal: failure.report,
      ...loggers,
    });
    lifecycle = new BrokerLifecycle(environment, {
      channel: controller.channel,
      brokerId: settings.nodeId,
      clusterId: identity.clusterId,
      config: () => configs.broker(),
      directoryIds: broker.onlineDirectoryIds,
      cordonedDirectoryIds: () => broker.cordonedDirectoryIds(configs.broker()['cordoned.log.dirs']),
      previousBrokerEpoch: broker.logManager.cleanShutdownBrokerEpoch,
      metadataOffset: () => broker.metadata.image.provenance.offset,
      fatal: failure.report,
    });
    return { failure, controller, broker, lifecycle };
  } catch (error) {
    await controller.close();
    throw error;
  }
}
