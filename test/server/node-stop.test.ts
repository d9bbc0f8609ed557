import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { encodeRequest } from '../../src/protocol/header.ts';
import { fetch } from '../../src/protocol/messages/01-fetch.ts';
import { unregisterBroker } from '../../src/protocol/messages/64-unregister-broker.ts';
import { RawConnection } from '../conformance/raw-connection.ts';
import { WireClient } from '../conformance/wire-client.ts';
import { append, fetchFrom, makeTopic, produceText, readTexts } from './node-client.ts';
import { temporaryDirectory } from './temporary-directory.ts';
import { startTestNode } from './test-node.ts';

const WAIT_MS = 30_000;

describe('an orderly stop', () => {
  it('answers fetches that wait, closes in order and leaves nothing to recover', async (t) => {
    const directory = temporaryDirectory(t);
    const node = await startTestNode({ directory });
    const client = await WireClient.open(node.port);
    const topicId = await produceText(client, 'waited-for', ['one']);
    const waiting = await Promise.all(Array.from({ length: 50 }, () => WireClient.open(node.port)));
    const answers = waiting.map((each) => fetchFrom(each, topicId, { fetchOffset: 1, maxWaitMs: WAIT_MS }));
    while (node.metrics.gauges.get(WAITING_FETCHES)?.() !== waiting.length) await fetchFrom(client, topicId);
    const askedAt = performance.now();
    await node.stop();
    assert.ok(performance.now() - askedAt < WAIT_MS / 3, 'nobody was waited for');
    for (const answer of await Promise.all(answers)) assert.equal(answer.errorCode, 0);
    for (const each of [client, ...waiting]) each.close();
    assert.ok(existsSync(join(directory, '.kafka_cleanshutdown')));
    const again = await startTestNode({ directory });
    const reader = await WireClient.open(again.port);
    assert.deepEqual(await readTexts(reader, topicId), ['one']);
    reader.close();
    await again.stop();
  });

  it('is as orderly when somebody has unregistered the broker', async (t) => {
    const directory = temporaryDirectory(t);
    const node = await startTestNode({ directory });
    const client = await WireClient.open(node.port);
    const topicId = await produceText(client, 'kept', ['one']);
    assert.equal((await client.ask(unregisterBroker, 0, { brokerId: node.node.nodeId })).errorCode, 0);
    client.close();
    await node.stop();
    assert.ok(existsSync(join(directory, '.kafka_cleanshutdown')));
    const again = await startTestNode({ directory });
    const reader = await WireClient.open(again.port);
    assert.deepEqual(await readTexts(reader, topicId), ['one']);
    reader.close();
    await again.stop();
  });

  it('sends whole answers only, also to clients that are in the middle of reading', async () => {
    const node = await startTestNode();
    const client = await WireClient.open(node.port);
    const topicId = await makeTopic(client, 'large');
    const text = 'x'.repeat(200_000);
    for (let count = 0; count < 4; count++) assert.equal(await append(client, topicId, [text]), 0);
    client.close();
    const request = encodeRequest(
      fetch,
      16,
      { correlationId: 1, clientId: 'reader' },
      {
        maxWaitMs: 0,
        minBytes: 1,
        topics: [{ topicId, partitions: [{ partition: 0, fetchOffset: 0, partitionMaxBytes: 2 ** 24 }] }],
        forgottenTopicsData: [],
        rackId: '',
      },
    );
    const readers = await Promise.all(Array.from({ length: 10 }, () => RawConnection.open(node.port)));
    for (const reader of readers) for (let count = 0; count < 3; count++) reader.write(request);
    await readers[0]?.frame();
    await node.stop();
    for (const reader of readers) {
      let frame = await reader.frame();
      while (frame !== null) frame = await reader.frame();
      assert.equal(reader.unfinishedBytes, 0, 'no frame was cut');
      reader.destroy();
    }
  });

  it('may be asked for more than once', async () => {
    const node = await startTestNode();
    await Promise.all([node.node.stop(), node.node.stop()]);
    await node.stop();
  });
});

describe('a node that is abandoned', () => {
  it('leaves its directory as a crash would, and the next start has everything that was acknowledged', async (t) => {
    const directory = temporaryDirectory(t);
    const node = await startTestNode({ directory });
    const client = await WireClient.open(node.port);
    const topicId = await produceText(client, 'survives', ['one', 'two']);
    await node.node.abandon();
    client.close();
    assert.ok(!existsSync(join(directory, '.kafka_cleanshutdown')));
    const again = await startTestNode({ directory });
    const reader = await WireClient.open(again.port);
    assert.deepEqual(await readTexts(reader, topicId), ['one', 'two']);
    reader.close();
    await again.stop();
  });
});

/** Starts nodes in a process of its own, ends each as told, and tells what the process still holds. */
const LEAVER = `
  import { startTestNode } from './test/server/test-node.ts';
  import { WireClient } from './test/conformance/wire-client.ts';
  import { fetchFrom, produceText } from './test/server/node-client.ts';
  const [end = 'stop'] = process.argv.slice(1);
  const node = await startTestNode();
  const client = await WireClient.open(node.port);
  const topicId = await produceText(client, 'left', ['x']);
  const waiting = await WireClient.open(node.port);
  fetchFrom(waiting, topicId, { fetchOffset: 1, maxWaitMs: 60_000 }).catch(() => undefined);
  await node.node[end]();
  client.close();
  waiting.close();
  process.stdout.write('done');
`;

for (const end of ['stop', 'abandon'] as const) {
  it(`a process goes by itself after ${end}(): no timer, no socket, no file is left`, async () => {
    const root = join(import.meta.dirname, '..', '..');
    const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', LEAVER, end], { cwd: root });
    let [output, errors] = ['', ''];
    child.stdout.on('data', (chunk) => (output += String(chunk)));
    child.stderr.on('data', (chunk) => (errors += String(chunk)));
    const [code] = await once(child, 'exit');
    assert.deepEqual([code, output, errors], [0, 'done', '']);
  });
}

/** The same after a start that failed in the middle, at the metadata log. */
const FAILED_STARTER = `
  import { mkdirSync } from 'node:fs';
  import { startTestNode } from './test/server/test-node.ts';
  const [directory] = process.argv.slice(1);
  await (await startTestNode({ directory })).stop();
  mkdirSync(directory + '/__cluster_metadata-0/quorum-state.tmp');
  await startTestNode({ directory }).catch(({ name }) => process.stdout.write(name));
`;

it('a process goes by itself after a start that failed', async (t) => {
  const root = join(import.meta.dirname, '..', '..');
  const args = ['--input-type=module-typescript', '-e', FAILED_STARTER, temporaryDirectory(t)];
  const child = spawn(process.execPath, args, { cwd: root });
  let output = '';
  child.stdout.on('data', (chunk) => (output += String(chunk)));
  const [code] = await once(child, 'exit');
  assert.deepEqual([code, output], [0, 'StorageError']);
});

describe('many nodes in one process, one after the other', () => {
  it('leave no files open, no timers behind, and no memory in use', async (t) => {
    const directory = temporaryDirectory(t);
    const round = async (): Promise<void> => {
      const node = await startTestNode({ directory });
      const client = await WireClient.open(node.port);
      await client.ask(fetch, 16, { maxWaitMs: 0, minBytes: 1, topics: [], forgottenTopicsData: [], rackId: '' });
      client.close();
      await node.node.stop();
    };
    const rest = () => ({ resources: process.getActiveResourcesInfo().sort().join(), files: openFiles() });
    for (let count = 0; count < 5; count++) await round();
    const [before, heapBefore] = [rest(), heapUsed()];
    for (let count = 0; count < 45; count++) await round();
    assert.deepEqual(rest(), before);
    const grown = heapUsed() - heapBefore;
    assert.ok(grown < 3 * 2 ** 20, `${grown} bytes more in use after 45 nodes`);
  });
});

const WAITING_FETCHES = 'kafka.server:type=DelayedOperationPurgatory,name=NumDelayedOperations,delayedOperation=Fetch';

/** How many descriptors this process has, where the system tells. */
const openFiles = (): number => (existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd').length : 0);

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function heapUsed(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
