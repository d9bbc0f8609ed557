import assert from 'node:assert/strict';
import type { Endpoint, Socket } from '../../src/base/network.ts';
import { Client } from '../../src/client/client.ts';
import type { ClientOptions } from '../../src/client/client-options.ts';
import { FrameSplitter } from '../../src/network/frame.ts';
import { decode } from '../../src/protocol/codec.ts';
import { codeOf, type ErrorName } from '../../src/protocol/errors.ts';
import { decodeRequestHeader, encodeResponse } from '../../src/protocol/header.ts';
import { produce } from '../../src/protocol/messages/00-produce.ts';
import { fetch } from '../../src/protocol/messages/01-fetch.ts';
import { listOffsets } from '../../src/protocol/messages/02-list-offsets.ts';
import { metadata } from '../../src/protocol/messages/03-metadata.ts';
import { apiVersions } from '../../src/protocol/messages/18-api-versions.ts';
import { initProducerId } from '../../src/protocol/messages/22-init-producer-id.ts';
import { apiByKey } from '../../src/protocol/messages/index.ts';
import type { Api, RequestOf, ResponseInput } from '../../src/protocol/schema.ts';
import { Scheduler } from '../../simulation/scheduler.ts';
import { SimulatedClock } from '../../simulation/simulated-clock.ts';
import { type SimulatedEnvironment, simulatedEnvironment } from '../../simulation/simulated-environment.ts';
import { SimulatedNetwork } from '../../simulation/simulated-network.ts';
import { SimulatedRandom } from '../../simulation/simulated-random.ts';
import { FakePartition } from './fake-partition.ts';

/** What a fault does to one request. `lost`: done, but the answer never comes. */
export type Fault = 'refused' | 'lost' | 'silent' | ErrorName;

/** Decides about each request before it is served; null lets it pass. */
export type FaultPlan = (apiKey: number, node: number) => Fault | null;

const SERVED: readonly Api[] = [produce, fetch, listOffsets, metadata, apiVersions, initProducerId];

/** Answers an API that the cluster itself does not know; a promise answers later. */
export type FakeHandler = (
  request: unknown,
  context: { readonly node: number; readonly error: ErrorName | null; readonly version: number },
) => unknown;

export interface FakeTopic {
  readonly id: string;
  readonly partitions: FakePartition[];
}

/** A cluster of a few brokers in memory, as much as producers and consumers can see of one. Time and network are simulated. */
export class FakeCluster {
  readonly scheduler = new Scheduler();
  readonly network: SimulatedNetwork;
  readonly environment: SimulatedEnvironment;
  readonly topics = new Map<string, FakeTopic>();
  readonly nodes: readonly number[];
  /** The newest version that is told of each API, where it is not ours. */
  readonly maxVersions = new Map<number, number>();
  /** Every request that came: API key and version. */
  readonly seen: { readonly apiKey: number; readonly version: number; readonly node: number; readonly request: unknown }[] = [];
  plan: FaultPlan = () => null;
  /** What else is answered, by API key. */
  readonly handlers = new Map<number, FakeHandler>();
  #nextProducerId = 1000;
  readonly #silent = new Set<Socket>();
  /** Resolves when the last answer of a connection is written. */
  readonly #unanswered = new Map<Socket, Promise<void>>();

  constructor(options: { readonly seed?: number; readonly nodes?: readonly number[]; readonly isFragmenting?: boolean } = {}) {
    const random = new SimulatedRandom(options.seed ?? 1);
    this.network = new SimulatedNetwork(this.scheduler, random, {
      delayMs: [0, 3],
      isFragmenting: options.isFragmenting ?? false,
    });
    this.environment = simulatedEnvironment({
      seed: options.seed ?? 1,
      clock: new SimulatedClock(this.scheduler),
      network: this.network.host('client'),
    });
    this.nodes = options.nodes ?? [1];
  }

  static async start(options: ConstructorParameters<typeof FakeCluster>[0] = {}): Promise<FakeCluster> {
    const cluster = new FakeCluster(options);
    for (const node of cluster.nodes) {
      await cluster.network
        .host(`b${node}`)
        .listen({ host: '', port: 9092 }, { accept: (socket) => cluster.#serve(socket, node) });
    }
    return cluster;
  }

  get endpoints(): Endpoint[] {
    return this.nodes.map((node) => ({ host: `b${node}`, port: 9092 }));
  }

  client(options: Partial<ClientOptions> = {}): Client {
    const bootstrapServers = this.endpoints.map(({ host, port }) => `${host}:${port}`).join();
    return new Client(this.environment, { bootstrapServers, ...options });
  }

  addTopic(name: string, partitions: number): FakeTopic {
    const id = Buffer.alloc(16, this.topics.size + 1).toString('base64url');
    const topic = {
      id,
      partitions: Array.from({ length: partitions }, (_, index) => new FakePartition(this.nodes[index % this.nodes.length] ?? 1)),
    };
    this.topics.set(name, topic);
    return topic;
  }

  partition(name: string, partition: number): FakePartition {
    return this.topics.get(name)?.partitions[partition] ?? assert.fail(`no partition ${name}-${partition}`);
  }

  resolve<T>(promise: Promise<T>, limitMs = 600_000): Promise<T> {
    return this.scheduler.resolve(promise, limitMs);
  }

  #serve(socket: Socket, node: number): void {
    const splitter = new FrameSplitter(1 << 28);
    socket.start({
      data: (chunk) => {
        splitter.push(chunk);
        for (let frame = splitter.next(); frame !== null; frame = splitter.next()) this.#request(socket, node, frame);
      },
      ended: () => socket.end(),
      drained: () => undefined,
      closed: () => undefined,
    });
  }

  #request(socket: Socket, node: number, frame: Buffer): void {
    const header = decodeRequestHeader(frame);
    const api = apiByKey(header.apiKey) ?? assert.fail(`no API ${header.apiKey}`);
    const known = this.maxVersions.get(api.key) ?? api.maxVersion;
    if (api === apiVersions && header.apiVersion > known) {
      const apiKeys = [{ apiKey: api.key, minVersion: api.minVersion, maxVersion: known }];
      socket.write(encodeResponse(apiVersions, 0, header.correlationId, { errorCode: codeOf('UNSUPPORTED_VERSION'), apiKeys }));
      return;
    }
    const request: unknown = decode(api.request, header.apiVersion, frame.subarray(header.bodyOffset));
    this.seen.push({ apiKey: api.key, version: header.apiVersion, node, request });
    const fault = this.plan(api.key, node);
    // Answers keep the order of requests: after one that is never answered no other can be.
    if (fault === 'silent') this.#silent.add(socket);
    if (this.#silent.has(socket)) return;
    if (fault === 'refused') {
      socket.destroy();
      return;
    }
    const answer = this.#answer(api, request, {
      node,
      error: fault === 'lost' || fault === 'silent' ? null : fault,
      version: header.apiVersion,
    });
    if (fault === 'lost') {
      socket.destroy();
      return;
    }
    const write = (ready: unknown): void => {
      if (ready !== null) socket.write(encodeResponse(api, header.apiVersion, header.correlationId, ready as never));
    };
    const before = this.#unanswered.get(socket);
    if (before === undefined && !(answer instanceof Promise)) {
      write(answer);
      return;
    }
    // As at a broker, an answer waits for those to the requests before it.
    const written = Promise.all([answer, before]).then(([ready]) => {
      write(ready);
      if (this.#unanswered.get(socket) === written) this.#unanswered.delete(socket);
    });
    this.#unanswered.set(socket, written);
  }

  #answer(api: Api, request: unknown, context: { node: number; error: ErrorName | null; version: number }): unknown {
    switch (api.key) {
      case produce.key:
        return this.#produce(request as RequestOf<typeof produce>, context);
      case fetch.key:
        return this.#fetch(request as RequestOf<typeof fetch>, context);
      case listOffsets.key:
        return this.#listOffsets(request as RequestOf<typeof listOffsets>, context);
      case metadata.key:
        return this.#metadata(request as RequestOf<typeof metadata>);
      case apiVersions.key:
        return {
          apiKeys: this.#served.map(({ key, minVersion, maxVersion }) => ({
            apiKey: key,
            minVersion,
            maxVersion: this.maxVersions.get(key) ?? maxVersion,
          })),
        };
      default:
        return (
          this.handlers.get(api.key)?.(request, context) ?? { errorCode: 0, producerId: this.#nextProducerId++, producerEpoch: 0 }
        );
    }
  }

  get #served(): readonly Api[] {
    return [...SERVED, ...[...this.handlers.keys()].flatMap((key) => apiByKey(key) ?? [])];
  }

  #metadata(request: RequestOf<typeof metadata>): ResponseInput<typeof metadata> {
    const names =
      request.topics === null
        ? [...this.topics.keys()]
        : request.topics.map((topic) => topic.name ?? this.#topic('', topic.topicId)[0]);
    return {
      brokers: this.nodes.map((node) => ({ nodeId: node, host: `b${node}`, port: 9092 })),
      clusterId: 'fake',
      controllerId: this.nodes[0] ?? 1,
      topics: names.map((name) => {
        const topic = this.topics.get(name);
        if (topic === undefined)
          return { errorCode: codeOf('UNKNOWN_TOPIC_OR_PARTITION'), name, topicId: 'AAAAAAAAAAAAAAAAAAAAAA', partitions: [] };
        return { name, topicId: topic.id, partitions: topic.partitions.map((partition, index) => partition.metadata(index)) };
      }),
    };
  }

  #topic(name: string, id: string): [string, FakeTopic | undefined] {
    const byId = [...this.topics].find(([, topic]) => topic.id === id);
    return name === '' ? (byId ?? ['', undefined]) : [name, this.topics.get(name)];
  }

  #produce(request: RequestOf<typeof produce>, { node, error }: { node: number; error: ErrorName | null }): unknown {
    const responses = request.topicData.map(({ name, topicId, partitionData }) => ({
      name,
      topicId,
      partitionResponses: partitionData.map(({ index, records }) => {
        const partition = this.#topic(name, topicId)[1]?.partitions[index];
        const outcome = error ?? partition?.append(records ?? Buffer.alloc(0), node) ?? 'UNKNOWN_TOPIC_OR_PARTITION';
        if (typeof outcome === 'number') return { index, errorCode: 0, baseOffset: outcome, recordErrors: [] };
        const currentLeader =
          outcome === 'NOT_LEADER_OR_FOLLOWER' && partition !== undefined ? partition.currentLeader : undefined;
        return { index, errorCode: codeOf(outcome), baseOffset: -1, currentLeader, recordErrors: [] };
      }),
    }));
    return request.acks === 0
      ? null
      : { responses, nodeEndpoints: this.nodes.map((nodeId) => ({ nodeId, host: `b${nodeId}`, port: 9092 })) };
  }

  #listOffsets(request: RequestOf<typeof listOffsets>, { node, error }: { node: number; error: ErrorName | null }): unknown {
    return {
      topics: request.topics.map(({ name, partitions }) => ({
        name,
        partitions: partitions.map(({ partitionIndex, timestamp }) => {
          const partition = this.topics.get(name)?.partitions[partitionIndex];
          const failure =
            error ??
            (partition === undefined
              ? 'UNKNOWN_TOPIC_OR_PARTITION'
              : partition.leader === node
                ? null
                : 'NOT_LEADER_OR_FOLLOWER');
          if (failure !== null) return { partitionIndex, errorCode: codeOf(failure) };
          return { partitionIndex, offset: timestamp === -2 ? (partition?.logStartOffset ?? 0) : (partition?.logEndOffset ?? 0) };
        }),
      })),
    };
  }

  /** Without sessions: session id 0, so that each request is a full one. Waits as long as it was told when there is nothing. */
  #fetch(request: RequestOf<typeof fetch>, { node, error }: { node: number; error: ErrorName | null }): unknown {
    const answer = (): ResponseInput<typeof fetch> => ({
      throttleTimeMs: 0,
      responses: request.topics.map(({ topic: name, topicId, partitions }) => ({
        topic: name,
        topicId,
        partitions: partitions.map((asked) => {
          const partition = this.#topic(name, topicId)[1]?.partitions[asked.partition];
          if (partition === undefined)
            return {
              partitionIndex: asked.partition,
              errorCode: codeOf('UNKNOWN_TOPIC_ID'),
              highWatermark: -1,
              abortedTransactions: null,
              records: null,
            };
          return {
            partitionIndex: asked.partition,
            ...partition.read(asked.fetchOffset, { node, error, maxBytes: asked.partitionMaxBytes }),
          };
        }),
      })),
    });
    const first = answer();
    const isEmpty = first.responses.every((topic) =>
      topic.partitions.every(
        ({ errorCode, records }) => (errorCode ?? 0) === 0 && (records === null || (records as Buffer).length === 0),
      ),
    );
    if (!isEmpty) return first;
    return new Promise((resolve) => this.scheduler.after(request.maxWaitMs, () => resolve(answer())));
  }
}
