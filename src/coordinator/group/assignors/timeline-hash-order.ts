import { javaHashCode } from '../../../base/bytes/murmur2.ts';
import { assert } from '../../../base/assert.ts';

/** The fractional part of the golden ratio, as 64 bits. */
const GOLDEN_RATIO = 0x9e37_79b9_7f4a_7c15n;

/**
 * Texts in the order of Kafka's TimelineHashMap, into which they were put in the order they have: that is how the coordinator walks over the members
 * of a group. Where bins collide the order also depends on what has left the map since; that is not known here. `largestSize`: how many there were at a time,
 * where values were replaced since they came.
 */
export function timelineHashOrder(keys: readonly string[], largestSize?: number): readonly string[] {
  let slots: string[][] = [[], []];
  for (const [count, key] of keys.entries()) {
    if ((count + 1) * 0.75 > slots.length) slots = rehashed(slots);
    slotOf(slots, key).push(key);
  }
  // It never shrinks, and it grows for one more when a value is replaced.
  for (const full = ((largestSize ?? 0) + 1) * 0.75; full > slots.length; ) slots = rehashed(slots);
  // It takes what is in a slot from the end.
  return slots.flatMap((slot) => slot.toReversed());
}

function rehashed(slots: readonly string[][]): string[][] {
  const doubled = Array.from({ length: 2 * slots.length }, (): string[] => []);
  for (const key of slots.flat()) slotOf(doubled, key).push(key);
  return doubled;
}

function slotOf(slots: string[][], key: string): string[] {
  const shift = BigInt(Math.clz32(slots.length) + 33);
  const slot = slots[Number(BigInt.asUintN(64, BigInt(javaHashCode(key)) * GOLDEN_RATIO) >> shift)];
  assert(slot !== undefined, 'the slot of a key is one of the table');
  return slot;
}
