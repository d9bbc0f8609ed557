import type { Environment } from '../base/environment.ts';
import type { ConfigStore } from '../config/config-store.ts';
import type { ListenerSetting } from '../config/listeners.ts';
import type { NodeSettings } from '../config/node-settings.ts';
import { METADATA_DIRECTORY } from '../raft/partition-raft-log.ts';
import { advertisedListeners } from './advertised.ts';
import { BrokerLifecycle } from './broker-lifecycle.ts';
import { BrokerServer } from './broker-server.ts';
import type { NodeIdentity } from './format-node.ts';
import { NodeController } from './node-controller.ts';
import type { RunningNode } from './start-node.ts';

/** How long an orderly stop waits for the controller to move leaderships away. */
const CONTROLLED_SHUTDOWN_MS = 500;

export interface NodeOptions {
  readonly settings: NodeSettings;
  readonly configs: ConfigStore;
  readonly identity: NodeIdentity;
  readonly hostName: string;
}

/** A node with both roles: its controller, its broker, and the broker's membership in the cluster. */
export class Node implements RunningNode {
  readonly nodeId: number;
  readonly clusterId: string;
  readonly failed: Promise<unknown>;
  listeners: readonly ListenerSetting[] = [];
  readonly #environment: Environment;
  readonly #controller: NodeController;
  readonly #broker: BrokerServer;
  readonly #lifecycle: BrokerLifecycle;
  #stopping: Promise<void> | null = null;
  #fail: (error: unknown) => void = () => undefined;

  private constructor(
    environment: Environment,
    options: NodeOptions,
    broker: { controller: NodeController; server: BrokerServer; lifecycle: BrokerLifecycle },
  ) {
    this.#environment = environment;
    this.nodeId = options.settings.nodeId;
    this.clusterId = options.identity.clusterId;
    this.#controller = broker.controller;
    this.#broker = broker.server;
    this.#lifecycle = broker.lifecycle;
    this.failed = new Promise((resolve) => {
      this.#fail = resolve;
    });
  }

  static async start(environment: Environment, options: NodeOptions): Promise<Node> {
    const { settings, configs, identity } = options;
    const failure = new Failure();
    const controller = new NodeController(environment, { settings, configs, identity, fatal: failure.report });
    let lifecycle: BrokerLifecycle | null = null;
    const server = await BrokerServer.open(environment, {
      settings,
      configs,
      clusterId: identity.clusterId,
      controller: controller.channel,
      brokerEpoch: () => lifecycle?.epoch ?? -1,
      directoryFailed: (directoryId) => lifecycle?.directoryFailed(directoryId),
    });
    lifecycle = new BrokerLifecycle(environment, {
      channel: controller.channel,
      brokerId: settings.nodeId,
      clusterId: identity.clusterId,
      config: () => configs.broker(),
      directoryIds: server.onlineDirectoryIds,
      previousBrokerEpoch: server.logManager.cleanShutdownBrokerEpoch,
      metadataOffset: () => server.metadata.image.provenance.offset,
    });
    const node = new Node(environment, options, { controller, server, lifecycle });
    failure.handle((error) => node.#failedBy(error));
    try {
      await node.#bringUp(options);
    } catch (error) {
      await node.abandon();
      throw error;
    }
    return node;
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async abandon(): Promise<void> {
    this.#lifecycle.close();
    await this.#broker.abandon();
    await this.#controller.close();
  }

  async #bringUp({ settings, hostName }: NodeOptions): Promise<void> {
    for (const publisher of this.#broker.publishers) this.#controller.loader.install(publisher);
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

  async #stop(): Promise<void> {
    await this.#lifecycle.shutDown(CONTROLLED_SHUTDOWN_MS);
    await this.#broker.close(this.#lifecycle.epoch);
    await this.#controller.close();
  }

  /** What is on disk is left as it is: the next start recovers it. */
  #failedBy(error: unknown): void {
    const { logger } = this.#environment;
    logger.error(`The node stops: its metadata (${METADATA_DIRECTORY}) cannot go on`, { error });
    this.#stopping ??= this.abandon();
    void this.#stopping.then(() => this.#fail(error));
  }
}

/** A failure may come before there is a node that deals with it. */
class Failure {
  #reported: { readonly error: unknown } | null = null;
  #handler: ((error: unknown) => void) | null = null;

  readonly report = (error: unknown): void => {
    if (this.#reported !== null) return;
    this.#reported = { error };
    this.#handler?.(error);
  };

  handle(handler: (error: unknown) => void): void {
    this.#handler = handler;
    if (this.#reported !== null) handler(this.#reported.error);
  }
}
