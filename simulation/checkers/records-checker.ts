import { RETENTION_BYTES, SHORTENED_TOPIC } from '../workload/node-workload.ts';
import type { History, ProduceCall } from '../workload/history.ts';
import type { FoundPartition, NodeState } from './node-state.ts';

/** What a crash took with it. */
export interface Crash {
  /** Just before this change of the disk. */
  readonly at: number;
  /** `process`: nothing that was written is lost. `power`: what was not synced may be. */
  readonly kind: 'process' | 'power';
}

/** One record that somebody sent. */
interface SentRecord {
  readonly call: ProduceCall;
  /** Its offset, if that was told. */
  readonly offset: number | null;
  readonly isPromised: boolean;
}

/**
 * Holds the records of a node that started after a crash against what clients know. What was acknowledged and had to be durable is
 * there, where it was said to be; nothing else is there than what was sent, each once; nothing that a consumer saw and that had to be durable
 * is gone.
 */
export class RecordsChecker {
  readonly #history: History;
  /** Acknowledged means durable for all topics (flush.messages=1). */
  readonly #flushes: boolean;

  constructor(history: History, { flushes }: { readonly flushes: boolean }) {
    this.#history = history;
    this.#flushes = flushes;
  }

  check(state: NodeState, crash: Crash): void {
    const byPartition = Map.groupBy(
      this.#history.produced.filter(({ invokedAt }) => invokedAt < crash.at),
      ({ topicId, partition }) => `${topicId}/${partition}`,
    );
    for (const [name, topic] of state) {
      for (const [partition, found] of topic.contents.entries()) {
        const calls = byPartition.get(`${topic.id}/${partition}`) ?? [];
        try {
          this.#checkPartition(found, this.#sentRecords(calls, crash));
          this.#checkStart(found, { name, id: topic.id, partition }, crash);
          this.#checkSightings(found, { id: topic.id, partition }, crash);
        } catch (error) {
          throw new Error(`${name}-${partition} (${found.start} to ${found.end}): ${String(error)}`, { cause: error });
        }
      }
    }
  }

  #sentRecords(calls: readonly ProduceCall[], crash: Crash): Map<string, SentRecord> {
    const sent = new Map<string, SentRecord>();
    for (const call of calls) {
      const isPromised = call.acks !== 0 && this.#isPromised(call.answeredAt, crash);
      for (const [index, value] of call.values.entries()) {
        const isPlaced = call.baseOffset >= 0 && call.answeredAt <= crash.at;
        sent.set(value, { call, offset: isPlaced ? call.baseOffset + index : null, isPromised });
      }
    }
    return sent;
  }

  #isPromised(at: number, crash: Crash): boolean {
    if (at > crash.at) return false;
    return crash.kind === 'process' || this.#flushes || this.#history.stops.some((stop) => at <= stop && stop <= crash.at);
  }

  #checkPartition({ start, end, records }: FoundPartition, sent: ReadonlyMap<string, SentRecord>): void {
    const seen = new Set<string>();
    let expected = start;
    for (const { offset, value } of records) {
      if (offset !== expected++) throw new Error(`offset ${offset} stands where ${expected - 1} should`);
      const origin = sent.get(value);
      if (origin === undefined) throw new Error(`nobody sent ${brief(value)} here before the crash, and it is at ${offset}`);
      if (seen.has(value)) throw new Error(`${brief(value)} is there again at ${offset}`);
      seen.add(value);
      if (origin.offset !== null && origin.offset !== offset) {
        throw new Error(`${brief(value)} was acknowledged at ${origin.offset} and is at ${offset}`);
      }
    }
    if (expected !== end) throw new Error(`the records end before ${expected}`);
    for (const [value, { offset, isPromised }] of sent) {
      if (isPromised && offset !== null && offset >= start && !seen.has(value)) {
        throw new Error(`${brief(value)} was acknowledged at ${offset} and is lost`);
      }
    }
  }

  /** Only what somebody asked to delete, or retention had to, is gone from the beginning. */
  #checkStart(found: FoundPartition, place: { name: string; id: string; partition: number }, crash: Crash): void {
    if (place.name === SHORTENED_TOPIC) {
      if (found.start > 0 && found.bytes < RETENTION_BYTES && crash.kind === 'process') {
        throw new Error(`retention has left ${found.bytes} bytes of ${RETENTION_BYTES}`);
      }
      return;
    }
    const trims = this.#history.trims.filter(
      (call) => call.topicId === place.id && call.partition === place.partition && call.invokedAt < crash.at,
    );
    const asked = trims.reduce((most, { offset }) => Math.max(most, offset), 0);
    if (found.start > asked)
      throw new Error(`the log starts at ${found.start}, but records were to be deleted up to ${asked} only`);
  }

  /** What consumers have seen stays, where a producer may count on it. */
  #checkSightings({ start, records }: FoundPartition, place: { id: string; partition: number }, crash: Crash): void {
    const values = new Map(records.map(({ offset, value }) => [offset, value]));
    for (const { at, topicId, partition, offset, value } of this.#history.sightings) {
      if (topicId !== place.id || partition !== place.partition || !this.#isPromised(at, crash) || offset < start) continue;
      if (values.get(offset) !== value)
        throw new Error(`a consumer saw ${brief(value)} at ${offset}, and it is not there any more`);
    }
  }
}

const brief = (value: string): string => `"${value.split(':').slice(0, 2).join(':')}"`;
