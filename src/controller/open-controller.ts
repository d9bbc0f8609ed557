import type { Environment } from '../base/environment.ts';
import type { BrokerConfig } from '../config/broker-configs.ts';
import type { Texts } from '../config/effective.ts';
import type { NodeEndpoint } from '../metadata/image/cluster-image.ts';
import { MetadataLoader } from '../metadata/metadata-loader.ts';
import type { MetadataRecord } from '../metadata/metadata-record.ts';
import { SnapshotGenerator } from '../metadata/snapshot-generator.ts';
import type { RaftClient } from '../raft/raft-client.ts';
import { randomUuid } from '../base/uuid.ts';
import { ControllerConfigs } from './controller-configs.ts';
import type { ControllerSettings } from './controller-view.ts';
import { LoopbackChannel } from './loopback-channel.ts';
import { QuorumController } from './quorum-controller.ts';
import { emitSnapshot } from './snapshot-emitter.ts';

export interface OpenControllerOptions {
  readonly nodeId: number;
  readonly clusterId: string;
  readonly raft: RaftClient<MetadataRecord>;
  /** The node's configs, and their texts as its file gives them. */
  readonly config: BrokerConfig;
  readonly fromFile: Texts;
  /** Where others reach this controller; empty if they cannot. */
  readonly endpoints: readonly NodeEndpoint[];
  /** The node has to stop. */
  readonly fatal: (error: unknown) => void;
}

/** What follows the metadata log of a node that is a controller. */
export interface OpenController {
  /** Publishers of the broker in this process are installed here; it hears of everything before the controller answers. */
  readonly loader: MetadataLoader;
  readonly controller: QuorumController;
  /** For the broker in this process. */
  readonly channel: LoopbackChannel;
}

/** Puts a controller on top of the metadata log. To be called before `raft.start()`. */
export function openController(environment: Environment, options: OpenControllerOptions): OpenController {
  const { raft, config, fatal } = options;
  const { clock, logger } = environment;
  const loader = new MetadataLoader(() => raft.highWatermark);
  const controller = new QuorumController(environment, {
    settings: settingsOf(environment, options),
    configs: new ControllerConfigs(options.nodeId, options.fromFile),
    raft,
    loader,
    fatal,
  });
  // The order counts: whoever gets an answer finds what it tells in the image of the loader.
  raft.register(loader);
  raft.register(controller);
  loader.install(
    new SnapshotGenerator({
      clock,
      logger: logger.named('controller'),
      maxBytes: config['metadata.log.max.record.bytes.between.snapshots'],
      maxIntervalMs: config['metadata.log.max.snapshot.interval.ms'],
      emit: (image) => emitSnapshot(raft, image, clock),
      failed: fatal,
    }),
  );
  return { loader, controller, channel: new LoopbackChannel(controller, clock) };
}

function settingsOf(environment: Environment, options: OpenControllerOptions): ControllerSettings {
  const { nodeId, clusterId, config, endpoints } = options;
  return {
    nodeId,
    clusterId,
    endpoints,
    incarnationId: randomUuid(environment.random),
    defaultPartitions: config['num.partitions'],
    defaultReplicationFactor: config['default.replication.factor'],
    defaultMinInsyncReplicas: config['min.insync.replicas'],
    sessionTimeoutMs: config['broker.session.timeout.ms'],
    maxIdleIntervalMs: config['metadata.max.idle.interval.ms'],
    isTopicDeletionEnabled: config['delete.topic.enable'],
  };
}
