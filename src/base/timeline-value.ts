import { type Timeline, type TimelineEpoch, TimelineMap } from './timeline-map.ts';

/** One value with a past. Never `undefined`, and never changed in place: a changed value is another value. */
export class TimelineValue<V extends {} | null> {
  readonly #initial: V;
  readonly #entry: TimelineMap<'value', V>;

  constructor(timeline: Timeline, initial: V) {
    this.#initial = initial;
    this.#entry = new TimelineMap(timeline);
  }

  get(): V {
    const value = this.#entry.get('value');
    return value === undefined ? this.#initial : value;
  }

  set(value: V): void {
    this.#entry.set('value', value);
  }

  /** The value at a snapshot of the timeline that has not been forgotten. */
  getAt(epoch: TimelineEpoch): V {
    const value = this.#entry.getAt('value', epoch);
    return value === undefined ? this.#initial : value;
  }
}
