import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import * as net from 'node:net';
import { after, describe, it } from 'node:test';

/**
 * A server in a process of its own, so that its memory is its own: `memory-server.ts` answers every request with as many bytes
 * as its first four say, and tells its memory when asked.
 */
const server = fork(new URL('./memory-server.ts', import.meta.url), { stdio: 'inherit' });
after(() => server.kill());

async function ask(what: 'port' | 'memory' | 'connections'): Promise<number> {
  server.send(what);
  const [answer] = await once(server, 'message');
  return Number(answer);
}

const port = await ask('port');
const sockets: net.Socket[] = [];
after(() => sockets.forEach((socket) => socket.destroy()));

async function connect(): Promise<net.Socket> {
  const socket = net.connect({ host: '127.0.0.1', port, noDelay: true });
  socket.on('error', () => undefined);
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
}

async function connectMany(count: number): Promise<net.Socket[]> {
  const many: net.Socket[] = [];
  while (many.length < count) many.push(...(await Promise.all(Array.from({ length: 50 }, connect))));
  return many;
}

async function untilConnected(count: number): Promise<void> {
  while ((await ask('connections')) !== count) await new Promise((resolve) => void setImmediate(resolve));
}

function request(answerBytes: number): Buffer {
  const frame = Buffer.alloc(8);
  frame.writeInt32BE(4, 0);
  frame.writeInt32BE(answerBytes, 4);
  return frame;
}

async function exchange(socket: net.Socket, answerBytes: number): Promise<void> {
  socket.write(request(answerBytes));
  for (let received = 0; received < answerBytes; ) {
    const [chunk] = await once(socket, 'data');
    received += chunk.length;
  }
}

async function endAll(many: net.Socket[], left: number): Promise<void> {
  for (const socket of many) socket.destroy();
  await untilConnected(left);
}

const MiB = 1024 * 1024;

describe('the memory of a server', () => {
  it('needs little for 1,000 clients that are silent', async () => {
    const first = await connect();
    for (let round = 0; round < 200; round++) await exchange(first, 1_000);
    await endAll([first], 0);
    const before = await ask('memory');
    const idle = await connectMany(1_000);
    for (const socket of idle.slice(0, 500)) await exchange(socket, 100);
    for (const socket of idle.slice(500)) socket.write(Buffer.from([0, 0, 1, 0, 1, 2, 3]));
    await untilConnected(1_000);
    const grown = (await ask('memory')) - before;
    console.log(`1,000 idle connections, half of them in the middle of a frame: ${(grown / MiB).toFixed(1)} MiB`);
    assert.ok(grown < 30 * MiB, `${grown} bytes`);
    await endAll(idle, 0);
  });

  it('does not grow with what 1,000 clients claim, only with what they send, while others are served', async () => {
    const good = await connect();
    for (let round = 0; round < 200; round++) await exchange(good, 1_000);
    const before = await ask('memory');
    const claiming = await connectMany(1_000);
    const claim = Buffer.alloc(1_004);
    claim.writeInt32BE(100 * MiB);
    for (const socket of claiming) socket.write(claim);
    await untilConnected(1_001);
    for (let round = 0; round < 200; round++) await exchange(good, 1_000);
    const grown = (await ask('memory')) - before;
    console.log(`1,000 claims of 100 MiB with 1,000 bytes sent: ${(grown / MiB).toFixed(1)} MiB`);
    assert.ok(grown < 40 * MiB, `${grown} bytes`);
    await endAll(claiming, 1);
    await endAll([good], 0);
  });

  it('does not grow with the large requests of many clients, only with those that all may have together', async () => {
    const good = await connect();
    for (let round = 0; round < 200; round++) await exchange(good, 1_000);
    const before = await ask('memory');
    const sending = await connectMany(50);
    const begun = Buffer.alloc(60 * MiB);
    begun.writeInt32BE(100 * MiB);
    let taken = 0;
    for (const socket of sending) socket.write(begun, () => taken++);
    while ((await ask('memory')) - before < 220 * MiB) await exchange(good, 10_000);
    for (let round = 0; round < 200; round++) await exchange(good, 10_000);
    const grown = (await ask('memory')) - before;
    console.log(`50 requests of 100 MiB of which 60 MiB are sent: ${(grown / MiB).toFixed(1)} MiB`);
    assert.ok(grown < 500 * MiB, `${grown} bytes`);
    assert.ok(taken < 10, `${taken} were read`);
    await endAll(sending, 1);
    await endAll([good], 0);
  });

  it('does not grow with what many clients leave unread of their answers', async () => {
    const good = await connect();
    const slow = await connectMany(50);
    for (const socket of slow) {
      socket.pause();
      socket.write(request(40 * MiB));
    }
    for (let round = 0; round < 300; round++) await exchange(good, 10_000);
    const bytes = await ask('memory');
    console.log(`50 answers of 40 MiB that nobody takes: ${(bytes / MiB).toFixed(1)} MiB with the server itself`);
    assert.ok(bytes < 450 * MiB, `${bytes} bytes`);
    assert.ok((await ask('connections')) < 12, 'those with the most of it are closed');
    for (const socket of slow) socket.destroy();
    await endAll([good], 0);
  });

  it('does not grow with answers that a client does not take', async () => {
    const slow = await connect();
    slow.pause();
    const before = await ask('memory');
    const requests = Array.from({ length: 200 }, () => request(MiB));
    slow.write(Buffer.concat(requests));
    const good = await connect();
    for (let round = 0; round < 300; round++) await exchange(good, 10_000);
    const grown = (await ask('memory')) - before;
    console.log(`200 answers of 1 MiB that nobody takes: ${(grown / MiB).toFixed(1)} MiB`);
    assert.ok(grown < 30 * MiB, `${grown} bytes`);
    let received = 0;
    for await (const chunk of slow) {
      received += chunk.length;
      if (received === 200 * MiB) break;
    }
    await endAll([slow, good], 0);
  });
});
