import type { Environment } from '../base/environment.ts';
import { randomUuid } from '../base/uuid.ts';
import type { ConfigStore } from '../config/config-store.ts';
import { securityProtocols } from '../config/listeners.ts';
import type { NodeSettings } from '../config/node-settings.ts';
import { ControllerConfigs } from '../controller/controller-configs.ts';
import { LoopbackChannel } from '../controller/loopback-channel.ts';
import { QuorumController } from '../controller/quorum-controller.ts';
import { emitSnapshot } from '../controller/snapshot-emitter.ts';
import { MetadataLoader } from '../metadata/metadata-loader.ts';
import type { MetadataRecord } from '../metadata/metadata-record.ts';
import { SnapshotGenerator } from '../metadata/snapshot-generator.ts';
import type { RaftClient } from '../raft/raft-client.ts';
import type { NodeIdentity } from './format-node.ts';
import { openMetadataQuorum } from './metadata-quorum.ts';

export interface NodeControllerOptions {
  readonly settings: NodeSettings;
  readonly configs: ConfigStore;
  readonly identity: NodeIdentity;
  /** The metadata log failed, or a decision did: the node has to stop. */
  readonly fatal: (error: unknown) => void;
}

/** This node's part in the metadata: its log, the images that are made of it, and the controller that decides while this node leads. */
export class NodeController {
  readonly raft: RaftClient<MetadataRecord>;
  readonly loader: MetadataLoader;
  readonly controller: QuorumController;
  readonly channel: LoopbackChannel;

  constructor(environment: Environment, options: NodeControllerOptions) {
    const { settings, configs, identity, fatal } = options;
    const config = configs.broker();
    const { clock, logger } = environment;
    this.raft = openMetadataQuorum(environment, { settings, config, identity, fatal });
    this.loader = new MetadataLoader(() => this.raft.highWatermark);
    this.controller = new QuorumController(environment, {
      settings: {
        nodeId: settings.nodeId,
        clusterId: identity.clusterId,
        endpoints: settings.advertisedController.map(({ name, host, port, protocol }) => ({
          name,
          host,
          port,
          securityProtocol: securityProtocols.indexOf(protocol),
        })),
        incarnationId: randomUuid(environment.random),
        defaultPartitions: config['num.partitions'],
        defaultReplicationFactor: config['default.replication.factor'],
        defaultMinInsyncReplicas: config['min.insync.replicas'],
        sessionTimeoutMs: config['broker.session.timeout.ms'],
        maxIdleIntervalMs: config['metadata.max.idle.interval.ms'],
        isTopicDeletionEnabled: config['delete.topic.enable'],
      },
      configs: new ControllerConfigs(settings.nodeId, configs.layers().fromFile),
      raft: this.raft,
      loader: this.loader,
      fatal,
    });
    this.channel = new LoopbackChannel(this.controller, clock);
    this.loader.install(
      new SnapshotGenerator({
        clock,
        logger,
        maxBytes: config['metadata.log.max.record.bytes.between.snapshots'],
        maxIntervalMs: config['metadata.log.max.snapshot.interval.ms'],
        emit: (image) => emitSnapshot(this.raft, image, clock),
        failed: fatal,
      }),
    );
  }

  /** Takes part in the quorum. The loader hears of a commit before the controller does. */
  start(): void {
    this.raft.register(this.loader);
    this.raft.register(this.controller);
    this.raft.start();
  }

  async close(): Promise<void> {
    this.controller.close();
    await this.raft.close();
  }
}
