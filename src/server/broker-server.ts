import type { Environment } from '../base/environment.ts';
import { TimerQueue } from '../base/timer-queue.ts';
import { BrokerMetadata } from '../broker/broker-metadata.ts';
import type { BrokerServices } from '../broker/broker-services.ts';
import { FetchSessionCache } from '../broker/fetch-session-cache.ts';
import type { ControllerChannel } from '../broker/forwarding.ts';
import type { Handler } from '../broker/handler.ts';
import { createHandlers } from '../broker/handlers/index.ts';
import type { LogLevels } from '../broker/log-levels.ts';
import { ProducerIds } from '../broker/producer-ids.ts';
import type { DiskLock } from '../base/disk.ts';
import type { ConfigStore } from '../config/config-store.ts';
import type { NodeSettings } from '../config/node-settings.ts';
import type { MetadataPublisher } from '../metadata/publisher.ts';
import { ReplicaManager } from '../replication/replica-manager.ts';
import { topicLogConfig } from '../replication/topic-log-config.ts';
import { allowAll } from '../security/authorizer.ts';
import { LogManager } from '../storage/log-manager.ts';
import { StorageError } from '../storage/storage-error.ts';
import { Coordinators } from './coordinators.ts';
import { absoluteDirectory } from './absolute-directories.ts';
import { ConfigPublisher } from './config-publisher.ts';
import { DirectoryAssignments } from './directory-assignments.ts';
import { controllerIsrChanger } from './isr-changer.ts';
import { LoopbackBroker } from './loopback-broker.ts';
import { ListenerAcceptor } from './listener-acceptor.ts';
import { checkStores } from './listener-tls.ts';
import { logManagerSettings } from './log-settings.ts';
import { ServingGate } from './serving-gate.ts';

export interface BrokerServerOptions {
  readonly settings: NodeSettings;
  readonly configs: ConfigStore;
  readonly clusterId: string;
  readonly controller: ControllerChannel;
  readonly lockOf: (path: string) => DiskLock | null;
  readonly logLevels?: LogLevels;
  /** −1 until the broker is registered. */
  readonly brokerEpoch: () => number;
  /** A log directory went offline while others go on: the controller has to know. */
  readonly directoryFailed: (directoryId: string) => void;
  /** What is set for this broker has changed. */
  readonly configsChanged: () => void;
  /** No log directory is left, or that of the metadata log failed: the node has to stop. */
  readonly fatal: (error: unknown) => void;
}

/** The broker of a node: its logs, its replicas, and the listeners that clients connect to. */
export class BrokerServer {
  readonly logManager: LogManager;
  readonly replicaManager: ReplicaManager;
  readonly metadata: BrokerMetadata;
  /** To be installed in the metadata loader, in this order: configs are in place before replicas act on them. */
  readonly publishers: readonly MetadataPublisher[];
  readonly acceptor: ListenerAcceptor;
  readonly coordinators: Coordinators;
  readonly #timers: TimerQueue;
  readonly #gate = new ServingGate();
  readonly #assignments: DirectoryAssignments;
  readonly #absolute: (directory: string) => string;
  readonly #producerIds: ProducerIds;
  readonly #handlers: readonly Handler[];

  private constructor(environment: Environment, options: BrokerServerOptions, logManager: LogManager) {
    const { settings, configs, controller, brokerEpoch } = options;
    const { nodeId: brokerId } = settings;
    this.#timers = new TimerQueue(environment.clock);
    this.#absolute = (directory) => absoluteDirectory(directory, environment.disk);
    this.#assignments = new DirectoryAssignments(environment, { channel: controller, brokerId, brokerEpoch });
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
      directoryChosen: (replica) => this.#assignments.add(replica),
    });
    this.metadata.follow((delta) => this.replicaManager.applyDelta(delta));
    this.#producerIds = new ProducerIds({ channel: controller, brokerId, brokerEpoch });
    this.coordinators = new Coordinators(environment, {
      brokerId,
      configs,
      timers: this.#timers,
      metadata: () => this.metadata.image,
      replicaManager: this.replicaManager,
      channel: new LoopbackBroker({
        brokerId,
        listenerName: settings.interBrokerListenerName,
        handlers: () => this.#handlers,
      }),
      newProducerId: () => this.#producerIds.next(),
    });
    this.metadata.follow((delta, image) => this.coordinators.metadataChanged(delta, image));
    this.#handlers = createHandlers(this.#servicesOf(environment, options));
    this.acceptor = this.#acceptorOf(environment, options);
    const configPublisher = new ConfigPublisher(configs, (resource) => {
      if (resource.type === 'broker') options.configsChanged();
    });
    this.publishers = [configPublisher, this.metadata];
  }

  /** Opens the logs. Nothing listens yet. Throws a StorageError if no log directory is usable, or that of the metadata log is not. */
  static async open(environment: Environment, options: BrokerServerOptions): Promise<BrokerServer> {
    const { settings, configs, lockOf } = options;
    let server: BrokerServer | null = null;
    const logManager = await LogManager.start(environment, {
      logDirectories: settings.logDirectories,
      configOf: (topic) => topicLogConfig(configs.topic(topic)),
      settings: logManagerSettings(configs),
      lockOf,
      directoryFailed: (error) => {
        if (server !== null) server.#directoryFailed(options, error);
      },
    });
    const failed = logManager.directories.find(({ path, isOffline }) => isOffline && path === settings.metadataLogDirectory);
    if (failed?.failure) {
      await logManager.abandon();
      throw failed.failure;
    }
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

  /** The ids of the directories that a config names; `*` is all of them. */
  cordonedDirectoryIds(texts: readonly string[]): string[] {
    const paths = texts.map((text) => (text === '*' ? text : this.#absolute(text)));
    return this.logManager.directories.flatMap(({ path, id }) =>
      id !== null && (paths.includes('*') || paths.includes(path)) ? [id] : [],
    );
  }

  /** Ends everything without a word to the disk, as a crash would. */
  async abandon(): Promise<void> {
    this.#assignments.close();
    this.coordinators.close();
    this.replicaManager.shutdown();
    await this.acceptor.close();
    await this.logManager.abandon();
    this.#timers.close();
  }

  /** Answers what waits, closes the connections and the logs; the directories are marked as stopped in order. */
  async close({ brokerEpoch, finishingMs }: { readonly brokerEpoch: number; readonly finishingMs: number }): Promise<void> {
    this.#assignments.close();
    await this.acceptor.stopAccepting();
    this.coordinators.close();
    this.replicaManager.shutdown();
    await this.acceptor.finish(finishingMs);
    await this.logManager.shutdown({ brokerEpoch });
    this.#timers.close();
  }

  #directoryFailed({ settings, directoryFailed, fatal }: BrokerServerOptions, error: StorageError): void {
    const { logDirectory } = error;
    this.replicaManager.directoryFailed(logDirectory);
    if (logDirectory === settings.metadataLogDirectory) {
      fatal(
        new StorageError(logDirectory, `${logDirectory}, which holds the metadata log, has failed: ${error.message}`, {
          cause: error,
        }),
      );
    } else if (this.logManager.offlinePaths.length === settings.logDirectories.length) {
      fatal(
        new StorageError(logDirectory, `The last usable log directory, ${logDirectory}, has failed: ${error.message}`, {
          cause: error,
        }),
      );
    } else {
      directoryFailed(this.logManager.directoryIdOf(logDirectory));
    }
  }

  #acceptorOf(environment: Environment, options: BrokerServerOptions): ListenerAcceptor {
    const { settings, configs } = options;
    return new ListenerAcceptor(environment, {
      listeners: settings.listeners,
      handlers: this.#handlers,
      configs,
      privilegedListenerName: settings.interBrokerListenerName,
      guard: (serve) => this.#gate.guard(serve),
    });
  }

  #servicesOf(environment: Environment, options: BrokerServerOptions): BrokerServices {
    const { settings, configs, clusterId, controller, logLevels } = options;
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
      groupCoordinator: this.coordinators.groups,
      transactionCoordinator: this.coordinators.transactions,
      transactionVerifier: this.coordinators.verifier,
      producerIds: this.#producerIds,
      checkStores: (name, texts, altered) =>
        checkStores(configs, { listeners: settings.listeners, disk: environment.disk }, { name, texts, altered }),
      ...(logLevels === undefined ? {} : { logLevels }),
    };
  }
}
