import { Consumer } from '../../src/client/consumer.ts';
import type { Client } from '../../src/client/client.ts';
import { listOffsets, offsetSpecs } from '../../src/client/list-offsets.ts';
import { batchesOf } from '../../src/protocol/records/batches.ts';
import { recordsOf } from '../../src/protocol/records/record-iterator.ts';
import type { FetchedChunk } from '../../src/client/fetched-chunk.ts';
import { nameOf, numberOf, type Ledger, type PartitionLedger } from './ledger.ts';
import type { LoadTopic } from './load.ts';
import { idOfValue } from './sequenced-value.ts';

const POLL_MS = 5_000;

export interface AuditOptions {
  readonly client: Client;
  readonly ledger: Ledger;
  readonly topics: readonly LoadTopic[];
  /** Every record that an idempotent producer sent has its fate, so it must be there. */
  readonly idempotent: ReadonlySet<number>;
  /** Reads on from what earlier audits with this object have seen. */
  readonly progress?: AuditProgress;
}

/** What was seen of a partition so far. */
interface SeenPartition {
  nextOffset: number;
  readonly records: Set<number>;
  /** The last sequence of each producer. */
  readonly lastSequence: Map<number, number>;
}

export type AuditProgress = Map<string, SeenPartition>;

export interface AuditResult {
  readonly records: number;
  readonly batches: number;
}

/**
 * Reads all partitions and holds them against what was acknowledged. Throws when a record is lost, doubled, changed or at another place than
 * was said, when offsets have a gap, when a batch has a wrong checksum, or when the log ends before an acknowledged record.
 */
export async function audit(options: AuditOptions): Promise<AuditResult> {
  const { client, topics, progress = new Map() } = options;
  const places = topics.flatMap(({ name, partitions, isShortened = false }) =>
    Array.from({ length: partitions }, (_, partition) => ({ topic: name, partition, isShortened })),
  );
  for (const { name } of topics) await client.retrying(() => client.metadata.load(name));
  const ends = await offsetsOf(client, places, offsetSpecs.latest);
  const starts = await offsetsOf(client, places, offsetSpecs.earliest);
  const total = { records: 0, batches: 0 };
  const audits = places.map((place, index) => {
    const key = `${place.topic}-${place.partition}`;
    const seen = progress.get(key) ?? { nextOffset: starts[index] ?? 0, records: new Set(), lastSequence: new Map() };
    progress.set(key, seen);
    const ledger = options.ledger.of(place.topic, place.partition);
    return new PartitionAudit(place, { ledger, seen, start: starts[index] ?? 0, end: ends[index] ?? 0 });
  });
  for (const one of audits) one.checkEnd();
  await readAll(client, audits, total);
  for (const one of audits) one.checkSent(options.idempotent);
  return total;
}

async function offsetsOf(
  client: Client,
  places: readonly { readonly topic: string; readonly partition: number }[],
  timestamp: number,
): Promise<number[]> {
  const answers = await listOffsets(
    client,
    places.map((place) => ({ ...place, timestamp })),
  );
  return answers.map(({ offset, error, topic, partition }) => {
    if (error !== 'NONE') throw new Error(`${topic}-${partition} has no offsets: ${error}`);
    return offset;
  });
}

async function readAll(
  client: Client,
  audits: readonly PartitionAudit[],
  total: { records: number; batches: number },
): Promise<void> {
  const wanted = new Map(audits.filter(({ isDone }) => !isDone).map((one) => [one.key, one]));
  if (wanted.size === 0) return;
  const consumer = new Consumer(client, { autoOffsetReset: 'earliest', fetchMaxBytes: 16 * 1024 * 1024 });
  try {
    await consumer.assign([...wanted.values()].map(({ topic, partition, position }) => ({ topic, partition, start: position })));
    while (wanted.size > 0) {
      const chunks = await consumer.poll(POLL_MS);
      if (chunks.length === 0) {
        const [stuck] = wanted.values();
        throw new Error(`${stuck?.key} gives nothing at ${stuck?.position} though it ends at ${stuck?.end}`);
      }
      for (const chunk of chunks) {
        const one = wanted.get(`${chunk.topic}-${chunk.partition}`);
        if (one === undefined) continue;
        const counts = one.take(chunk);
        total.records += counts.records;
        total.batches += counts.batches;
        if (one.isDone) wanted.delete(one.key);
      }
    }
  } finally {
    await consumer.close();
  }
}

class PartitionAudit {
  readonly topic: string;
  readonly partition: number;
  readonly key: string;
  readonly end: number;
  readonly #isShortened: boolean;
  #start = 0;
  readonly #ledger: PartitionLedger;
  readonly #seen: SeenPartition;

  constructor(
    place: { readonly topic: string; readonly partition: number; readonly isShortened: boolean },
    facts: { readonly ledger: PartitionLedger; readonly seen: SeenPartition; readonly start: number; readonly end: number },
  ) {
    this.topic = place.topic;
    this.partition = place.partition;
    this.key = `${place.topic}-${place.partition}`;
    this.end = facts.end;
    this.#ledger = facts.ledger;
    this.#seen = facts.seen;
    this.#isShortened = place.isShortened;
    this.#startsAt(facts.start);
  }

  get position(): number {
    return this.#seen.nextOffset;
  }

  get isDone(): boolean {
    return this.position >= this.end;
  }

  /** Every acknowledged record lies before the end of the log. */
  checkEnd(): void {
    for (const [offset, number] of this.#ledger.acknowledged) {
      if (offset >= this.end)
        throw this.#error(`${nameOf(number)} was acknowledged at ${offset}, but the log ends at ${this.end}`);
    }
  }

  take(chunk: FetchedChunk): { readonly records: number; readonly batches: number } {
    const counts = { records: 0, batches: 0 };
    this.#startsAt(chunk.facts.logStartOffset);
    for (const batch of batchesOf(chunk.facts.bytes)) {
      batch.ensureValid();
      counts.batches++;
      for (const record of recordsOf(batch)) {
        if (record.offset < this.position) continue;
        if (record.offset !== this.position) throw this.#error(`offset ${record.offset} follows ${this.position - 1}`);
        this.#check(record.offset, record.value);
        this.#seen.nextOffset++;
        counts.records++;
      }
    }
    return counts;
  }

  /** Retention goes on while the log is read, where there is one. */
  #startsAt(offset: number): void {
    if (offset > 0 && !this.#isShortened) throw this.#error(`it starts at ${offset}, though nothing was to be deleted`);
    this.#start = Math.max(this.#start, offset);
    this.#seen.nextOffset = Math.max(this.#seen.nextOffset, offset);
  }

  /** What idempotent producers sent is there, all of it: they send it until it is. */
  checkSent(idempotent: ReadonlySet<number>): void {
    for (const [offset, number] of this.#ledger.acknowledged) {
      if (offset >= this.#start && !this.#seen.records.has(number)) throw this.#error(`${nameOf(number)} at ${offset} is lost`);
    }
    if (this.#start > 0) return;
    for (const number of [...this.#ledger.sent, ...this.#ledger.somewhere]) {
      const isExpected = idempotent.has(Math.floor(number / 2 ** 32)) || this.#ledger.somewhere.has(number);
      if (isExpected && !this.#seen.records.has(number)) throw this.#error(`${nameOf(number)} is lost`);
    }
  }

  #check(offset: number, value: Uint8Array | null): void {
    const id = idOfValue(value);
    const number = numberOf(id);
    if (this.#seen.records.has(number)) throw this.#error(`${nameOf(number)} is there again at ${offset}`);
    this.#seen.records.add(number);
    if (!this.#ledger.sent.has(number)) throw this.#error(`${nameOf(number)} at ${offset} was sent to another partition`);
    const promised = this.#ledger.acknowledged.get(offset);
    if (promised !== undefined && promised !== number) {
      throw this.#error(`${nameOf(number)} is at ${offset}, where ${nameOf(promised)} was acknowledged`);
    }
    const before = this.#seen.lastSequence.get(id.producer) ?? -1;
    if (id.sequence <= before) throw this.#error(`${nameOf(number)} at ${offset} comes after number ${before} of its producer`);
    this.#seen.lastSequence.set(id.producer, id.sequence);
  }

  #error(what: string): Error {
    return new Error(`${this.key}: ${what}`);
  }
}
