import { createHash } from 'node:crypto';
import { fetch } from '../../src/protocol/messages/01-fetch.ts';
import { listOffsets } from '../../src/protocol/messages/02-list-offsets.ts';
import { metadata } from '../../src/protocol/messages/03-metadata.ts';
import { batchesOf } from '../../src/protocol/records/batches.ts';
import type { RecordBatch } from '../../src/protocol/records/record-batch.ts';
import { recordsOf } from '../../src/protocol/records/record-iterator.ts';
import type { WireClient } from './wire-client.ts';

/** An offset that ListOffsets told. The epoch is absent where the answer has none. */
export interface OffsetView {
  readonly offset: number;
  readonly timestamp: number;
  readonly leaderEpoch?: number;
}

/** What a consumer got from a partition, with a digest over `offset TAB base64 key TAB base64 value NEWLINE`. */
export interface ReadView {
  readonly position: number;
  readonly count: number;
  readonly lastOffset: number;
  readonly sha256: string;
}

export interface PartitionView {
  readonly earliest: OffsetView;
  readonly latest: OffsetView;
  readonly latestReadCommitted: OffsetView;
  readonly maxTimestamp: OffsetView;
  readonly read_uncommitted?: ReadView;
  readonly read_committed?: ReadView;
}

export interface TopicView {
  readonly topicId: string;
  readonly internal: boolean;
  readonly partitions: Readonly<Record<string, PartitionView>>;
}

export type ClusterView = Readonly<Record<string, TopicView>>;

const VERSIONS = { metadata: 12, listOffsets: 11, fetch: 16 };
const FETCH_BYTES = 8 * 1024 * 1024;
const SPECS = { earliest: -2, latest: -1, maxTimestamp: -3 };

/** Everything that a client can read from a cluster of one. Batches are checked against their checksum on the way. */
export async function viewCluster(client: WireClient): Promise<ClusterView> {
  const { topics } = await client.ask(metadata, VERSIONS.metadata, { topics: null, includeTopicAuthorizedOperations: false });
  const view: Record<string, TopicView> = {};
  for (const topic of topics.toSorted((a, b) => ((a.name ?? '') < (b.name ?? '') ? -1 : 1))) {
    const name = topic.name ?? '';
    const partitions: Record<string, PartitionView> = {};
    for (const { partitionIndex } of topic.partitions.toSorted((a, b) => a.partitionIndex - b.partitionIndex)) {
      partitions[partitionIndex] = await viewPartition(client, { name, topicId: topic.topicId, partition: partitionIndex });
    }
    view[name] = { topicId: topic.topicId, internal: topic.isInternal, partitions };
  }
  return view;
}

interface Place {
  readonly name: string;
  readonly topicId: string;
  readonly partition: number;
}

async function viewPartition(client: WireClient, place: Place): Promise<PartitionView> {
  const earliest = await offsetOf(client, place, SPECS.earliest);
  const latest = await offsetOf(client, place, SPECS.latest);
  const latestReadCommitted = await offsetOf(client, place, SPECS.latest, 1);
  const maxTimestamp = await offsetOf(client, place, SPECS.maxTimestamp);
  const range = { from: earliest.offset, to: latest.offset };
  const stable = { from: earliest.offset, to: latestReadCommitted.offset };
  return {
    earliest,
    latest,
    latestReadCommitted,
    maxTimestamp,
    ...(range.to > range.from && { read_uncommitted: await read(client, place, range, 0) }),
    ...(range.to > range.from && stable.to > stable.from && { read_committed: await read(client, place, stable, 1) }),
  };
}

async function offsetOf(client: WireClient, place: Place, timestamp: number, isolationLevel = 0): Promise<OffsetView> {
  const partition = { partitionIndex: place.partition, timestamp };
  const request = { replicaId: -1, isolationLevel, topics: [{ name: place.name, partitions: [partition] }], timeoutMs: 0 };
  const answer = await client.ask(listOffsets, VERSIONS.listOffsets, request);
  const told = answer.topics[0]?.partitions[0];
  if (told === undefined || told.errorCode !== 0) throw new Error(`no offset of ${place.name}: ${JSON.stringify(answer)}`);
  const { offset, leaderEpoch } = told;
  return { offset, timestamp: told.timestamp, ...(leaderEpoch >= 0 && { leaderEpoch }) };
}

async function read(
  client: WireClient,
  place: Place,
  { from, to }: { readonly from: number; readonly to: number },
  isolationLevel: number,
): Promise<ReadView> {
  const hash = createHash('sha256');
  let count = 0;
  let lastOffset = -1;
  let position = from;
  while (position < to) {
    const { records, aborted } = await fetchAt(client, place, { position, isolationLevel });
    const before = position;
    for (const batch of batchesOf(records)) {
      if (!batch.isCrcValid()) throw new Error(`${place.name}-${place.partition}: a wrong checksum at ${batch.baseOffset}`);
      const first = position;
      position = batch.nextOffset;
      if (aborted.covers(batch) || batch.isControl) continue;
      for (const { offset, key, value } of recordsOf(batch)) {
        if (offset < first) continue;
        hash.update(`${offset}\t${base64(key)}\t${base64(value)}\n`);
        count++;
        lastOffset = offset;
      }
    }
    if (position === before) throw new Error(`${place.name}-${place.partition}: nothing to read at ${position} of ${to}`);
  }
  return { position, count, lastOffset, sha256: hash.digest('hex') };
}

interface Aborted {
  readonly producerId: number;
  readonly firstOffset: number;
}

async function fetchAt(
  client: WireClient,
  { name, topicId, partition }: Place,
  { position, isolationLevel }: { readonly position: number; readonly isolationLevel: number },
): Promise<{ readonly records: Uint8Array; readonly aborted: AbortedRanges }> {
  const asked = { partition, fetchOffset: position, partitionMaxBytes: FETCH_BYTES };
  const answer = await client.ask(fetch, VERSIONS.fetch, {
    maxWaitMs: 500,
    minBytes: 1,
    maxBytes: FETCH_BYTES,
    isolationLevel,
    topics: [{ topicId, partitions: [asked] }],
    forgottenTopicsData: [],
    rackId: '',
  });
  const told = answer.responses[0]?.partitions[0];
  if (told === undefined || told.errorCode !== 0)
    throw new Error(`no records of ${name}-${partition}: ${JSON.stringify(answer)}`);
  return { records: told.records ?? new Uint8Array(0), aborted: new AbortedRanges(told.abortedTransactions ?? []) };
}

/** The transactions that a read_committed answer says were aborted, each until its marker. */
class AbortedRanges {
  readonly #waiting: Aborted[];
  readonly #open = new Set<number>();

  constructor(aborted: readonly Aborted[]) {
    this.#waiting = aborted.toSorted((a, b) => a.firstOffset - b.firstOffset);
  }

  /** To be asked of each batch in order. */
  covers(batch: RecordBatch): boolean {
    while (this.#waiting[0] !== undefined && this.#waiting[0].firstOffset <= batch.lastOffset) {
      this.#open.add((this.#waiting.shift() as Aborted).producerId);
    }
    if (batch.isControl) this.#open.delete(batch.producerId);
    return batch.isTransactional && !batch.isControl && this.#open.has(batch.producerId);
  }
}

const base64 = (bytes: Uint8Array | null): string => (bytes === null ? '-' : Buffer.from(bytes).toString('base64'));
