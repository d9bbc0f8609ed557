import { assert } from '../../../base/assert.ts';
import { javaHashCode } from '../../../base/bytes/murmur2.ts';
import { JavaHashMap } from '../assignors/java-hash-map.ts';
import type { ClassicMember, MemberProtocol } from './classic-member.ts';

/** How many members of a group know each protocol. One that a member names twice counts once. */
export class SupportedProtocols {
  readonly #counts = new Map<string, number>();

  add(protocols: readonly MemberProtocol[]): void {
    for (const name of namesOf(protocols)) this.#counts.set(name, this.countOf(name) + 1);
  }

  remove(protocols: readonly MemberProtocol[]): void {
    for (const name of namesOf(protocols)) {
      const count = this.countOf(name) - 1;
      if (count > 0) this.#counts.set(name, count);
      else this.#counts.delete(name);
    }
  }

  countOf(name: string): number {
    return this.#counts.get(name) ?? 0;
  }
}

const namesOf = (protocols: readonly MemberProtocol[]): Set<string> => new Set(protocols.map(({ name }) => name));

/** The protocol that most members prefer among those that all of them know; of several the one that comes first in a Java hash table. */
export function selectProtocol(members: Iterable<ClassicMember>, isKnownToAll: (name: string) => boolean): string {
  const votes = new JavaHashMap<string, number>(javaHashCode);
  for (const { protocols } of members) {
    const vote = protocols.find(({ name }) => isKnownToAll(name));
    if (vote !== undefined) votes.set(vote.name, (votes.get(vote.name) ?? 0) + 1);
  }
  let selected: string | null = null;
  let most = 0;
  for (const [name, count] of votes.entries()) {
    if (count > most) {
      selected = name;
      most = count;
    }
  }
  assert(selected !== null, 'the members of a group know one protocol in common');
  return selected;
}
