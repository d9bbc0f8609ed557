import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Disk, DiskFile } from '../../src/base/disk.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { Client } from '../../src/client/client.ts';
import type { ClientOptions } from '../../src/client/client-options.ts';
import { Consumer } from '../../src/client/consumer.ts';
import { createTopic } from '../../src/client/admin-topics.ts';
import { Producer } from '../../src/client/producer.ts';
import { cLibrary } from '../../src/platform/native/c-library.ts';
import { fileSenderTotals } from '../../src/platform/file-sender.ts';
import { nodeDisk } from '../../src/platform/node-disk.ts';
import { systemEnvironment } from '../../src/platform/system-environment.ts';
import { startNode } from '../../src/server/start-node.ts';

const BYTES = 48 * 1024 * 1024;
const RECORD_BYTES = 10_000;
/** Finding an offset reads headers of batches: three blocks of 8 KiB for a fetch of 1 MiB. */
const HEADER_SHARE_MAX = 0.03;
/** Each time the socket is full, 512 bytes are read and written the ordinary way: one in some five hundred. */
const WAITING_SHARE_MAX = 0.004;
const TLS_READ_BYTES = 32 * 1024;

/** A disk that counts what is read of segments. */
function countingDisk(): { readonly disk: Disk; readonly read: { bytes: number } } {
  const read = { bytes: 0 };
  const counted = (file: DiskFile): DiskFile =>
    new Proxy(file, {
      get: (target, name) => {
        const value = Reflect.get(target, name, target) as unknown;
        if (typeof value !== 'function') return value;
        if (name !== 'read' && name !== 'readAsync') return value.bind(target) as unknown;
        return (bytes: Uint8Array, position: number): unknown => {
          read.bytes += bytes.length;
          return (value as (...args: unknown[]) => unknown).call(target, bytes, position);
        };
      },
    });
  const open: Disk['open'] = (path, options) => {
    const file = nodeDisk.open(path, options);
    return path.endsWith('.log') ? counted(file) : file;
  };
  return { disk: { ...nodeDisk, open }, read };
}

const golden = (name: string): string => fileURLToPath(new URL(`../golden/tls/${name}`, import.meta.url));
const certificate = readFileSync(golden('certificate.pem'), 'utf8');

/** A node with one listener in the clear and one with TLS, whose segments are counted as they are read. */
async function countedNode(context: TestContext) {
  const { disk, read } = countingDisk();
  const directory = mkdtempSync(join(tmpdir(), 'ottla-test-'));
  const texts = new Map([
    ['listeners', 'PLAINTEXT://127.0.0.1:0,SSL://127.0.0.1:0'],
    ['ssl.keystore.type', 'PEM'],
    ['ssl.keystore.key', readFileSync(golden('key.pem'), 'utf8')],
    ['ssl.keystore.certificate.chain', certificate],
  ]);
  const node = await startNode(
    { ...systemEnvironment({ logger: silentLogger }), disk },
    { texts, embedded: { dataDirectory: directory, port: 0 } },
  );
  context.after(async () => {
    await node.stop();
    rmSync(directory, { recursive: true, force: true });
  });
  return { read, portOf: (name: string) => node.listeners.find((listener) => listener.name === name)?.port ?? 0 };
}

function clientOf(context: TestContext, port: number, options: Partial<ClientOptions> = {}): Client {
  const client = new Client(systemEnvironment({ logger: silentLogger }), { bootstrapServers: `127.0.0.1:${port}`, ...options });
  context.after(() => client.close());
  return client;
}

async function fill(client: Client): Promise<number> {
  await createTopic(client, { name: 'big', partitions: 1 });
  const producer = new Producer(client, { batchSize: 256 * 1024 });
  await producer.prepare('big');
  const value = Buffer.alloc(RECORD_BYTES, 'v');
  const count = Math.ceil(BYTES / RECORD_BYTES);
  for (let index = 0; index < count; index++) if (!producer.enqueue({ topic: 'big', value })) await producer.room();
  await producer.close();
  return count;
}

async function consume(client: Client, count: number): Promise<void> {
  const consumer = new Consumer(client, { checkCrcs: false });
  await consumer.assign([{ topic: 'big', partition: 0, start: 'earliest' }]);
  for (let seen = 0; seen < count; ) for (const chunk of await consumer.poll(1_000)) seen += [...chunk.records()].length;
  await consumer.close();
}

test('E9: 48 MB are consumed from a plaintext listener without passing through the process', async (context) => {
  const { read, portOf } = await countedNode(context);
  const client = clientOf(context, portOf('PLAINTEXT'));
  const count = await fill(client);
  const sentBefore = { ...fileSenderTotals };
  read.bytes = 0;
  await consume(client, count);

  if (cLibrary()?.sendFile === null) return;
  const readToWait = fileSenderTotals.bytesRead - sentBefore.bytesRead;
  assert.ok(fileSenderTotals.bytesByKernel - sentBefore.bytesByKernel >= BYTES - readToWait);
  assert.ok(readToWait <= BYTES * WAITING_SHARE_MAX, `${readToWait} bytes were read to learn when the socket takes more`);
  assert.ok(read.bytes <= BYTES * HEADER_SHARE_MAX, `${read.bytes} bytes of the segment were read`);
});

test('E9, F9: 48 MB are consumed from a TLS listener by reads of 32 KiB', async (context) => {
  const { portOf } = await countedNode(context);
  const count = await fill(clientOf(context, portOf('PLAINTEXT')));
  const sentBefore = { ...fileSenderTotals };
  await consume(clientOf(context, portOf('SSL'), { tls: { authorities: certificate } }), count);

  assert.equal(fileSenderTotals.bytesByKernel, sentBefore.bytesByKernel);
  const bytes = fileSenderTotals.bytesRead - sentBefore.bytesRead;
  const reads = fileSenderTotals.reads - sentBefore.reads;
  assert.ok(bytes >= BYTES && bytes < BYTES * 1.1, `${bytes} bytes`);
  assert.ok(reads >= bytes / TLS_READ_BYTES && reads < (bytes / TLS_READ_BYTES) * 1.1, `${reads} reads`);
});
