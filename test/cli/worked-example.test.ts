import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { silentLogger } from '../../src/base/logger.ts';
import { createTopic } from '../../src/client/admin-topics.ts';
import { Client } from '../../src/client/client.ts';
import { Producer } from '../../src/client/producer.ts';
import { systemEnvironment } from '../../src/platform/system-environment.ts';
import { startTestNode } from '../server/test-node.ts';
import { ottla } from './captured-terminal.ts';

const TIME = 1_700_000_000_000;

test('E1: three records and two more are two batches of 119 and 93 bytes, and dump-log shows them as kafka-dump-log does', async (context) => {
  const node = await startTestNode();
  context.after(() => node.stop());
  const client = new Client(systemEnvironment({ logger: silentLogger }), { bootstrapServers: `127.0.0.1:${node.port}` });
  context.after(() => client.close());
  await client.connect();
  await createTopic(client, { name: 'hello', partitions: 1 });
  const producer = new Producer(client, { lingerMs: 60_000 });
  await producer.prepare('hello');
  const enqueue = (index: number): boolean =>
    producer.enqueue({
      topic: 'hello',
      key: `k${index}`,
      value: `hello-${index}`,
      timestamp: TIME + index * 10,
      headers: index === 0 ? [{ key: 'trace', value: 'abc' }] : [],
    });
  for (const index of [0, 1, 2]) enqueue(index);
  await producer.flush();
  for (const index of [3, 4]) enqueue(index);
  await producer.close();

  const log = join(node.directory, 'hello-0', '00000000000000000000.log');
  const { stdout } = await ottla(['dump-log', '--files', log, '--deep-iteration', '--print-data-log']);
  const fixed =
    'producerId: N producerEpoch: 0 partitionLeaderEpoch: 0 isTransactional: false isControl: false deleteHorizonMs: OptionalLong.empty';
  assert.equal(
    stdout.replaceAll(/producerId: \d+/g, 'producerId: N').replaceAll(/crc: \d+/g, 'crc: N'),
    [
      `Dumping ${log}`,
      'Log starting offset: 0',
      `baseOffset: 0 lastOffset: 2 count: 3 baseSequence: 0 lastSequence: 2 ${fixed} position: 0 CreateTime: ${TIME + 20} size: 119 magic: 2 compresscodec: none crc: N isvalid: true`,
      `| offset: 0 CreateTime: ${TIME} keySize: 2 valueSize: 7 sequence: 0 headerKeys: [trace] key: k0 payload: hello-0`,
      `| offset: 1 CreateTime: ${TIME + 10} keySize: 2 valueSize: 7 sequence: 1 headerKeys: [] key: k1 payload: hello-1`,
      `| offset: 2 CreateTime: ${TIME + 20} keySize: 2 valueSize: 7 sequence: 2 headerKeys: [] key: k2 payload: hello-2`,
      `baseOffset: 3 lastOffset: 4 count: 2 baseSequence: 3 lastSequence: 4 ${fixed} position: 119 CreateTime: ${TIME + 40} size: 93 magic: 2 compresscodec: none crc: N isvalid: true`,
      `| offset: 3 CreateTime: ${TIME + 30} keySize: 2 valueSize: 7 sequence: 3 headerKeys: [] key: k3 payload: hello-3`,
      `| offset: 4 CreateTime: ${TIME + 40} keySize: 2 valueSize: 7 sequence: 4 headerKeys: [] key: k4 payload: hello-4`,
      '',
    ].join('\n'),
  );
});
