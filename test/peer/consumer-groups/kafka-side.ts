import { createTopics } from '../../../src/protocol/messages/19-create-topics.ts';
import { deleteTopics } from '../../../src/protocol/messages/20-delete-topics.ts';
import { createPartitions } from '../../../src/protocol/messages/37-create-partitions.ts';
import { incrementalAlterConfigs } from '../../../src/protocol/messages/44-incremental-alter-configs.ts';
import { consumerGroupHeartbeat } from '../../../src/protocol/messages/68-consumer-group-heartbeat.ts';
import { findCoordinator } from '../../../src/protocol/messages/10-find-coordinator.ts';
import type { Api, RequestInput, ResponseOf } from '../../../src/protocol/schema.ts';
import { WireClient } from '../../conformance/wire-client.ts';
import type { Side } from '../../coordinator/group/consumer/talk/side.ts';

/** A resource of type GROUP. */
const GROUP = 32;
/** What a broker takes to tell its coordinators of configs. */
const PUBLISHING_MS = 1000;
/** What a request takes to come to wait. */
const SENDING_MS = 200;
const PROBING_MS = 20;

/** What ids of groups begin with that are made to see what is known of topics. */
export const PROBE = 'probe-';

/** A broker that is asked over its socket. */
export class KafkaSide implements Side {
  readonly #port: number;
  readonly #delay: (ms: number) => Promise<void>;
  #probes = 0;
  readonly #clients = new Map<string, WireClient>();

  constructor(port: number, delay: (ms: number) => Promise<void>) {
    this.#port = port;
    this.#delay = delay;
  }

  /** Waits until groups are served. */
  async begin(): Promise<void> {
    await this.ask('begin', findCoordinator, 4, { keyType: 0, coordinatorKeys: ['begin'] });
    for (;;) {
      const { errorCode } = await this.ask('begin', consumerGroupHeartbeat, 0, {
        groupId: 'begin',
        memberId: 'm',
        memberEpoch: -1,
      });
      if (errorCode === 69) return;
      await this.#delay(PROBING_MS);
    }
  }

  async createTopic(name: string, partitions: number): Promise<string> {
    const topics = [{ name, numPartitions: partitions, replicationFactor: 1, assignments: [], configs: [] }];
    const { topics: created } = await this.ask('admin', createTopics, 7, { topics, timeoutMs: 30_000 });
    if (created[0]?.errorCode !== 0) throw new Error(`${name} was not made: ${created[0]?.errorMessage}`);
    await this.#until(name, partitions);
    return created[0].topicId;
  }

  async growTopic(name: string, partitions: number): Promise<void> {
    await this.ask('admin', createPartitions, 3, {
      topics: [{ name, count: partitions, assignments: null }],
      timeoutMs: 30_000,
      validateOnly: false,
    });
    await this.#until(name, partitions);
  }

  async deleteTopic(name: string): Promise<void> {
    await this.ask('admin', deleteTopics, 6, { topics: [{ name, topicId: 'AAAAAAAAAAAAAAAAAAAAAA' }], timeoutMs: 30_000 });
    await this.#until(name, 0);
  }

  async configureGroup(groupId: string, configs: Readonly<Record<string, string>>): Promise<void> {
    const entries = Object.entries(configs).map(([name, value]) => ({ name, configOperation: 0, value }));
    const resources = [{ resourceType: GROUP, resourceName: groupId, configs: entries }];
    const { responses } = await this.ask('admin', incrementalAlterConfigs, 1, { resources, validateOnly: false });
    if (responses[0]?.errorCode !== 0) throw new Error(`${groupId} was not configured: ${responses[0]?.errorMessage}`);
    await this.#delay(PUBLISHING_MS);
  }

  wait(ms: number): Promise<void> {
    return this.#delay(ms);
  }

  async send<A extends Api>(connection: string, api: A, version: number, request: RequestInput<A>) {
    const answer = this.ask(connection, api, version, request);
    // It is awaited later: meanwhile its failure is nobody's.
    answer.catch(() => undefined);
    await this.#delay(SENDING_MS);
    return { answer };
  }

  receive<Answer>({ answer }: { readonly answer: Promise<Answer> }): Promise<Answer> {
    return answer;
  }

  async ask<A extends Api>(connection: string, api: A, version: number, request: RequestInput<A>): Promise<ResponseOf<A>> {
    let client = this.#clients.get(connection);
    if (client === undefined) this.#clients.set(connection, (client = await WireClient.open(this.#port)));
    return client.ask(api, version, request);
  }

  close(): void {
    for (const client of this.#clients.values()) client.close();
    this.#clients.clear();
  }

  /** Until its group coordinator knows that the topic has so many partitions: a group that is made for it is given as many. */
  async #until(name: string, partitions: number): Promise<void> {
    for (;;) {
      const probe = { groupId: `${PROBE}${this.#probes++}`, memberId: 'probe' };
      const { errorCode, assignment } = await this.ask('admin', consumerGroupHeartbeat, 1, {
        ...probe,
        memberEpoch: 0,
        rebalanceTimeoutMs: 10_000,
        subscribedTopicNames: [name],
        topicPartitions: [],
      });
      if (errorCode !== 0) throw new Error(`no topic can be looked for: ${errorCode}`);
      await this.ask('admin', consumerGroupHeartbeat, 1, { ...probe, memberEpoch: -1 });
      const known = assignment?.topicPartitions[0]?.partitions.length ?? 0;
      if (known === partitions) return;
      await this.#delay(PROBING_MS);
    }
  }
}
