import type { Metrics } from '../base/metrics.ts';
import type { Partition } from './partition.ts';
import type { ReplicaRegistry } from './replica-registry.ts';

/** The counts of replicas by which operators watch a broker. */
export const registerReplicaGauges = (metrics: Metrics, registry: ReplicaRegistry): void => {
  const count = (name: string, isCounted: (partition: Partition) => boolean): void =>
    metrics.gauge(`kafka.server:type=ReplicaManager,name=${name}`, () => {
      let counted = 0;
      for (const partition of registry) if (isCounted(partition)) counted++;
      return counted;
    });
  metrics.gauge('kafka.server:type=ReplicaManager,name=PartitionCount', () => registry.count);
  count('LeaderCount', ({ isLeader }) => isLeader);
  count('OfflineReplicaCount', ({ log }) => log === null);
  count(
    'UnderReplicatedPartitions',
    ({ isLeader, isr, registration }) => isLeader && isr.length < (registration?.replicas.length ?? 0),
  );
  count('UnderMinIsrPartitionCount', ({ isUnderMinIsr }) => isUnderMinIsr);
  count('AtMinIsrPartitionCount', ({ isLeader, isr, effectiveMinIsr }) => isLeader && isr.length === effectiveMinIsr);
  metrics.gauge('kafka.server:type=ReplicaManager,name=ProducerIdCount', () => {
    let counted = 0;
    for (const { log } of registry) counted += log?.producers.size ?? 0;
    return counted;
  });
};
