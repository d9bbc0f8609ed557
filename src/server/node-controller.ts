import type { Environment } from '../base/environment.ts';
import { randomUuid } from '../base/uuid.ts';
import type { LogLevels } from '../broker/log-levels.ts';
import type { ConfigStore } from '../config/config-store.ts';
import { invalidConfig } from '../config/config-value.ts';
import { type ListenerSetting, securityProtocols } from '../config/listeners.ts';
import type { NodeSettings } from '../config/node-settings.ts';
import { ControllerConfigs } from '../controller/controller-configs.ts';
import { LoopbackChannel } from '../controller/loopback-channel.ts';
import { QuorumController } from '../controller/quorum-controller.ts';
import { emitSnapshot } from '../controller/snapshot-emitter.ts';
import type { NodeEndpoint } from '../metadata/image/cluster-image.ts';
import { MetadataLoader } from '../metadata/metadata-loader.ts';
import type { MetadataRecord } from '../metadata/metadata-record.ts';
import { SnapshotGenerator } from '../metadata/snapshot-generator.ts';
import type { RaftClient } from '../raft/raft-client.ts';
import { allowAll } from '../security/authorizer.ts';
import { advertisedListeners } from './advertised.ts';
import { controllerHandlers } from './controller-handlers.ts';
import type { NodeIdentity } from './format-node.ts';
import { ListenerAcceptor } from './listener-acceptor.ts';
import { openMetadataQuorum } from './metadata-quorum.ts';

export interface NodeControllerOptions {
  readonly settings: NodeSettings;
  readonly configs: ConfigStore;
  readonly identity: NodeIdentity;
  readonly logLevels?: LogLevels;
  /** The metadata log failed, or a decision did: the node has to stop. */
  readonly fatal: (error: unknown) => void;
}

/**
 * This node's part in the metadata: its log, the images that are made of it, the controller that decides while this node leads, and the
 * listeners on which it is asked, if there are any.
 */
export class NodeController {
  readonly raft: RaftClient<MetadataRecord>;
  readonly loader: MetadataLoader;
  readonly controller: QuorumController;
  readonly channel: LoopbackChannel;
  readonly acceptor: ListenerAcceptor;
  readonly #settings: NodeSettings;
  #advertised: readonly ListenerSetting[] = [];

  private constructor(environment: Environment, options: NodeControllerOptions, raft: RaftClient<MetadataRecord>) {
    const { settings, configs, identity, fatal } = options;
    this.#settings = settings;
    this.raft = raft;
    this.loader = new MetadataLoader(() => this.raft.highWatermark);
    this.controller = new QuorumController(environment, {
      settings: this.#controllerSettings(environment, options),
      configs: new ControllerConfigs(settings.nodeId, configs.layers().fromFile),
      raft: this.raft,
      loader: this.loader,
      fatal,
    });
    this.channel = new LoopbackChannel(this.controller, environment.clock);
    this.acceptor = new ListenerAcceptor(environment, {
      listeners: settings.controllerListeners,
      handlers: controllerHandlers({
        environment,
        nodeId: settings.nodeId,
        clusterId: identity.clusterId,
        configs,
        image: () => this.loader.image,
        controller: this.controller,
        authorizer: allowAll,
        ...(options.logLevels === undefined ? {} : { logLevels: options.logLevels }),
      }),
      configs,
      privilegedListenerName: settings.controllerListenerNames[0] ?? '',
    });
    this.loader.install(this.#snapshotGenerator(environment, options));
  }

  /** Opens the metadata log. Throws a StorageError, or INVALID_CONFIG if the log says that this node is not the whole quorum. */
  static async open(environment: Environment, options: NodeControllerOptions): Promise<NodeController> {
    const { settings, configs, identity, fatal } = options;
    const raft = openMetadataQuorum(environment, { settings, config: configs.broker(), identity, fatal });
    const self = { id: settings.nodeId, directoryId: identity.metadataDirectoryId };
    if (raft.voters.isOnlyVoter(self)) return new NodeController(environment, options, raft);
    const voters = raft.voters.ids.join(', ');
    await raft.close();
    const what = `The voters of the metadata quorum in ${settings.metadataLogDirectory} are ${voters}, each in a directory of its own.`;
    throw invalidConfig(
      `${what} Node ${settings.nodeId} with the directory that it has now is not all of them, as it has to be so far.`,
    );
  }

  /** Binds the listeners of the controller: from here on it is known where they are. */
  async listen(hostName: string): Promise<void> {
    await this.acceptor.listen();
    const addressOf = (name: string) => this.acceptor.addressOf(name);
    const { advertisedController, controllerListeners } = this.#settings;
    this.#advertised = advertisedListeners(advertisedController, controllerListeners, { addressOf, hostName });
  }

  /** Takes part in the quorum. The loader hears of a commit before the controller does. */
  start(): void {
    this.raft.register(this.loader);
    this.raft.register(this.controller);
    this.raft.start();
  }

  /** Where the controller is reached by others; empty where it is not. */
  get advertised(): readonly ListenerSetting[] {
    return this.#advertised;
  }

  /** What is under way is told that this controller decides no more, and may take `finishingMs` to reach whoever asked. */
  async close({ finishingMs = 0 } = {}): Promise<void> {
    this.controller.close();
    await this.acceptor.finish(finishingMs);
    await this.raft.close();
  }

  #controllerSettings(environment: Environment, { settings, configs, identity }: NodeControllerOptions) {
    const config = configs.broker();
    const endpoints = (): NodeEndpoint[] => this.#advertised.map(endpointOf);
    return {
      nodeId: settings.nodeId,
      clusterId: identity.clusterId,
      get endpoints() {
        return endpoints();
      },
      incarnationId: randomUuid(environment.random),
      defaultPartitions: config['num.partitions'],
      defaultReplicationFactor: config['default.replication.factor'],
      defaultMinInsyncReplicas: config['min.insync.replicas'],
      sessionTimeoutMs: config['broker.session.timeout.ms'],
      maxIdleIntervalMs: config['metadata.max.idle.interval.ms'],
      isTopicDeletionEnabled: config['delete.topic.enable'],
    };
  }

  #snapshotGenerator({ clock, logger }: Environment, { configs, fatal }: NodeControllerOptions): SnapshotGenerator {
    const config = configs.broker();
    return new SnapshotGenerator({
      clock,
      logger,
      maxBytes: config['metadata.log.max.record.bytes.between.snapshots'],
      maxIntervalMs: config['metadata.log.max.snapshot.interval.ms'],
      emit: (image) => emitSnapshot(this.raft, image, clock),
      failed: fatal,
    });
  }
}

const endpointOf = ({ name, host, port, protocol }: ListenerSetting): NodeEndpoint => ({
  name,
  host,
  port,
  securityProtocol: securityProtocols.indexOf(protocol),
});
