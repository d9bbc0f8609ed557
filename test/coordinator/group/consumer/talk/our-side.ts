import { ZERO_UUID } from '../../../../../src/base/uuid.ts';
import { metadataRecord } from '../../../../../src/metadata/metadata-record.ts';
import type { Api, RequestInput, ResponseOf } from '../../../../../src/protocol/schema.ts';
import { BROKER_ID, TestBroker } from '../../../../broker/test-broker.ts';
import { simulatedEnvironment } from '../../../../../simulation/simulated-environment.ts';
import { SimulatedRandom } from '../../../../../simulation/simulated-random.ts';
import type { Side } from './side.ts';

class GivenRandom extends SimulatedRandom {
  given: Uint8Array[] = [];

  override bytes(count: number): Uint8Array {
    return this.given.shift() ?? super.bytes(count);
  }
}

/** This program's broker, over a simulated clock. */
export class OurSide implements Side {
  readonly broker: TestBroker;
  readonly #random: GivenRandom;

  private constructor(broker: TestBroker, random: GivenRandom) {
    this.broker = broker;
    this.#random = random;
  }

  static async start(properties: Readonly<Record<string, string>> = {}): Promise<OurSide> {
    const random = new GivenRandom(1);
    const environment = { ...simulatedEnvironment(), random };
    const broker = await TestBroker.start({
      environment,
      properties: { 'group.initial.rebalance.delay.ms': '0', ...properties },
    });
    broker.apply(metadataRecord('FeatureLevelRecord', 0, { name: 'group.version', featureLevel: 1 }));
    broker.createTopic('__consumer_offsets', { partitions: 1, configs: { 'cleanup.policy': 'compact' } });
    await broker.settle();
    return new OurSide(broker, random);
  }

  /** The next ids that are made are these. */
  makeIds(ids: readonly Uint8Array[]): void {
    this.#random.given = [...ids];
  }

  async createTopic(name: string, partitions: number, id?: string): Promise<string> {
    const created = this.broker.createTopic(name, { partitions, ...(id === undefined ? {} : { topicId: id }) });
    await this.broker.settle();
    return created;
  }

  async growTopic(name: string, partitions: number): Promise<void> {
    const topicId = this.broker.topicId(name);
    const from = this.broker.metadata.image.topics.byName.get(name)?.partitions.length ?? 0;
    const added = Array.from({ length: partitions - from }, (_, index) =>
      metadataRecord('PartitionRecord', 1, {
        partitionId: from + index,
        topicId,
        replicas: [BROKER_ID],
        isr: [BROKER_ID],
        removingReplicas: [],
        addingReplicas: [],
        leader: BROKER_ID,
        leaderEpoch: 0,
        partitionEpoch: 0,
        directories: [ZERO_UUID],
      }),
    );
    this.broker.apply(...added);
    await this.broker.settle();
  }

  async deleteTopic(name: string): Promise<void> {
    this.broker.deleteTopic(name);
    await this.broker.settle();
  }

  async configureGroup(groupId: string, configs: Readonly<Record<string, string>>): Promise<void> {
    this.broker.configs.replace({ type: 'group', name: groupId }, new Map(Object.entries(configs)));
  }

  wait(ms: number): Promise<void> {
    return this.broker.advance(ms);
  }

  ask<A extends Api>(_connection: string, api: A, version: number, request: RequestInput<A>): Promise<ResponseOf<A>> {
    return this.#until(this.broker.call(api, version, request, { clientId: 'probe' }));
  }

  async send<A extends Api>(_connection: string, api: A, version: number, request: RequestInput<A>) {
    const answer = this.broker.call(api, version, request, { clientId: 'probe' });
    await this.broker.settle();
    return { answer };
  }

  receive<Answer>({ answer }: { readonly answer: Promise<Answer> }): Promise<Answer> {
    return this.#until(answer);
  }

  /** Lets time pass until it has come. */
  #until<Answer>(answer: Promise<Answer>): Promise<Answer> {
    return this.broker.environment.clock.scheduler.resolve(answer);
  }
}
