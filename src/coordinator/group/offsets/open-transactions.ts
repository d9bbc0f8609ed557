import { type Timeline, type TimelineEpoch, TimelineMap } from '../../../base/timeline-map.ts';
import type { CommittedOffset } from './committed-offset.ts';
import { type ByTopic, entriesOf, PartitionTable } from './partition-table.ts';

type Producers = ReadonlySet<number>;

/** Offsets that were committed in transactions which have not ended. They count when theirs is committed; until then, their partitions are unstable. */
export class OpenTransactions {
  readonly #timeline: Timeline;
  /** By producer id. */
  readonly #pending: TimelineMap<number, PartitionTable<CommittedOffset>>;
  /** Whose transactions wait for a partition: there is an entry where, and as long as, there is a pending offset. */
  readonly #open: PartitionTable<Producers>;

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
    this.#pending = new TimelineMap(timeline);
    this.#open = new PartitionTable(timeline);
  }

  hasGroup(group: string): boolean {
    return this.#open.ofGroup(group) !== undefined;
  }

  has(group: string, topic: string, partition: number): boolean {
    return this.#open.get(group, topic, partition) !== undefined;
  }

  /** The unstable partitions of a group. */
  ofGroup(group: string): ByTopic<Producers> | undefined {
    return this.#open.ofGroup(group);
  }

  ofGroupAt(group: string, epoch: TimelineEpoch): ByTopic<Producers> | undefined {
    return this.#open.ofGroupAt(group, epoch);
  }

  /** Everything that is pending, of all groups. */
  *offsets(): Generator<[string, string, number, CommittedOffset]> {
    for (const table of this.#pending.values()) {
      for (const [group, byTopic] of table.groups()) {
        for (const [topic, partition, offset] of entriesOf(byTopic)) yield [group, topic, partition, offset];
      }
    }
  }

  add(producerId: number, [group, topic, partition]: readonly [string, string, number], offset: CommittedOffset): void {
    let table = this.#pending.get(producerId);
    if (table === undefined) this.#pending.set(producerId, (table = new PartitionTable(this.#timeline)));
    table.set(group, topic, partition, offset);
    const producers = this.#open.get(group, topic, partition);
    if (producers?.has(producerId) !== true) this.#open.set(group, topic, partition, new Set(producers ?? []).add(producerId));
  }

  /** Lets go of whatever is pending for a partition. */
  remove(group: string, topic: string, partition: number): void {
    for (const producerId of this.#open.get(group, topic, partition) ?? [])
      this.#pending.get(producerId)?.delete(group, topic, partition);
    this.#open.delete(group, topic, partition);
  }

  /** The transaction has ended: gives what it had pending. */
  end(producerId: number): [string, string, number, CommittedOffset][] {
    const table = this.#pending.get(producerId);
    if (table === undefined) return [];
    this.#pending.delete(producerId);
    const ended: [string, string, number, CommittedOffset][] = [];
    for (const [group, byTopic] of table.groups()) {
      for (const [topic, partition, offset] of entriesOf(byTopic)) ended.push([group, topic, partition, offset]);
    }
    for (const [group, topic, partition] of ended) this.#forget(producerId, group, topic, partition);
    return ended;
  }

  #forget(producerId: number, group: string, topic: string, partition: number): void {
    const others = new Set(this.#open.get(group, topic, partition) ?? []);
    others.delete(producerId);
    if (others.size > 0) this.#open.set(group, topic, partition, others);
    else this.#open.delete(group, topic, partition);
  }
}
