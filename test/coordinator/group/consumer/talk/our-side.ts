import { ZERO_UUID } from '../../../../../src/base/uuid.ts';
import { metadataRecord } from '../../../../../src/metadata/metadata-record.ts';
import type { Api, RequestInput, ResponseOf } from '../../../../../src/protocol/schema.ts';
import { BROKER_ID, TestBroker } from '../../../../broker/test-broker.ts';
import type { Side } from './side.ts';

/** This program's broker, over a simulated clock. */
export class OurSide implements Side {
  readonly broker: TestBroker;

  private constructor(broker: TestBroker) {
    this.broker = broker;
  }

  static async start(properties: Readonly<Record<string, string>> = {}): Promise<OurSide> {
    const broker = await TestBroker.start({ properties: { 'group.initial.rebalance.delay.ms': '0', ...properties } });
    broker.apply(metadataRecord('FeatureLevelRecord', 0, { name: 'group.version', featureLevel: 1 }));
    broker.createTopic('__consumer_offsets', { partitions: 1, configs: { 'cleanup.policy': 'compact' } });
    await broker.settle();
    return new OurSide(broker);
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
    return this.broker.environment.clock.scheduler.resolve(this.broker.call(api, version, request, { clientId: 'probe' }));
  }

  settle(): Promise<void> {
    return this.broker.settle();
  }
}
