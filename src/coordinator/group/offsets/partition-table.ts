import { type Timeline, type TimelineEpoch, TimelineMap } from '../../../base/timeline-map.ts';

export type ByPartition<Value extends {}> = TimelineMap<number, Value>;
export type ByTopic<Value extends {}> = TimelineMap<string, ByPartition<Value>>;

/** Something for partitions of topics, for each group, with a past. There is no entry for a group or a topic without partitions. */
export class PartitionTable<Value extends {}> {
  readonly #timeline: Timeline;
  readonly #groups: TimelineMap<string, ByTopic<Value>>;

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
    this.#groups = new TimelineMap(timeline);
  }

  get(group: string, topic: string, partition: number): Value | undefined {
    return this.#groups.get(group)?.get(topic)?.get(partition);
  }

  ofGroup(group: string): ByTopic<Value> | undefined {
    return this.#groups.get(group);
  }

  ofGroupAt(group: string, epoch: TimelineEpoch): ByTopic<Value> | undefined {
    return this.#groups.getAt(group, epoch);
  }

  groups(): IterableIterator<[string, ByTopic<Value>]> {
    return this.#groups.entries();
  }

  set(group: string, topic: string, partition: number, value: Value): void {
    let byTopic = this.#groups.get(group);
    if (byTopic === undefined) this.#groups.set(group, (byTopic = new TimelineMap(this.#timeline)));
    let byPartition = byTopic.get(topic);
    if (byPartition === undefined) byTopic.set(topic, (byPartition = new TimelineMap(this.#timeline)));
    byPartition.set(partition, value);
  }

  delete(group: string, topic: string, partition: number): void {
    const byTopic = this.#groups.get(group);
    const byPartition = byTopic?.get(topic);
    if (byTopic === undefined || byPartition === undefined) return;
    byPartition.delete(partition);
    if (byPartition.size === 0) byTopic.delete(topic);
    if (byTopic.size === 0) this.#groups.delete(group);
  }
}

/** Everything that a table has of one group. */
export function* entriesOf<Value extends {}>(byTopic: ByTopic<Value> | undefined): Generator<[string, number, Value]> {
  for (const [topic, byPartition] of byTopic ?? []) {
    for (const [partition, value] of byPartition) yield [topic, partition, value];
  }
}
