/**
 * Throws when an invariant of this program does not hold. A failed assertion is a bug of ours, never a peer's fault: bad input
 * is told with a KafkaError, bad disks with a StorageError.
 */
export class AssertionFailure extends Error {
  override readonly name = 'AssertionFailure';
}

/** States one fact. Stays on in production. */
export function assert(condition: boolean, fact: string): asserts condition {
  if (!condition) throw new AssertionFailure(fact);
}

/** The default of a switch over a union: a new member that no case handles does not compile. */
export function unreachable(value: never): never {
  throw new AssertionFailure(`unreachable: ${String(value)}`);
}
