import type { Client } from '../../client/client.ts';
import { Consumer } from '../../client/consumer.ts';
import { listOffsets, offsetSpecs } from '../../client/list-offsets.ts';
import { consumedText, windowJson } from '../bench-report.ts';
import { CliError, EXIT_FAILED } from '../cli-error.ts';
import type { ClusterOptions } from '../cluster-option.ts';
import { interruption } from '../interruption.ts';
import type { Terminal } from '../terminal.ts';
import { wholeText } from '../wording.ts';

export interface BenchConsumeOptions extends ClusterOptions {
  readonly records?: number;
  readonly fetchMaxBytes: number;
  readonly maxPartitionFetchBytes: number;
  readonly idleExit: number;
  readonly checkCrcs: boolean;
  readonly reportEvery: number;
}

const POLL_MS = 100;

export async function benchConsume(
  client: Client,
  terminal: Terminal,
  topic: string,
  options: BenchConsumeOptions,
): Promise<void> {
  const { clock } = client.environment;
  const facts = await client.loadTopic(topic);
  const places = facts.partitions.map(({ partition }) => ({ topic, partition }));
  const wanted = options.records ?? (await recordsIn(client, places));
  if (wanted === 0) throw new CliError(`Topic "${topic}" is empty`, { remedy: 'Fill it with "ottla bench produce".' });
  const consumer = new Consumer(client, {
    fetchMaxBytes: options.fetchMaxBytes,
    maxPartitionFetchBytes: options.maxPartitionFetchBytes,
    checkCrcs: options.checkCrcs,
    autoOffsetReset: 'earliest',
  });
  const stop = interruption();
  const start = clock.monotonic();
  let window = { records: 0, bytes: 0, startedAt: start };
  let records = 0;
  let bytes = 0;
  let lastArrival = start;
  await consumer.assign(places.map((place) => ({ ...place, start: 'earliest' })));
  while (records < wanted && !stop.requested) {
    const chunks = await consumer.poll(POLL_MS);
    const now = clock.monotonic();
    for (const chunk of chunks) {
      for (const { key, value } of chunk.records()) {
        records++;
        bytes += (key?.length ?? 0) + (value?.length ?? 0);
      }
    }
    if (chunks.length > 0) lastArrival = now;
    else if (now - lastArrival >= options.idleExit) {
      terminal.note(
        `Nothing came for ${options.idleExit} ms: stopping with ${wholeText(records)} of ${wholeText(wanted)} records.`,
      );
      terminal.exitCode = EXIT_FAILED;
      break;
    }
    if (now - window.startedAt >= options.reportEvery) {
      const part = { records: records - window.records, bytes: bytes - window.bytes, seconds: (now - window.startedAt) / 1000 };
      if (options.json === true) terminal.progress(consumedText(part));
      else terminal.line(consumedText(part));
      window = { records, bytes, startedAt: now };
    }
  }
  const total = { records, bytes, seconds: (clock.monotonic() - start) / 1000 };
  await consumer.close();
  terminal.line(options.json === true ? JSON.stringify({ ...windowJson(total), topic }) : consumedText(total));
}

async function recordsIn(client: Client, places: readonly { topic: string; partition: number }[]): Promise<number> {
  const at = async (timestamp: number): Promise<number> => {
    const answers = await listOffsets(
      client,
      places.map((place) => ({ ...place, timestamp })),
    );
    return answers.reduce((sum, answer) => sum + Math.max(0, answer.offset), 0);
  };
  return (await at(offsetSpecs.latest)) - (await at(offsetSpecs.earliest));
}
