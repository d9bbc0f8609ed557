import { unreachable } from '../../base/assert.ts';
import type { Client } from '../../client/client.ts';
import type { StartPosition } from '../../client/consumer.ts';
import { type IsolationLevel, listOffsets, offsetSpecs } from '../../client/list-offsets.ts';
import { KafkaError } from '../../protocol/errors.ts';
import { CliError } from '../cli-error.ts';
import type { Place } from '../start-position.ts';
import { plural } from '../wording.ts';

/** The partitions of a topic, or those of them that are wanted. */
export async function partitionsOf(client: Client, topic: string, wanted: readonly number[] | undefined): Promise<number[]> {
  const facts = await client.loadTopic(topic);
  const all = facts.partitions.map((partition) => partition.partition);
  const missing = wanted?.find((partition) => !all.includes(partition));
  if (missing !== undefined) {
    throw new CliError(`Topic "${topic}" has no partition ${missing}`, {
      remedy: `It has ${plural(all.length, 'partition')}, 0 to ${all.length - 1}.`,
    });
  }
  return wanted === undefined ? all : [...wanted];
}

/** Where reading starts in each partition. */
export async function startsOf(
  client: Client,
  topic: string,
  partitions: readonly number[],
  { from, isolation }: { readonly from: Place; readonly isolation: IsolationLevel },
): Promise<Map<number, StartPosition>> {
  switch (from.kind) {
    case 'earliest':
    case 'latest':
      return new Map(partitions.map((partition) => [partition, from.kind]));
    case 'offset':
      return new Map(partitions.map((partition) => [partition, from.offset]));
    case 'time':
      return new Map(partitions.map((partition) => [partition, { timestamp: from.timestamp }]));
    case 'before-end': {
      const [ends, firsts] = await Promise.all([
        endsOf(client, topic, partitions, isolation),
        boundaries(client, topic, partitions, { isolation, spec: offsetSpecs.earliest }),
      ]);
      return new Map(
        partitions.map((partition) => [partition, Math.max(firsts.get(partition) ?? 0, (ends.get(partition) ?? 0) - from.count)]),
      );
    }
    default:
      return unreachable(from);
  }
}

/** Where each partition ends for a reader, at the moment. */
export const endsOf = (
  client: Client,
  topic: string,
  partitions: readonly number[],
  isolation: IsolationLevel,
): Promise<Map<number, number>> => boundaries(client, topic, partitions, { isolation, spec: offsetSpecs.latest });

async function boundaries(
  client: Client,
  topic: string,
  partitions: readonly number[],
  { isolation, spec }: { readonly isolation: IsolationLevel; readonly spec: number },
): Promise<Map<number, number>> {
  const answers = await listOffsets(
    client,
    partitions.map((partition) => ({ topic, partition, timestamp: spec })),
    isolation,
  );
  for (const { error, partition } of answers) {
    if (error !== 'NONE') throw new KafkaError(error, `${topic}-${partition}: ${new KafkaError(error).message}`);
  }
  return new Map(answers.map(({ partition, offset }) => [partition, offset]));
}
