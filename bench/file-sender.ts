import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import * as net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DiskFile } from '../src/base/disk.ts';
import { silentLogger } from '../src/base/logger.ts';
import { Acceptor } from '../src/network/acceptor.ts';
import { fileSenderTotals } from '../src/platform/file-sender.ts';
import { nodeDisk } from '../src/platform/node-disk.ts';
import { systemEnvironment } from '../src/platform/system-environment.ts';

/**
 * File regions of one size, each behind a small header, to one client: bytes a second and the server's CPU time for a gigabyte, sent by
 * the kernel (where the size makes it so) and by reading. `node bench/file-sender.ts [regionBytes] [seconds]`.
 */
const FILE_BYTES = 256 * 1024 * 1024;
const HEADER_BYTES = 100;

async function runClient(port: number): Promise<void> {
  const sink = Buffer.alloc(1024 * 1024);
  let bytes = 0;
  const socket = net.connect({
    host: '127.0.0.1',
    port,
    noDelay: true,
    onread: {
      buffer: sink,
      callback: (count) => {
        bytes += count;
        return true;
      },
    },
  });
  await once(socket, 'connect');
  process.on('message', (message) => {
    if (message === 'count') process.send?.(bytes);
    else socket.write(Buffer.from([0, 0, 0, 0, 0, 0, 0, 0]));
  });
}

async function measure(file: DiskFile, regionBytes: number, seconds: number): Promise<string> {
  let position = 0;
  let isDone = false;
  let count = 0;
  const acceptor = new Acceptor(systemEnvironment({ logger: silentLogger }), {
    listeners: [
      {
        name: 'PLAINTEXT',
        endpoint: { host: '127.0.0.1', port: 0 },
        sendBufferBytes: 200 * 1024,
        serve: (connection) => {
          const send = (): void => {
            if (isDone) return;
            count++;
            position = (position + regionBytes) % (FILE_BYTES - regionBytes);
            const region = { file, position, length: regionBytes, release: () => undefined, readFailed: () => undefined };
            connection.respond([Buffer.alloc(HEADER_BYTES), region], { onSent: () => ask() });
          };
          // One request after another, as if the client asked as soon as it has an answer.
          const ask = (): void => connection.data(Buffer.from([0, 0, 0, 0]));
          return send;
        },
      },
    ],
    maxIdleMs: 600_000,
    maxRequestBytes: 104_857_600,
  });
  await acceptor.listen();
  const client = fork(import.meta.filename, ['client', String(acceptor.addressOf('PLAINTEXT').port)]);
  const received = async (): Promise<number> => {
    client.send('count');
    const [bytes] = await once(client, 'message');
    return Number(bytes);
  };
  await received();
  client.send('start');
  await new Promise((resolve) => void setTimeout(resolve, 300));
  const [before, cpu, start, countBefore] = [await received(), process.cpuUsage(), performance.now(), count];
  const readsBefore = fileSenderTotals.reads;
  await new Promise((resolve) => void setTimeout(resolve, seconds * 1_000));
  const [after, used, elapsed] = [await received(), process.cpuUsage(cpu), performance.now() - start];
  const microseconds = (used.user + used.system) / (count - countBefore);
  const reads = fileSenderTotals.reads - readsBefore;
  isDone = true;
  const gigabytes = (after - before) / 1e9;
  client.kill();
  await acceptor.close();
  const perGigabyte = (used.user + used.system) / 1e6 / gigabytes;
  return `${(gigabytes / (elapsed / 1_000)).toFixed(2)} GB/s, ${perGigabyte.toFixed(3)} s of CPU/GB, ${microseconds.toFixed(1)} us each, ${Math.round(reads / gigabytes)} reads/GB`;
}

/** The same file without its descriptor: its bytes have to be read. */
const readOnlyByReading = (file: DiskFile): DiskFile =>
  Object.create(file, {
    descriptor: { value: null },
    read: { value: (target: Uint8Array, position: number) => file.read(target, position) },
  });

async function main(): Promise<void> {
  const [regionBytes, seconds = 2] = process.argv.slice(2).map(Number);
  const directory = mkdtempSync(join(tmpdir(), 'ottla-bench-'));
  try {
    const file = nodeDisk.open(join(directory, 'segment'), { create: true });
    for (let at = 0; at < FILE_BYTES; at += 1024 * 1024) file.write([Buffer.alloc(1024 * 1024, at)], at);
    const sizes =
      regionBytes === undefined ? [4_096, 16_384, 32_768, 65_536, 131_072, 262_144, 1_048_576, 8_388_608] : [regionBytes];
    for (const size of sizes) {
      console.log(`${size} B by the kernel: ${await measure(file, size, seconds)}`);
      console.log(`${size} B by reading:    ${await measure(readOnlyByReading(file), size, seconds)}`);
    }
    file.close();
  } finally {
    rmSync(directory, { recursive: true });
  }
}

if (process.argv[2] === 'client') await runClient(Number(process.argv[3]));
else await main();
