import type { Environment } from '../base/environment.ts';
import type { TimerQueue } from '../base/timer-queue.ts';
import type { BrokerChannel } from '../broker/broker-channel.ts';
import { MarkerSender } from '../broker/marker-sender.ts';
import { TransactionVerifier } from '../broker/transaction-verifier.ts';
import type { ConfigStore } from '../config/config-store.ts';
import { GROUP_TOPIC, GroupCoordinator } from '../coordinator/group/group-coordinator.ts';
import { TRANSACTION_TOPIC, TransactionCoordinator } from '../coordinator/transaction/transaction-coordinator.ts';
import type { MetadataDelta } from '../metadata/metadata-delta.ts';
import type { MetadataImage } from '../metadata/metadata-image.ts';
import { CODECS } from '../protocol/compression/codec.ts';
import type { ReplicaManager } from '../replication/replica-manager.ts';
import { CoordinatorLog } from './coordinator-log.ts';

export interface CoordinatorsOptions {
  readonly brokerId: number;
  readonly configs: ConfigStore;
  readonly timers: TimerQueue;
  readonly metadata: () => MetadataImage;
  readonly replicaManager: ReplicaManager;
  /** The way to the brokers that lead the partitions of a transaction. */
  readonly channel: BrokerChannel;
  readonly newProducerId: () => Promise<number>;
}

/** Serves the partitions of one internal topic. */
interface Coordinator {
  becomeLeader(partition: number, leaderEpoch: number): Promise<void>;
  resign(partition: number): void;
  metadataChanged(delta: MetadataDelta, image: MetadataImage): void;
  close(): void;
}

/** The coordinators of a broker: each serves the partitions of its topic that the broker leads. */
export class Coordinators {
  readonly groups: GroupCoordinator;
  readonly transactions: TransactionCoordinator;
  readonly verifier: TransactionVerifier;
  readonly #brokerId: number;
  readonly #byTopic: ReadonlyMap<string, Coordinator>;

  constructor(environment: Environment, options: CoordinatorsOptions) {
    const { configs, timers, metadata, replicaManager } = options;
    this.#brokerId = options.brokerId;
    const parts = { timers, configs, metadata };
    const offsets = new CoordinatorLog({
      topic: GROUP_TOPIC,
      replicaManager,
      compression: () => CODECS[configs.broker()['offsets.topic.compression.codec']] ?? 'none',
      loadBufferBytes: () => configs.broker()['offsets.load.buffer.size'],
    });
    this.groups = new GroupCoordinator(environment, { ...parts, writer: offsets, loader: offsets });
    const transactions = new CoordinatorLog({
      topic: TRANSACTION_TOPIC,
      replicaManager,
      compression: () => 'none',
      loadBufferBytes: () => configs.broker()['transaction.state.log.load.buffer.size'],
    });
    this.transactions = new TransactionCoordinator(environment, {
      ...parts,
      writer: transactions,
      loader: transactions,
      markers: new MarkerSender(environment, { channel: options.channel, metadata }),
      newProducerId: options.newProducerId,
    });
    this.verifier = new TransactionVerifier(environment, {
      channel: options.channel,
      coordinator: this.transactions,
      metadata,
      config: () => configs.broker(),
    });
    this.#byTopic = new Map<string, Coordinator>([
      [GROUP_TOPIC, this.groups],
      [TRANSACTION_TOPIC, this.transactions],
    ]);
  }

  /** To be told after the replicas have acted on the change. */
  metadataChanged(delta: MetadataDelta, image: MetadataImage): void {
    const { deletes = [], leaders = [], followers = [] } = delta.topics?.localChanges(this.#brokerId) ?? {};
    for (const { topic, partition } of [...deletes, ...followers]) this.#byTopic.get(topic)?.resign(partition);
    for (const { topic, partition, registration } of leaders) {
      // What it rejects with is told to the log, and to whoever asks for a group meanwhile.
      void this.#byTopic.get(topic)?.becomeLeader(partition, registration.leaderEpoch);
    }
    for (const coordinator of this.#byTopic.values()) coordinator.metadataChanged(delta, image);
  }

  /** What waits is answered, nothing is served any more. */
  close(): void {
    for (const coordinator of this.#byTopic.values()) coordinator.close();
  }
}
