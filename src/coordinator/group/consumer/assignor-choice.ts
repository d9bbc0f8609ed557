import type { PartitionAssignor } from '../assignors/partition-assignor.ts';
import { consumerAssignors } from '../assignors/consumer-assignors.ts';
import type { ConsumerGroup } from './consumer-group.ts';
import type { MemberChange } from './group-epoch.ts';
import { count } from './subscription-count.ts';

/** Kafka takes the names of its classes as well. */
const CLASS_NAMES: ReadonlyMap<string, string> = new Map([
  ['org.apache.kafka.coordinator.group.assignor.UniformAssignor', 'uniform'],
  ['org.apache.kafka.coordinator.group.assignor.RangeAssignor', 'range'],
]);

/** The assignors of `group.consumer.assignors`, in its order; all that there are where it names none of them. */
export function configuredAssignors(names: readonly string[]): ReadonlyMap<string, PartitionAssignor> {
  const configured = new Map<string, PartitionAssignor>();
  for (const given of names) {
    const name = CLASS_NAMES.get(given) ?? given;
    const assignor = consumerAssignors.get(name);
    if (assignor !== undefined) configured.set(name, assignor);
  }
  return configured.size > 0 ? configured : consumerAssignors;
}

/** The assignor that most members ask for, or null where none asks. Of two the one that comes first in a Java hash table. */
export function askedAssignor(members: ReadonlyMap<string, number>): string | null {
  let asked: string | null = null;
  let most = 0;
  for (const name of new Set([...consumerAssignors.keys(), ...members.keys()])) {
    const askedBy = members.get(name) ?? 0;
    if (askedBy <= most) continue;
    asked = name;
    most = askedBy;
  }
  return asked;
}

/** The same after a change of a member. */
export function askedAssignorAfter(group: ConsumerGroup, { before, after }: MemberChange): string | null {
  const members = group.copyOfServerAssignors();
  if (before.serverAssignor !== after.serverAssignor) {
    if (before.serverAssignor !== null) count(members, before.serverAssignor, -1);
    if (after.serverAssignor !== null) count(members, after.serverAssignor, 1);
  }
  return askedAssignor(members);
}

export const defaultAssignor = (assignors: ReadonlyMap<string, PartitionAssignor>): string => assignors.keys().next().value ?? '';
