import { unreachable } from '../../base/assert.ts';
import type { Client } from '../../client/client.ts';
import type { GroupOffsets } from '../../client/groups/group-offsets.ts';
import { listOffsets, offsetSpecs } from '../../client/list-offsets.ts';
import { comparePlaces, keyOf, type TopicPartition } from '../../client/topic-partition.ts';
import { KafkaError } from '../../protocol/errors.ts';
import { usageError } from '../cli-error.ts';
import type { Terminal } from '../terminal.ts';

/** Where offsets are moved to. */
export type ResetScenario =
  | { readonly kind: 'to-earliest' }
  | { readonly kind: 'to-latest' }
  | { readonly kind: 'to-current' }
  | { readonly kind: 'to-offset'; readonly offset: number }
  | { readonly kind: 'shift-by'; readonly by: number }
  | { readonly kind: 'to-time'; readonly timestamp: number }
  /** Every partition to an offset of its own. */
  | { readonly kind: 'from-file'; readonly offsets: readonly PlannedOffset[] };

export interface PlannedOffset extends TopicPartition {
  readonly offset: number;
}

interface PlanOptions {
  readonly client: Client;
  readonly terminal: Terminal;
  readonly committed: GroupOffsets;
}

/** The new offset of each partition, in order; changes nothing. Throws KafkaError where a leader cannot tell. */
export async function planReset(
  scenario: ResetScenario,
  places: readonly TopicPartition[],
  { client, terminal, committed }: PlanOptions,
): Promise<PlannedOffset[]> {
  const sorted = places.toSorted(comparePlaces);
  switch (scenario.kind) {
    case 'to-earliest':
      return await offsetsAt(client, sorted, offsetSpecs.earliest);
    case 'to-latest':
      return await offsetsAt(client, sorted, offsetSpecs.latest);
    case 'to-offset':
      return await withinLog(
        client,
        terminal,
        sorted.map((place) => ({ ...place, offset: scenario.offset })),
      );
    case 'shift-by':
      return await withinLog(
        client,
        terminal,
        sorted.map((place) => ({ ...place, offset: committedOf(place, committed) + scenario.by })),
      );
    case 'to-time':
      return await offsetsOfTime(client, terminal, sorted, scenario.timestamp);
    case 'to-current': {
      const unknown = sorted.filter((place) => !committed.has(keyOf(place)));
      const ends = await offsetsAt(client, unknown, offsetSpecs.latest);
      const known = sorted.flatMap(({ topic, partition }) => {
        const offset = committed.get(keyOf({ topic, partition }))?.offset;
        return offset === undefined ? [] : [{ topic, partition, offset }];
      });
      return [...known, ...ends].sort(comparePlaces);
    }
    case 'from-file':
      return await withinLog(client, terminal, scenario.offsets.toSorted(comparePlaces));
    default:
      return unreachable(scenario);
  }
}

function committedOf(place: TopicPartition, committed: GroupOffsets): number {
  const offset = committed.get(keyOf(place))?.offset;
  if (offset === undefined) {
    throw usageError(
      `Cannot shift offset for partition ${place.topic}-${place.partition} since there is no current committed offset`,
    );
  }
  return offset;
}

async function offsetsAt(client: Client, places: readonly TopicPartition[], timestamp: number): Promise<PlannedOffset[]> {
  if (places.length === 0) return [];
  const answers = await listOffsets(
    client,
    places.map(({ topic, partition }) => ({ topic, partition, timestamp })),
  );
  return answers.map(({ topic, partition, offset, error }) => {
    if (error !== 'NONE') throw new KafkaError(error, `${topic}-${partition}: ${new KafkaError(error).message}`);
    return { topic, partition, offset };
  });
}

/** Where no record is that young, the end. */
async function offsetsOfTime(
  client: Client,
  terminal: Terminal,
  places: readonly TopicPartition[],
  timestamp: number,
): Promise<PlannedOffset[]> {
  const found = await offsetsAt(client, places, Math.max(0, timestamp));
  const without = found.filter(({ offset }) => offset < 0);
  for (const { topic, partition } of without) {
    terminal.data(`\nWarn: Partition ${partition} from topic ${topic} is empty. Falling back to latest known offset.\n`);
  }
  const ends = await offsetsAt(client, without, offsetSpecs.latest);
  return [...found.filter(({ offset }) => offset >= 0), ...ends].sort(comparePlaces);
}

/** Offsets outside of the log become its ends. */
async function withinLog(client: Client, terminal: Terminal, wanted: readonly PlannedOffset[]): Promise<PlannedOffset[]> {
  const [starts, ends] = [
    await offsetsAt(client, wanted, offsetSpecs.earliest),
    await offsetsAt(client, wanted, offsetSpecs.latest),
  ];
  return wanted.map(({ topic, partition, offset }, index) => {
    const start = starts[index]?.offset ?? 0;
    const end = ends[index]?.offset ?? 0;
    const place = { topic, partition };
    const warn = (side: string, value: number): PlannedOffset => {
      terminal.note(
        `WARN New offset (${offset}) is ${side} offset for topic partition ${topic}-${partition}. Value will be set to ${value}.`,
      );
      return { ...place, offset: value };
    };
    if (offset > end) return warn('higher than latest', end);
    if (offset < start) return warn('lower than earliest', start);
    return { ...place, offset };
  });
}
