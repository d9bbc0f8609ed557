import { batchesOf } from '../../src/protocol/records/batches.ts';
import { recordsOf } from '../../src/protocol/records/record-iterator.ts';
import type { DescribedTopic, NodeClient, Place } from '../cluster/node-client.ts';

export interface FoundRecord {
  readonly offset: number;
  readonly value: string;
}

export interface FoundPartition {
  readonly start: number;
  readonly end: number;
  readonly records: readonly FoundRecord[];
  readonly bytes: number;
}

export interface FoundTopic extends DescribedTopic {
  readonly configs: ReadonlyMap<string, string | null>;
  readonly contents: readonly FoundPartition[];
}

/** Everything that a node tells its clients. */
export type NodeState = ReadonlyMap<string, FoundTopic>;

/** Asks a node for everything. Throws when it serves a damaged batch, a gap, or less than it says there is. */
export async function readState(client: NodeClient): Promise<NodeState> {
  const state = new Map<string, FoundTopic>();
  for (const [name, topic] of await client.topics()) {
    if (!topic.isServed) throw new Error(`topic ${name} is there, but not all of its partitions can be used`);
    const contents: FoundPartition[] = [];
    for (let partition = 0; partition < topic.partitions; partition++) {
      contents.push(await readPartition(client, { topic: name, partition }));
    }
    state.set(name, { ...topic, configs: await client.topicConfigs(name), contents });
  }
  return state;
}

async function readPartition(client: NodeClient, place: Place): Promise<FoundPartition> {
  const key = `${place.topic}-${place.partition}`;
  let { start } = await client.offsets(place);
  const { end } = await client.offsets(place);
  let records: FoundRecord[] = [];
  let bytes = 0;
  for (let next = start; next < end; ) {
    const answer = await client.fetch(place, next);
    // Retention may go on meanwhile.
    start = Math.max(start, answer.logStartOffset);
    let hasNews = false;
    for (const batch of batchesOf(answer.records)) {
      batch.ensureValid();
      bytes += batch.sizeInBytes;
      for (const { offset, value } of recordsOf(batch)) {
        if (offset < next) continue;
        if (offset !== next) throw new Error(`${key}: offset ${offset} follows ${next - 1}`);
        records.push({ offset, value: Buffer.from(value ?? []).toString() });
        next = offset + 1;
        hasNews = true;
      }
    }
    if (!hasNews) throw new Error(`${key}: nothing is served at ${next}, though the log ends at ${end}`);
  }
  records = records.filter(({ offset }) => offset >= start);
  return { start, end, records, bytes };
}
