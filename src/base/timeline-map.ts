import { assert } from './assert.ts';

/** A point in time of a `Timeline`: in practice an offset of the log that the state is replayed from. */
export type TimelineEpoch = number;

/** The epoch of the current state, for whoever looks at either. */
export const LATEST: TimelineEpoch = Infinity;

interface Layer {
  readonly epoch: TimelineEpoch;
  /** What the newer changes replaced: the values at this epoch of all keys that have changed since; `undefined` for none. */
  readonly replaced: Map<unknown, Map<unknown, unknown>>;
}

/**
 * The common past of some maps. `snapshot(epoch)` marks the state of all of them; later it can be read, or gone back to, until it is forgotten.
 * The state itself is in plain maps; a snapshot costs only what has changed since, so that marking every written offset is cheap.
 *
 * State machines use it to answer from what is committed while they decide on what is written: snapshot at each written offset, `forgetBefore` the
 * committed one, `revertTo` it when the writes are lost.
 */
export class Timeline {
  /** In the order of their epochs. */
  readonly #layers: Layer[] = [];

  /** Marks the current state. Epochs must grow; marking the newest again changes nothing. */
  snapshot(epoch: TimelineEpoch): void {
    const newest = this.#layers.at(-1);
    if (newest?.epoch === epoch) return;
    assert(newest === undefined || newest.epoch < epoch, 'a timeline goes forward');
    this.#layers.push({ epoch, replaced: new Map() });
  }

  hasSnapshot(epoch: TimelineEpoch): boolean {
    return this.#layers.some((layer) => layer.epoch === epoch);
  }

  /** Goes back to the state at a snapshot, which stays; newer ones are gone. */
  revertTo(epoch: TimelineEpoch): void {
    const at = this.#indexOf(epoch);
    for (let index = this.#layers.length - 1; index >= at; index--) {
      for (const [target, replaced] of this.#layers[index]?.replaced ?? []) {
        const map = target as Map<unknown, unknown>;
        for (const [key, value] of replaced) {
          if (value === undefined) map.delete(key);
          else map.set(key, value);
        }
      }
    }
    this.#layers.splice(at);
    this.snapshot(epoch);
  }

  /** Lets go of the snapshots before `epoch`. */
  forgetBefore(epoch: TimelineEpoch): void {
    const at = this.#layers.findIndex((layer) => layer.epoch >= epoch);
    this.#layers.splice(0, at < 0 ? this.#layers.length : at);
  }

  /** To be called before a value changes. Only the first change after a snapshot is of interest to it. */
  willChange(map: Map<unknown, unknown>, key: unknown): void {
    const newest = this.#layers.at(-1);
    if (newest === undefined) return;
    let replaced = newest.replaced.get(map);
    if (replaced === undefined) newest.replaced.set(map, (replaced = new Map()));
    if (!replaced.has(key)) replaced.set(key, map.get(key));
  }

  /** The value that a key had at a snapshot. */
  valueAt(map: ReadonlyMap<unknown, unknown>, key: unknown, epoch: TimelineEpoch): unknown {
    for (let index = this.#indexOf(epoch); index < this.#layers.length; index++) {
      const replaced = this.#layers[index]?.replaced.get(map);
      if (replaced?.has(key) === true) return replaced.get(key);
    }
    return map.get(key);
  }

  /** All keys that exist now or existed at a snapshot. */
  keysSince(map: ReadonlyMap<unknown, unknown>, epoch: TimelineEpoch): Set<unknown> {
    const keys = new Set(map.keys());
    for (let index = this.#indexOf(epoch); index < this.#layers.length; index++) {
      for (const key of this.#layers[index]?.replaced.get(map)?.keys() ?? []) keys.add(key);
    }
    return keys;
  }

  #indexOf(epoch: TimelineEpoch): number {
    if (epoch === LATEST) return this.#layers.length;
    const at = this.#layers.findIndex((layer) => layer.epoch === epoch);
    assert(at >= 0, `there is a snapshot at ${epoch}`);
    return at;
  }
}

/** A map with a past. Values are never `undefined`, and never changed in place: a changed value is another value. */
export class TimelineMap<K, V extends {} | null> {
  readonly #timeline: Timeline;
  readonly #entries = new Map<K, V>();

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: K): V | undefined {
    return this.#entries.get(key);
  }

  has(key: K): boolean {
    return this.#entries.has(key);
  }

  set(key: K, value: V): void {
    this.#timeline.willChange(this.#entries, key);
    this.#entries.set(key, value);
  }

  delete(key: K): boolean {
    if (!this.#entries.has(key)) return false;
    this.#timeline.willChange(this.#entries, key);
    return this.#entries.delete(key);
  }

  /** The current entries. */
  entries(): IterableIterator<[K, V]> {
    return this.#entries.entries();
  }

  keys(): IterableIterator<K> {
    return this.#entries.keys();
  }

  values(): IterableIterator<V> {
    return this.#entries.values();
  }

  [Symbol.iterator](): IterableIterator<[K, V]> {
    return this.entries();
  }

  /** The value at a snapshot of the timeline that has not been forgotten. */
  getAt(key: K, epoch: TimelineEpoch): V | undefined {
    return this.#timeline.valueAt(this.#entries, key, epoch) as V | undefined;
  }

  /** The entries at a snapshot. */
  *entriesAt(epoch: TimelineEpoch): Generator<[K, V]> {
    for (const key of this.#timeline.keysSince(this.#entries, epoch)) {
      const value = this.getAt(key as K, epoch);
      if (value !== undefined) yield [key as K, value];
    }
  }
}
