import type { Clock, Millis } from './clock.ts';

/** How long the parts of one request are answered before others have their turn. */
const TURN_MS: Millis = 10;

/**
 * Maps the parts of a request in order. One with many parts, or with dear ones, is answered in turns with the requests of others, so that nobody waits for
 * all of it; what is asked of the node meanwhile may have changed between two parts. Gives the results at once where one turn is enough.
 */
export function mapInTurns<Item, Result>(
  clock: Clock,
  items: readonly Item[],
  map: (item: Item) => Result,
): Result[] | Promise<Result[]> {
  const results: Result[] = [];
  const takeTurn = (): boolean => {
    const end = clock.monotonic() + TURN_MS;
    for (let at = results.length; at < items.length; at++) {
      results.push(map(items[at] as Item));
      if (clock.monotonic() >= end) break;
    }
    return results.length === items.length;
  };
  return takeTurn() ? results : inFurtherTurns(clock, takeTurn).then(() => results);
}

async function inFurtherTurns(clock: Clock, takeTurn: () => boolean): Promise<void> {
  do await new Promise<void>((resolve) => clock.defer(resolve));
  while (!takeTurn());
}

/** What is made of results that are there, or will be. */
export function whenThere<Value, Result>(
  value: Value | Promise<Value>,
  make: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(make) : make(value);
}

/** The same for parts that come in groups, as partitions come by topic: gives the results of each group. */
export function mapGroupsInTurns<Group, Item, Result>(
  clock: Clock,
  groups: readonly Group[],
  itemsOf: (group: Group) => readonly Item[],
  map: (group: Group, item: Item) => Result,
): Result[][] | Promise<Result[][]> {
  const items = groups.flatMap((group) => itemsOf(group).map((item) => ({ group, item })));
  const results = mapInTurns(clock, items, ({ group, item }) => map(group, item));
  return whenThere(results, (all) => {
    let at = 0;
    return groups.map((group) => all.slice(at, (at += itemsOf(group).length)));
  });
}
