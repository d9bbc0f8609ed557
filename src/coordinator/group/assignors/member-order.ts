import { javaHashCode } from '../../../base/bytes/murmur2.ts';
import { JavaHashMap } from './java-hash-map.ts';
import type { AssignorMember } from './partition-assignor.ts';

/** The order in which Kafka's coordinator has the members of a group when it makes an assignment. */
export function inHashOrder(members: readonly AssignorMember[]): readonly AssignorMember[] {
  const map = new JavaHashMap<string, AssignorMember>(javaHashCode);
  for (const member of members) map.set(member.memberId, member);
  return [...map.entries()].map(([, member]) => member);
}
