import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { silentLogger } from '../../src/base/logger.ts';
import { createTopic } from '../../src/client/admin-topics.ts';
import { Client } from '../../src/client/client.ts';
import { Producer } from '../../src/client/producer.ts';
import { systemEnvironment } from '../../src/platform/system-environment.ts';
import type { TestNode } from '../server/test-node.ts';

/** Less than 64 ms from the first to the last of a batch, so that each timestamp takes one byte. */
const TIME = 1_700_000_000_000;
const STEP_MS = 10;

/** What a real kafka-dump-log says of the segment that example E1 makes; recorded by record.ts. */
export interface TwoBatchesGolden {
  readonly segment: string;
  /** With the path of the file as `<log>`. */
  readonly stdout: string;
}

/** Example E1 on a fresh node: three records, the first with a header, and two more. Gives the path of the segment. */
export async function writeTwoBatches({ port, directory }: TestNode): Promise<string> {
  const client = new Client(systemEnvironment({ logger: silentLogger }), { bootstrapServers: `127.0.0.1:${port}` });
  await createTopic(client, { name: 'hello', partitions: 1 });
  const producer = new Producer(client, { lingerMs: 60_000 });
  await producer.prepare('hello');
  const enqueue = (index: number): boolean =>
    producer.enqueue({
      topic: 'hello',
      key: `k${index}`,
      value: `hello-${index}`,
      timestamp: TIME + index * STEP_MS,
      headers: index === 0 ? [{ key: 'trace', value: 'abc' }] : [],
    });
  for (const index of [0, 1, 2]) enqueue(index);
  await producer.flush();
  for (const index of [3, 4]) enqueue(index);
  await producer.close();
  client.close();
  return join(directory, 'hello-0', '00000000000000000000.log');
}

export const segmentBytes = (path: string): string => readFileSync(path).toString('base64');
