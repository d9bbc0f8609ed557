import { topicNameFault } from '../../../src/config/topic-name.ts';
import { isInternalTopic } from '../../../src/broker/metadata-view.ts';
import { metadata } from '../../../src/protocol/messages/03-metadata.ts';
import { listOffsets } from '../../../src/protocol/messages/02-list-offsets.ts';
import { findCoordinator } from '../../../src/protocol/messages/10-find-coordinator.ts';
import { createTopics } from '../../../src/protocol/messages/19-create-topics.ts';
import { initProducerId } from '../../../src/protocol/messages/22-init-producer-id.ts';
import { describeConfigs } from '../../../src/protocol/messages/32-describe-configs.ts';
import type { Api } from '../../../src/protocol/schema.ts';
import { BrokerSide, type Outcome } from './broker-side.ts';
import { compareAnswers, type CompareOptions, type Difference, type Sorted } from './compare.ts';
import { ask, compareOutcomes, type Exchange } from './exchange.ts';
import { fitToVersion, type Values } from './fit.ts';
import type { TwoBrokers } from '../two-brokers.ts';
import { type Maker, makers } from './makers.ts';
import { groupsAreServed } from './groups-are-served.ts';
import { joinGroups } from './join-groups.ts';
import { Pairs } from './pairs.ts';
import { standingTopics, World } from './world.ts';

const STATE_WITHIN_MS = 10_000;

/** Asks two brokers the same, one request after the other, and compares what they answer. */
export class Comparison {
  readonly pairs = new Pairs();
  readonly world: World;
  readonly #kafka: BrokerSide;
  readonly #ottla: BrokerSide;
  readonly #wheel: readonly Maker[];
  #index = 0;

  /** `wheel` says what is asked how often. */
  constructor(seed: number, { kafka, ottla, texts }: TwoBrokers, wheel: readonly Maker[] = makers) {
    this.world = new World(seed, Date.now());
    this.#kafka = new BrokerSide(kafka.port);
    this.#ottla = new BrokerSide(ottla.port);
    for (const [theirs, ours] of texts) this.pairs.learn('address', theirs, ours);
    this.#wheel = wheel.flatMap((maker) => Array.from({ length: maker.weight }, () => maker));
  }

  /** Makes the topics that stay, and a producer. */
  async begin(): Promise<readonly Exchange[]> {
    const topics = standingTopics.map(({ name, partitions, configs }) => ({
      name,
      numPartitions: partitions,
      replicationFactor: 1,
      assignments: [],
      configs: Object.entries(configs).map(([config, value]) => ({ name: config, value })),
    }));
    const created = await this.exchange(createTopics, 7, { topics, timeoutMs: 30_000 });
    const initialized = await this.#firstProducer();
    const found = await this.exchange(findCoordinator, 4, { keyType: 0, coordinatorKeys: ['g0'] });
    await Promise.all([this.#kafka.port, this.#ottla.port].map(groupsAreServed));
    const { exchanges: joins, members } = await joinGroups((api, version, request) => this.exchange(api, version, request));
    this.world.members.push(...members);
    const stateDifferences = await this.#agreeOnState();
    const { topicsNow } = this.world;
    const exchanges = [created, initialized, { ...found, stateDifferences, topics: topicsNow }, ...joins];
    const wrong = exchanges.flatMap(({ differences, stateDifferences = [] }) => [...differences, ...stateDifferences]);
    if (wrong.length > 0) throw new Error(`the clusters cannot be made alike: ${JSON.stringify(wrong)}`);
    return exchanges;
  }

  /** Kafka asks its controller for a block of producer ids when the first is wanted, and has none until then. */
  async #firstProducer(): Promise<Exchange> {
    const request = { transactionalId: null, transactionTimeoutMs: 60_000, producerId: -1, producerEpoch: -1 };
    for (;;) {
      const outcome = await this.#kafka.ask(initProducerId, 4, request);
      if (outcome.kind === 'answered' && (outcome.response as Values)['errorCode'] === 0) break;
    }
    return this.exchange(initProducerId, 4, request);
  }

  close(): void {
    this.#kafka.close();
    this.#ottla.close();
  }

  /** Makes the next request of the seed and sends it to both. */
  async next(): Promise<Exchange> {
    const maker = this.world.random.pick(this.#wheel);
    const { api } = maker;
    const [min, max] = maker.versions ?? [api.minVersion, api.maxVersion];
    const version = min + this.world.random.integer(max - min + 1);
    const request = fitToVersion(api.request, version, maker.make(this.world, version));
    let exchange = await this.exchange(api, version, request, maker.sorted);
    const deadline = performance.now() + (maker.isLate === true ? STATE_WITHIN_MS : 0);
    while (exchange.differences.length > 0 && performance.now() < deadline) {
      exchange = { ...(await this.exchange(api, version, request, maker.sorted)), index: exchange.index };
    }
    this.#index++;
    if (maker.changesState !== true) return exchange;
    const stateDifferences = await this.#agreeOnState(this.#createdBy(api, version, request));
    return { ...exchange, stateDifferences, topics: this.world.topicsNow };
  }

  async exchange(api: Api, version: number, request: Values, sorted: Sorted = {}): Promise<Exchange> {
    const asked = { api, version, request };
    const [kafka, ottla] = await Promise.all([ask(this.#kafka, asked, null), ask(this.#ottla, asked, this.pairs)]);
    const differences = compareOutcomes(api, kafka, ottla, this.#options(sorted));
    this.#learn(api, request, kafka);
    return { index: this.#index, api, version, request, kafka, ottla, differences };
  }

  #options(sorted: Sorted): CompareOptions {
    return { pairs: this.pairs, startedMs: this.world.nowMs, sorted };
  }

  /** Takes from Kafka's answers what later requests can be about. */
  #learn(api: Api, request: Values, outcome: Outcome): void {
    if (outcome.kind !== 'answered') return;
    const { world } = this;
    const response = outcome.response as Values;
    if (api.key === 0) {
      for (const topic of response['responses'] as ProduceTopic[]) {
        const name = topic.name === '' ? world.nameOfId(topic.topicId) : topic.name;
        for (const { index, baseOffset, errorCode } of topic.partitionResponses) {
          if (errorCode === 0) world.endOffsets.set(`${name}-${index}`, baseOffset + 1);
        }
      }
    } else if (api.key === 1) this.#learnSession(request, response);
    else if (api.key === 22 && response['errorCode'] === 0) {
      const id = response['producerId'] as number;
      const epoch = response['producerEpoch'] as number;
      world.producers.push({ id, epoch, nextSequence: new Map() });
      if (world.producers.length > 4) world.producers.shift();
    }
  }

  #learnSession(request: Values, response: Values): void {
    const { sessions } = this.world;
    const id = response['sessionId'] as number;
    if (response['errorCode'] !== 0 || id === 0) return;
    const known = sessions.find((session) => session.id === id);
    if (known === undefined) {
      sessions.push({ id, nextEpoch: 1 });
      if (sessions.length > 5) sessions.shift();
    } else if (request['sessionEpoch'] === known.nextEpoch) known.nextEpoch++;
  }

  /** Waits until both know of the same topics and configs and serve them: Kafka's broker follows its controller some time later. */
  async #agreeOnState(names: readonly string[] = []): Promise<Difference[]> {
    const deadline = performance.now() + STATE_WITHIN_MS;
    for (;;) {
      const differences = await this.#stateDifferences();
      if (performance.now() > deadline) return differences;
      if (differences.length === 0 && names.every((name) => this.world.topics.has(name))) return differences;
    }
  }

  /** Topics that come into being because somebody asked for them, at some time after the answer. */
  #createdBy(api: Api, version: number, request: Values): string[] {
    const topics = request['topics'] as readonly { readonly name: string | null }[] | null;
    if (api.key !== metadata.key || topics === null || (version >= 4 && request['allowAutoTopicCreation'] !== true)) return [];
    const names = topics.flatMap(({ name }) => (name === null ? [] : [name]));
    return names.filter((name) => topicNameFault(name) === null && !this.#isTaken(name));
  }

  /** Names that differ only in dots and underscores cannot both be. */
  #isTaken(name: string): boolean {
    const known = [...this.world.topics.keys()].map((each) => each.replaceAll('.', '_'));
    return known.includes(name.replaceAll('.', '_'));
  }

  async #stateDifferences(): Promise<Difference[]> {
    const request = { topics: null, allowAutoTopicCreation: false, includeTopicAuthorizedOperations: false };
    const [kafka, ottla] = await this.#both(metadata, 12, request);
    const differences = compareAnswers(kafka, ottla, this.#options(byName));
    if (differences.length > 0) return differences;
    const topics = (kafka as { topics: MetadataTopic[] }).topics;
    this.world.clusterId = (kafka as { clusterId: string }).clusterId;
    this.world.topics.clear();
    for (const { name, topicId, partitions } of topics.filter((topic) => !isInternalTopic(topic.name)))
      this.world.topics.set(name, { id: topicId, partitions: partitions.length });
    const offsets = {
      replicaId: -1,
      isolationLevel: 0,
      topics: topics.map(({ name, partitions }) => ({
        name,
        partitions: partitions.map(({ partitionIndex }) => ({ partitionIndex, timestamp: -1 })),
      })),
      timeoutMs: 0,
    };
    const resources = topics.map(({ name }) => ({ resourceType: 2, resourceName: name, configurationKeys: null }));
    const configs = {
      resources: [...resources, ...['', '1'].map((name) => ({ resourceType: 4, resourceName: name, configurationKeys: null }))],
      includeSynonyms: true,
      includeDocumentation: false,
    };
    const told = await this.#both(listOffsets, 11, offsets);
    const described = await this.#both(describeConfigs, 4, configs);
    return [
      ...compareAnswers(told[0], told[1], this.#options(byName)),
      ...compareAnswers(described[0], described[1], this.#options(byName)),
    ];
  }

  async #both(api: Api, version: number, request: Values): Promise<[unknown, unknown]> {
    const outcomes = await Promise.all([this.#kafka.ask(api, version, request), this.#ottla.ask(api, version, request)]);
    const [kafka, ottla] = outcomes.map((outcome) => (outcome.kind === 'answered' ? outcome.response : outcome.kind));
    return [kafka, ottla];
  }
}

const byName = {
  topics: ({ name }: Values) => String(name),
  results: ({ resourceName }: Values) => String(resourceName),
  partitions: ({ partitionIndex }: Values) => String(partitionIndex),
};

interface ProduceTopic {
  readonly name: string;
  readonly topicId: string;
  readonly partitionResponses: readonly { readonly index: number; readonly baseOffset: number; readonly errorCode: number }[];
}

interface MetadataTopic {
  readonly name: string;
  readonly topicId: string;
  readonly partitions: readonly { readonly partitionIndex: number }[];
}
