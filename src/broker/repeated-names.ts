import { KafkaError } from '../protocol/errors.ts';

/** Parts, such as members or offsets, of what an answer tells again because a request names it again. No client does. */
export const REPEATED_PARTS_MAX = 100_000;

/**
 * Tells what is known by name in the order of the names. A name takes a few bytes of a request, and stands for as many members or offsets as somebody likes to have: so each is to
 * be looked at once, and told again only where that is little. Throws INVALID_REQUEST otherwise.
 */
export function inOrderOfNames<Told>(
  names: readonly string[],
  told: ReadonlyMap<string, Told>,
  partsOf: (told: Told) => number,
): Told[] {
  const seen = new Set<string>();
  let repeatedParts = 0;
  return names.flatMap((name) => {
    const one = told.get(name);
    if (one === undefined) return [];
    if (seen.has(name)) repeatedParts += partsOf(one);
    seen.add(name);
    if (repeatedParts > REPEATED_PARTS_MAX)
      throw new KafkaError('INVALID_REQUEST', 'The request names the same things too often.');
    return [one];
  });
}
