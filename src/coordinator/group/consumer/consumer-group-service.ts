import type { ConfigStore } from '../../../config/config-store.ts';
import { featureLevel } from '../../../metadata/image/features-image.ts';
import type { MetadataImage } from '../../../metadata/metadata-image.ts';
import { GROUP_VERSION_FEATURE } from '../../../metadata/supported-features.ts';
import { codeOf, KafkaError } from '../../../protocol/errors.ts';
import { coordinatorError } from '../../runtime/coordinator-errors.ts';
import type { GroupCoordinator } from '../group-coordinator.ts';
import { configuredAssignors } from './assignor-choice.ts';
import type { ConsumerClient } from './consumer-group-context.ts';
import type { DescribedConsumerGroup } from './describe-consumer-group.ts';
import type { HeartbeatAnswer, HeartbeatRequest } from './heartbeat.ts';
import { checkHeartbeat } from './heartbeat-checks.ts';

export interface ConsumerGroupServiceOptions {
  readonly coordinator: GroupCoordinator;
  readonly configs: ConfigStore;
  readonly metadata: () => MetadataImage;
}

/** What is asked by the consumer protocol (KIP-848), wherever on this broker the group is kept. */
export class ConsumerGroupService {
  readonly #coordinator: GroupCoordinator;
  readonly #configs: ConfigStore;
  readonly #metadata: () => MetadataImage;

  constructor({ coordinator, configs, metadata }: ConsumerGroupServiceOptions) {
    this.#coordinator = coordinator;
    this.#configs = configs;
    this.#metadata = metadata;
  }

  /** Whether the cluster has agreed on the protocol, and this broker speaks it. */
  get isServed(): boolean {
    const { features } = this.#metadata();
    const protocols = this.#configs.broker()['group.coordinator.rebalance.protocols'];
    return protocols.includes('consumer') && featureLevel(features, GROUP_VERSION_FEATURE) > 0;
  }

  /** Resolves when what follows from the heartbeat is committed. Rejects with the KafkaError that the member is told. */
  async heartbeat(client: ConsumerClient, request: HeartbeatRequest): Promise<HeartbeatAnswer> {
    const assignors = new Set(configuredAssignors(this.#configs.broker()['group.consumer.assignors']).keys());
    checkHeartbeat(request, { apiVersion: client.apiVersion, assignors });
    const partition = this.#coordinator.partitionOf(request.groupId);
    const operation = this.#coordinator.runtime.write(partition, ({ consumer }) => consumer.heartbeat(client, request));
    return operation.catch((error: unknown) => {
      throw coordinatorError(error);
    });
  }

  /** Groups as they are committed. What cannot be told of one is its error. */
  describe(groupId: string): DescribedConsumerGroup {
    if (groupId === '') return refusedDescription(groupId, new KafkaError('INVALID_GROUP_ID'));
    try {
      const partition = this.#coordinator.partitionOf(groupId);
      return this.#coordinator.runtime.read(partition, ({ consumer }, committedOffset) =>
        consumer.describe(groupId, committedOffset),
      );
    } catch (error) {
      return refusedDescription(groupId, coordinatorError(error));
    }
  }
}

/** A group of which nothing is told but why; in words only where that it is not there can have several reasons, as in Kafka. */
export const refusedDescription = (groupId: string, { errorName, message }: KafkaError): DescribedConsumerGroup => ({
  groupId,
  errorCode: codeOf(errorName),
  errorMessage: errorName === 'GROUP_ID_NOT_FOUND' || errorName === 'TOPIC_AUTHORIZATION_FAILED' ? message : null,
  groupState: '',
  groupEpoch: 0,
  assignmentEpoch: 0,
  assignorName: '',
  members: [],
});
