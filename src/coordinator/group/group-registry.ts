import { TimelineMap, type Timeline, type TimelineEpoch } from '../../base/timeline-map.ts';
import type { Group, GroupType } from './group.ts';

/** The groups of one shard, by id. */
export class GroupRegistry {
  readonly #groups: TimelineMap<string, Group>;

  constructor(timeline: Timeline) {
    this.#groups = new TimelineMap(timeline);
  }

  get size(): number {
    return this.#groups.size;
  }

  get(groupId: string): Group | undefined {
    return this.#groups.get(groupId);
  }

  getAt(groupId: string, committedOffset: TimelineEpoch): Group | undefined {
    return this.#groups.getAt(groupId, committedOffset);
  }

  set(group: Group): void {
    this.#groups.set(group.groupId, group);
  }

  delete(groupId: string): void {
    this.#groups.delete(groupId);
  }

  values(): IterableIterator<Group> {
    return this.#groups.values();
  }

  *valuesAt(committedOffset: TimelineEpoch): Generator<Group> {
    for (const [, group] of this.#groups.entriesAt(committedOffset)) yield group;
  }

  countOf(type: GroupType): number {
    let count = 0;
    for (const group of this.#groups.values()) if (group.type === type) count++;
    return count;
  }
}
