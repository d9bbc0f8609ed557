import { isFileRegion, type Part } from '../../src/base/disk.ts';
import { TimerQueue } from '../../src/base/timer-queue.ts';
import { ZERO_UUID } from '../../src/base/uuid.ts';
import type { BrokerChannel } from '../../src/broker/broker-channel.ts';
import { BrokerMetadata } from '../../src/broker/broker-metadata.ts';
import type { BrokerServices } from '../../src/broker/broker-services.ts';
import { FetchSessionCache } from '../../src/broker/fetch-session-cache.ts';
import type { ControllerChannel } from '../../src/broker/forwarding.ts';
import { CLOSE_CONNECTION, type Handler, NO_RESPONSE } from '../../src/broker/handler.ts';
import { createHandlers } from '../../src/broker/handlers/index.ts';
import { fixedLogLevels } from '../../src/broker/log-levels.ts';
import { ProducerIds } from '../../src/broker/producer-ids.ts';
import type { RequestContext } from '../../src/broker/request-context.ts';
import { ConfigStore } from '../../src/config/config-store.ts';
import { MetadataDelta } from '../../src/metadata/metadata-delta.ts';
import { type MetadataRecord, metadataRecord } from '../../src/metadata/metadata-record.ts';
import { decode, encode, encodeParts } from '../../src/protocol/codec.ts';
import { KafkaError } from '../../src/protocol/errors.ts';
import { createTopics } from '../../src/protocol/messages/19-create-topics.ts';
import { allocateProducerIds } from '../../src/protocol/messages/67-allocate-producer-ids.ts';
import type { Api, RequestInput, ResponseOf } from '../../src/protocol/schema.ts';
import type { IsrChanger, IsrChangeRequest } from '../../src/replication/isr.ts';
import { ReplicaManager } from '../../src/replication/replica-manager.ts';
import { topicLogConfig } from '../../src/replication/topic-log-config.ts';
import { Coordinators } from '../../src/server/coordinators.ts';
import { LoopbackBroker } from '../../src/server/loopback-broker.ts';
import { allowAll } from '../../src/security/authorizer.ts';
import { anonymous } from '../../src/security/principal.ts';
import { LogManager } from '../../src/storage/log-manager.ts';
import { defaultLogManagerSettings } from '../../src/storage/log-manager-settings.ts';
import { type SimulatedEnvironment, simulatedEnvironment } from '../../simulation/simulated-environment.ts';

export const BROKER_ID = 1;
export const CLUSTER_ID = '4L6g3nShT-eMCtK--X86sw';

export interface TestBrokerOptions {
  readonly environment?: SimulatedEnvironment;
  /** Where the log lies; for real disks. */
  readonly logDirectory?: string;
  readonly properties?: Readonly<Record<string, string>>;
  readonly services?: Partial<BrokerServices>;
  readonly isrChanger?: IsrChanger;
  /** What lies between the broker and itself, where it speaks to itself as to another broker. */
  readonly between?: (channel: BrokerChannel) => BrokerChannel;
}

export interface CallOptions {
  readonly clientId?: string | null;
  readonly onDisconnected?: (callback: () => void) => () => void;
  readonly onEnded?: (callback: () => void) => () => void;
}

export interface TopicSpec {
  readonly partitions?: number;
  readonly replicas?: readonly number[];
  readonly isr?: readonly number[];
  readonly configs?: Readonly<Record<string, string>>;
  readonly leader?: number;
  readonly topicId?: string;
}

/** Everything of a broker between the request pipeline and the controller, over a simulated clock and disk. */
export class TestBroker {
  readonly environment: SimulatedEnvironment;
  readonly metadata: BrokerMetadata;
  readonly configs: ConfigStore;
  readonly logManager: LogManager;
  readonly replicaManager: ReplicaManager;
  readonly coordinators: Coordinators;
  readonly services: BrokerServices;
  readonly handlers: readonly Handler[];
  readonly isrRequests: IsrChangeRequest[] = [];
  readonly controller = new TestController(this);
  #offset = 0;

  private constructor(
    options: TestBrokerOptions,
    parts: { environment: SimulatedEnvironment; configs: ConfigStore; logManager: LogManager },
  ) {
    const { environment, configs, logManager } = parts;
    this.environment = environment;
    this.configs = configs;
    this.logManager = logManager;
    const timers = new TimerQueue(environment.clock);
    this.metadata = new BrokerMetadata({ timers });
    this.replicaManager = new ReplicaManager(environment, {
      brokerId: BROKER_ID,
      logManager,
      metadata: () => this.metadata.image,
      logConfig: (topic) => topicLogConfig(configs.topic(topic)),
      timers,
      isrChanger: options.isrChanger ?? {
        change: (request) => {
          this.isrRequests.push(request);
          return new Promise(() => undefined);
        },
      },
      replicaLagTimeMaxMs: () => 30_000,
    });
    this.metadata.follow((delta) => {
      for (const { resourceType, resourceName, values } of delta.configs?.changes.values() ?? []) {
        const type = resourceType === 2 ? 'topic' : 'broker';
        const texts = [...values].filter((entry): entry is [string, string] => entry[1] !== null);
        configs.replace({ type, name: resourceName }, new Map([...configs.overrides({ type, name: resourceName }), ...texts]));
      }
      return this.replicaManager.applyDelta(delta);
    });
    this.coordinators = new Coordinators(environment, {
      brokerId: BROKER_ID,
      configs,
      timers,
      metadata: () => this.metadata.image,
      replicaManager: this.replicaManager,
      channel: (options.between ?? ((channel) => channel))(
        new LoopbackBroker({ brokerId: BROKER_ID, listenerName: 'PLAINTEXT', handlers: () => this.handlers }),
      ),
      newProducerId: () => this.services.producerIds.next(),
    });
    this.metadata.follow((delta, image) => this.coordinators.metadataChanged(delta, image));
    this.services = {
      environment,
      brokerId: BROKER_ID,
      clusterId: CLUSTER_ID,
      metadata: this.metadata,
      replicaManager: this.replicaManager,
      logManager,
      configs,
      controller: this.controller,
      authorizer: allowAll,
      fetchSessions: new FetchSessionCache(environment, { slots: 1000 }),
      producerIds: new ProducerIds({ channel: this.controller, brokerId: BROKER_ID, brokerEpoch: () => 1 }),
      groupCoordinator: this.coordinators.groups,
      transactionCoordinator: this.coordinators.transactions,
      transactionVerifier: this.coordinators.verifier,
      logLevels: fixedLogLevels,
      ...options.services,
    };
    this.handlers = createHandlers(this.services);
  }

  static async start(options: TestBrokerOptions = {}): Promise<TestBroker> {
    const environment = options.environment ?? simulatedEnvironment();
    const fromFile = new Map(Object.entries({ 'node.id': '1', 'process.roles': 'broker,controller', ...options.properties }));
    const configs = new ConfigStore({ nodeId: BROKER_ID, fromFile });
    let broker: TestBroker | null = null;
    const logManager = await LogManager.start(environment, {
      logDirectories: [options.logDirectory ?? '/data'],
      configOf: (topic) => topicLogConfig(configs.topic(topic)),
      settings: {
        ...defaultLogManagerSettings,
        initialTaskDelayMs: 1e12,
        recoveryPointCheckpointIntervalMs: 1e12,
        logStartCheckpointIntervalMs: 1e12,
        highWatermarkCheckpointIntervalMs: 1e12,
      },
      directoryFailed: (error) => broker?.replicaManager.directoryFailed(error.logDirectory),
    });
    broker = new TestBroker(options, { environment, configs, logManager });
    broker.registerBroker(BROKER_ID);
    return broker;
  }

  apply(...records: MetadataRecord[]): void {
    const delta = new MetadataDelta(this.metadata.image);
    for (const record of records) delta.replay(record);
    this.#offset += records.length;
    this.metadata.metadataChanged(
      delta,
      delta.apply({ offset: this.#offset, epoch: 1, timestamp: this.environment.clock.now() }),
    );
  }

  registerBroker(brokerId: number, options: { readonly fenced?: boolean } = {}): void {
    this.apply(
      metadataRecord('RegisterBrokerRecord', 3, {
        brokerId,
        brokerEpoch: brokerId * 10,
        incarnationId: ZERO_UUID,
        endPoints: [{ name: 'PLAINTEXT', host: 'localhost', port: 9000 + brokerId, securityProtocol: 0 }],
        features: [],
        rack: null,
        fenced: options.fenced ?? false,
      }),
    );
  }

  /** Makes a topic as the controller would, and gives its id. */
  createTopic(name: string, spec: TopicSpec = {}): string {
    const replicas = spec.replicas ?? [BROKER_ID];
    const topicId = spec.topicId ?? idOf(name);
    const partitions = Array.from({ length: spec.partitions ?? 1 }, (_, partitionId) =>
      metadataRecord('PartitionRecord', 1, {
        partitionId,
        topicId,
        replicas,
        isr: spec.isr ?? replicas,
        removingReplicas: [],
        addingReplicas: [],
        leader: spec.leader ?? BROKER_ID,
        leaderEpoch: 0,
        partitionEpoch: 0,
        directories: replicas.map(() => ZERO_UUID),
      }),
    );
    const configs = Object.entries(spec.configs ?? {}).map(([config, value]) =>
      metadataRecord('ConfigRecord', 0, { resourceType: 2, resourceName: name, name: config, value }),
    );
    this.apply(metadataRecord('TopicRecord', 0, { name, topicId }), ...partitions, ...configs);
    return topicId;
  }

  deleteTopic(name: string): void {
    this.apply(metadataRecord('RemoveTopicRecord', 0, { topicId: this.topicId(name) }));
  }

  topicId(name: string): string {
    return this.metadata.image.topics.byName.get(name)?.id ?? ZERO_UUID;
  }

  /** Sends a request as the pipeline would, through both codecs, and gives the decoded answer. */
  async call<A extends Api>(api: A, version: number, input: RequestInput<A>, options: CallOptions = {}): Promise<ResponseOf<A>> {
    const answer = await this.send(api, version, input, options);
    if (typeof answer === 'string') throw new Error(`there is no answer: ${answer}`);
    return answer;
  }

  async send<A extends Api>(
    api: A,
    version: number,
    input: RequestInput<A>,
    options: CallOptions = {},
  ): Promise<ResponseOf<A> | 'no response' | 'closed'> {
    const handler = this.handlers.find((candidate) => candidate.api.key === api.key);
    if (handler === undefined) throw new Error(`no handler for ${api.name}`);
    const bytes = encode(api.request, version, input);
    const request = decode(api.request, version, bytes);
    const context: RequestContext = {
      apiKey: api.key,
      apiVersion: version,
      correlationId: 7,
      clientId: options.clientId ?? 'test',
      listenerName: 'PLAINTEXT',
      principal: anonymous,
      clientHost: '127.0.0.1',
      connectionId: 1,
      isPrivilegedListener: false,
      ...(options.onDisconnected === undefined ? {} : { onDisconnected: options.onDisconnected }),
      ...(options.onEnded === undefined ? {} : { onEnded: options.onEnded }),
    };
    const result = await settle(handler, request, context);
    if (result === NO_RESPONSE) return 'no response';
    if (result === CLOSE_CONNECTION) return 'closed';
    const answer = encodeParts(api.response, version, result);
    // What the next request would do that comes to lie there.
    if (handler.isDoneWithRequest === true) bytes.fill(0xdb);
    return decode(api.response, version, bytesOf(answer)) as ResponseOf<A>;
  }

  /** Lets everything that waits for nothing but its turn go on. */
  async settle(): Promise<void> {
    await this.environment.clock.scheduler.run(0);
  }

  async advance(durationMs: number): Promise<void> {
    await this.environment.clock.scheduler.run(durationMs);
  }
}

const settle = async (handler: Handler, request: object, context: RequestContext) => {
  try {
    return await handler.handle(request as never, context);
  } catch (error) {
    if (error instanceof KafkaError) return handler.failed(request as never, error, context);
    throw error;
  }
};

/** What a client would get: files are read and given back. */
export const bytesOf = (parts: readonly Part[]): Buffer =>
  Buffer.concat(
    parts.map((part) => {
      if (!isFileRegion(part)) return part;
      const bytes = Buffer.alloc(part.length);
      part.file.read(bytes, part.position);
      part.release();
      return bytes;
    }),
  );

/** A topic id that can be told from the name. */
export const idOf = (name: string): string => Buffer.from(name.padEnd(16, '.').slice(0, 16)).toString('base64url');

/** Stands for the controller: makes topics, gives out producer ids, refuses the rest. */
class TestController implements ControllerChannel {
  readonly sent: { readonly api: string; readonly request: unknown }[] = [];
  readonly #broker: TestBroker;
  #nextProducerId = 0;

  constructor(broker: TestBroker) {
    this.#broker = broker;
  }

  send: ControllerChannel['send'] = async (api, request) => {
    this.sent.push({ api: api.name, request });
    if (api.key === allocateProducerIds.key) {
      const producerIdStart = this.#nextProducerId;
      this.#nextProducerId += 1000;
      return { throttleTimeMs: 0, errorCode: 0, producerIdStart, producerIdLen: 1000 } as never;
    }
    if (api.key === createTopics.key) {
      const { topics } = request as { topics: { name: string; numPartitions: number }[] };
      for (const { name, numPartitions } of topics) this.#broker.createTopic(name, { partitions: Math.max(1, numPartitions) });
      return {
        throttleTimeMs: 0,
        topics: topics.map(({ name }) => ({
          name,
          topicId: idOf(name),
          errorCode: 0,
          errorMessage: null,
          topicConfigErrorCode: 0,
          numPartitions: 1,
          replicationFactor: 1,
          configs: [],
        })),
      } as never;
    }
    throw new KafkaError('NOT_CONTROLLER');
  };
}
