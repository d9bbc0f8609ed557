import type { Environment } from '../base/environment.ts';
import { TimerQueue } from '../base/timer-queue.ts';
import { BrokerMetadata } from '../broker/broker-metadata.ts';
import type { BrokerServices } from '../broker/broker-services.ts';
import { FetchSessionCache } from '../broker/fetch-session-cache.ts';
import type { ControllerChannel } from '../broker/forwarding.ts';
import { createHandlers } from '../broker/handlers/index.ts';
import { ProducerIds } from '../broker/producer-ids.ts';
import type { ConfigStore } from '../config/config-store.ts';
import type { NodeSettings } from '../config/node-settings.ts';
import { Acceptor } from '../network/acceptor.ts';
import { ConnectionLimits } from '../network/connection-limits.ts';
import type { MetadataPublisher } from '../metadata/publisher.ts';
import { ReplicaManager } from '../replication/replica-manager.ts';
import { topicLogConfig } from '../replication/topic-log-config.ts';
import { allowAll } from '../security/authorizer.ts';
import { LogManager } from '../storage/log-manager.ts';
import { ConfigPublisher } from './config-publisher.ts';
import { connectionLimitSettings } from './connection-settings.ts';
import { controllerIsrChanger } from './isr-changer.ts';
import { logManagerSettings } from './log-settings.ts';
import { RequestPipeline } from './request-pipeline.ts';
import { ServingGate } from './serving-gate.ts';

export interface BrokerServerOptions {
  readonly settings: NodeSettings;
  readonly configs: ConfigStore;
  readonly clusterId: string;
  readonly controller: ControllerChannel;
  /** −1 until the broker is registered. */
  readonly brokerEpoch: () => number;
  /** A log directory went offline: the controller has to know. */
  readonly directoryFailed: (directoryId: string) => void;
}

/** The broker of a node: its logs, its replicas, and the listeners that clients connect to. */
export class BrokerServer {
  readonly logManager: LogManager;
  readonly replicaManager: ReplicaManager;
  readonly metadata: BrokerMetadata;
  /** To be installed in the metadata loader, in this order: configs are in place before replicas act on them. */
  readonly publishers: readonly MetadataPublisher[];
  readonly acceptor: Acceptor;
  readonly #timers: TimerQueue;
  readonly #gate = new ServingGate();

  private constructor(environment: Environment, options: BrokerServerOptions, logManager: LogManager) {
    const { settings, configs, controller, brokerEpoch } = options;
    const { nodeId: brokerId } = settings;
    this.#timers = new TimerQueue(environment.clock);
    this.logManager = logManager;
    this.metadata = new BrokerMetadata({ timers: this.#timers });
    this.replicaManager = new ReplicaManager(environment, {
      brokerId,
      logManager,
      metadata: () => this.metadata.image,
      logConfig: (topic) => topicLogConfig(configs.topic(topic)),
      timers: this.#timers,
      isrChanger: controllerIsrChanger(controller, { brokerId, brokerEpoch }),
      replicaLagTimeMaxMs: () => configs.broker()['replica.lag.time.max.ms'],
      directoryFailed: (directory) => options.directoryFailed(logManager.directoryIdOf(directory)),
    });
    this.metadata.follow((delta) => this.replicaManager.applyDelta(delta));
    const limits = new ConnectionLimits(connectionLimitSettings(configs, settings));
    this.acceptor = this.#acceptorOf(environment, options, limits);
    const configPublisher = new ConfigPublisher(configs, (resource) => {
      if (resource.type !== 'broker') return;
      limits.settings = connectionLimitSettings(configs, settings);
      this.acceptor.limitsChanged();
    });
    this.publishers = [configPublisher, this.metadata];
  }

  /** Opens the logs. Nothing listens yet. Throws a StorageError if no log directory is usable. */
  static async open(environment: Environment, options: BrokerServerOptions): Promise<BrokerServer> {
    const { settings, configs } = options;
    let server: BrokerServer | null = null;
    const logManager = await LogManager.start(environment, {
      logDirectories: settings.logDirectories,
      configOf: (topic) => topicLogConfig(configs.topic(topic)),
      settings: logManagerSettings(configs.broker()),
      directoryFailed: (error) => server?.replicaManager.directoryFailed(error.logDirectory),
    });
    server = new BrokerServer(environment, options, logManager);
    return server;
  }

  /** Binds the listeners. Requests that come before `serve` wait, for the broker does not know the cluster yet. */
  listen(): Promise<void> {
    return this.acceptor.listen();
  }

  /** Serves clients, those that wait first. */
  serve(): void {
    this.replicaManager.start();
    this.#gate.open();
  }

  /** Resolves when this broker acts on its own registration as an unfenced broker: what clients are told is then true. */
  async caughtUp(brokerId: number, epoch: number): Promise<void> {
    await this.metadata.when(({ cluster }) => {
      const broker = cluster.brokers.get(brokerId);
      return broker !== undefined && broker.epoch === epoch && !broker.fenced;
    }, Number.MAX_SAFE_INTEGER);
  }

  get onlineDirectoryIds(): string[] {
    return this.logManager.directories.flatMap(({ isOffline, id }) => (isOffline || id === null ? [] : [id]));
  }

  /** Ends everything without a word to the disk, as a crash would. */
  async abandon(): Promise<void> {
    this.replicaManager.shutdown();
    await this.acceptor.close();
    await this.logManager.abandon();
    this.#timers.close();
  }

  /** Answers what waits, closes the connections and the logs; the directories are marked as stopped in order. */
  async close(brokerEpoch: number): Promise<void> {
    await this.acceptor.stopAccepting();
    this.replicaManager.shutdown();
    await this.acceptor.close();
    await this.logManager.shutdown({ brokerEpoch });
    this.#timers.close();
  }

  #acceptorOf(environment: Environment, options: BrokerServerOptions, limits: ConnectionLimits): Acceptor {
    const { settings, configs } = options;
    const services = this.#servicesOf(environment, options);
    const handlers = createHandlers(services);
    const config = configs.broker();
    return new Acceptor(environment, {
      listeners: settings.listeners.map(({ name, host, port }) => ({
        name,
        endpoint: { host, port },
        backlog: config['socket.listen.backlog.size'],
        serve: this.#gate.guard(
          new RequestPipeline(environment, {
            handlers,
            servesUnstableVersions: config['unstable.api.versions.enable'],
            isPrivilegedListener: name === settings.interBrokerListenerName,
          }).serve,
        ),
      })),
      maxIdleMs: config['connections.max.idle.ms'],
      maxRequestBytes: config['socket.request.max.bytes'],
      limits,
    });
  }

  #servicesOf(environment: Environment, options: BrokerServerOptions): BrokerServices {
    const { settings, configs, clusterId, controller, brokerEpoch } = options;
    const { nodeId: brokerId } = settings;
    return {
      environment,
      brokerId,
      clusterId,
      metadata: this.metadata,
      replicaManager: this.replicaManager,
      logManager: this.logManager,
      configs,
      controller,
      authorizer: allowAll,
      fetchSessions: new FetchSessionCache(environment, { slots: configs.broker()['max.incremental.fetch.session.cache.slots'] }),
      producerIds: new ProducerIds({ channel: controller, brokerId, brokerEpoch }),
    };
  }
}
