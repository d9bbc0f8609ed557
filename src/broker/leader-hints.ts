import type { MetadataImage } from '../metadata/metadata-image.ts';
import type { ReplicaManager } from '../replication/replica-manager.ts';
import { type BrokerNode, nodeOf } from './metadata-view.ts';

/** Where a client that asked the wrong broker finds the leader (KIP-951): collected for one answer. */
export class LeaderHints {
  readonly #image: MetadataImage;
  readonly #replicaManager: ReplicaManager;
  readonly #listenerName: string;
  readonly #nodes = new Map<number, BrokerNode>();

  constructor(options: {
    readonly image: MetadataImage;
    readonly replicaManager: ReplicaManager;
    readonly listenerName: string;
  }) {
    this.#image = options.image;
    this.#replicaManager = options.replicaManager;
    this.#listenerName = options.listenerName;
  }

  /** The leader as the replica here knows it, or else as the cluster does. */
  leaderOf(topicId: string, partition: number): { readonly leaderId: number; readonly leaderEpoch: number } {
    const replica = this.#replicaManager.replica(topicId, partition);
    const registration = replica?.registration ?? this.#image.topics.byId.get(topicId)?.partitions[partition];
    const leader = { leaderId: registration?.leader ?? -1, leaderEpoch: registration?.leaderEpoch ?? -1 };
    const node = nodeOf(this.#image, leader.leaderId, this.#listenerName);
    if (node !== null) this.#nodes.set(node.nodeId, node);
    return leader;
  }

  /** The addresses of the leaders that were named. */
  get nodeEndpoints(): readonly BrokerNode[] {
    return [...this.#nodes.values()];
  }
}
