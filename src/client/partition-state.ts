import type { Millis } from '../base/clock.ts';

/** One partition that a consumer reads. */
export class PartitionState {
  readonly topic: string;
  readonly partition: number;
  /** The next offset to fetch; null until it is known. Runs ahead of what was handed out. */
  fetchOffset: number | null = null;
  /** The next offset to hand out; null until it is known. */
  position: number | null = null;
  /** The leader epoch of what was handed out last; −1 before anything was. */
  positionEpoch = -1;
  isPaused = false;
  highWatermark = -1;
  lastStableOffset = -1;
  logStartOffset = -1;
  /** Not fetched before (monotonic). */
  notBefore: Millis = -Infinity;
  preferredReplica: { readonly node: number; readonly until: Millis } | null = null;

  constructor(topic: string, partition: number) {
    this.topic = topic;
    this.partition = partition;
  }

  moveTo(offset: number | null): void {
    this.fetchOffset = offset;
    this.position = offset;
    this.positionEpoch = -1;
  }
}
