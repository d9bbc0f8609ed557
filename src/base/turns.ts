import type { Clock, Millis } from './clock.ts';

/** How long the parts of one request are answered before others have their turn. */
const TURN_MS: Millis = 10;

/**
 * Maps the parts of a request in order. One with many parts, or with dear ones, is answered in turns with the requests of others, so that nobody waits for
 * all of it; what is asked of the node meanwhile may have changed between two parts. A part whose result is promised is waited for before the next one. Gives the
 * results at once where one turn is enough.
 */
export function mapInTurns<Item, Result>(
  clock: Clock,
  items: readonly Item[],
  map: (item: Item) => Result | Promise<Result>,
): Result[] | Promise<Result[]> {
  const results: Result[] = [];
  /** Gives what is to be waited for; null at the end. */
  const takeTurn = (): Promise<void> | null => {
    const end = clock.monotonic() + TURN_MS;
    for (let at = results.length; at < items.length; at++) {
      const result = map(items[at] as Item);
      if (result instanceof Promise) return result.then((settled) => void results.push(settled));
      results.push(result);
      if (clock.monotonic() >= end) break;
    }
    return results.length === items.length ? null : nextTurn(clock);
  };
  const first = takeTurn();
  return first === null ? results : inFurtherTurns(first, takeTurn).then(() => results);
}

async function inFurtherTurns(first: Promise<void>, takeTurn: () => Promise<void> | null): Promise<void> {
  for (let next: Promise<void> | null = first; next !== null; next = takeTurn()) await next;
}

const nextTurn = (clock: Clock): Promise<void> => new Promise((resolve) => clock.defer(resolve));

/** The turns of a loop that looks whether its own is over. */
export class Turns {
  readonly #clock: Clock;
  #end: Millis;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#end = clock.monotonic() + TURN_MS;
  }

  get isOver(): boolean {
    return this.#clock.monotonic() >= this.#end;
  }

  /** Lets the others have theirs. */
  async next(): Promise<void> {
    await nextTurn(this.#clock);
    this.#end = this.#clock.monotonic() + TURN_MS;
  }
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
  map: (group: Group, item: Item) => Result | Promise<Result>,
): Result[][] | Promise<Result[][]> {
  const items = groups.flatMap((group) => itemsOf(group).map((item) => ({ group, item })));
  const results = mapInTurns<{ group: Group; item: Item }, Result>(clock, items, ({ group, item }) => map(group, item));
  return whenThere(results, (all) => {
    let at = 0;
    return groups.map((group) => all.slice(at, (at += itemsOf(group).length)));
  });
}

/** Gives on what comes, and lets others have their turn whenever what was made of it has taken 10 ms. */
export async function* takeTurns<Item>(clock: Clock, items: AsyncIterable<Item>): AsyncGenerator<Item> {
  let end = clock.monotonic() + TURN_MS;
  for await (const item of items) {
    yield item;
    if (clock.monotonic() < end) continue;
    await nextTurn(clock);
    end = clock.monotonic() + TURN_MS;
  }
}
