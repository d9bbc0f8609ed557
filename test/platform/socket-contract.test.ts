import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { DiskError } from '../../src/base/disk.ts';
import type { Disk, DiskFile, FileRegion, Part } from '../../src/base/disk.ts';
import type { Network, Socket, TlsOptions } from '../../src/base/network.ts';
import { fileSenderTotals } from '../../src/platform/file-sender.ts';
import { cLibrary } from '../../src/platform/native/c-library.ts';
import { nodeDisk } from '../../src/platform/node-disk.ts';
import { nodeNetwork } from '../../src/platform/node-network.ts';
import { Scheduler } from '../../simulation/scheduler.ts';
import { SimulatedDisk } from '../../simulation/simulated-disk.ts';
import { SimulatedNetwork } from '../../simulation/simulated-network.ts';
import { SimulatedRandom } from '../../simulation/simulated-random.ts';

const directory = mkdtempSync(join(tmpdir(), 'ottla-socket-'));
after(() => rmSync(directory, { recursive: true, force: true }));

const golden = (name: string): string => readFileSync(new URL(`../golden/tls/${name}`, import.meta.url), 'utf8');
const serverTls: TlsOptions = { certificate: golden('certificate.pem'), key: golden('key.pem') };
const clientTls: TlsOptions = { authorities: golden('certificate.pem'), serverName: 'localhost' };

interface World {
  readonly network: Network;
  readonly disk: Disk;
  readonly root: string;
  readonly tls?: { readonly server: TlsOptions; readonly client: TlsOptions };
  readonly sendBufferBytes?: number;
  /** How the file is shown to the socket. */
  readonly shown: (file: DiskFile) => DiskFile;
  /** Lets the world go on until the condition holds. */
  until(condition: () => boolean): Promise<void>;
}

const DEADLINE_MS = 20_000;

async function untilReal(condition: () => boolean): Promise<void> {
  const end = performance.now() + DEADLINE_MS;
  while (!condition()) {
    if (performance.now() > end) throw new Error('the condition does not come true');
    await new Promise((resolve) => void setImmediate(resolve));
  }
}

/** The same file without its descriptor, so that its bytes have to be read. */
function withoutDescriptor(file: DiskFile): DiskFile {
  return Object.create(file, {
    descriptor: { value: null },
    read: { value: (target: Uint8Array, position: number) => file.read(target, position) },
  });
}

const realWorld = (change: Partial<World>): World => ({
  network: nodeNetwork,
  disk: nodeDisk,
  root: directory,
  shown: (file) => file,
  until: untilReal,
  ...change,
});

function simulatedWorld(isFragmenting: boolean): World {
  const scheduler = new Scheduler();
  const options = { isFragmenting, delayMs: [0, 3] as const };
  return {
    network: new SimulatedNetwork(scheduler, new SimulatedRandom(5), options).host('node'),
    disk: new SimulatedDisk(),
    root: '/',
    shown: (file) => file,
    until: (condition) => scheduler.runUntil(condition, 1_000_000),
  };
}

class Recorder {
  readonly hash = createHash('sha1');
  bytes = 0;
  ended = 0;
  drained = 0;
  closed: (Error | null)[] = [];
  isInWrite = false;
  readonly socket: Socket;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.start({
      data: (chunk) => {
        this.hash.update(chunk);
        this.bytes += chunk.byteLength;
      },
      ended: () => this.ended++,
      drained: () => {
        assert.equal(this.isInWrite, false, 'nobody is called back from within a write');
        assert.equal(socket.pendingBytes, 0);
        this.drained++;
      },
      closed: (error) => this.closed.push(error),
    });
  }

  write(parts: Part[]): void {
    this.isInWrite = true;
    this.socket.write(parts);
    this.isInWrite = false;
  }
}

const worlds: [string, World][] = [
  ['plaintext, files by the kernel', realWorld({})],
  ['plaintext with a small send buffer, files by the kernel', realWorld({ sendBufferBytes: 64 * 1024 })],
  ['plaintext, files by reading', realWorld({ shown: withoutDescriptor })],
  ['TLS', realWorld({ tls: { server: serverTls, client: clientTls } })],
  ['the simulated network', simulatedWorld(false)],
  ['the simulated network in odd pieces', simulatedWorld(true)],
];

for (const [name, world] of worlds) {
  describe(`a socket (${name})`, () => {
    let files = 0;

    /** Both ends, the server's first. */
    async function connected(): Promise<[Recorder, Recorder]> {
      const accepted: Recorder[] = [];
      const tls = world.tls;
      const listener = await world.network.listen(
        { host: '127.0.0.1', port: 0 },
        {
          accept: (socket) => accepted.push(new Recorder(socket)),
          ...(tls === undefined ? {} : { tls: tls.server }),
          ...(world.sendBufferBytes === undefined ? {} : { sendBufferBytes: world.sendBufferBytes }),
        },
      );
      const attempt = world.network.connect(
        { host: '127.0.0.1', port: listener.address.port },
        { timeoutMs: 10_000, ...(tls === undefined ? {} : { tls: tls.client }) },
      );
      let client: Socket | undefined;
      attempt.then(
        (socket) => (client = socket),
        () => undefined,
      );
      await world.until(() => client !== undefined && accepted.length === 1);
      await listener.close();
      const [server] = accepted;
      assert.ok(server && client);
      return [server, new Recorder(client)];
    }

    function fileOf(content: Uint8Array): DiskFile {
      const file = world.disk.open(join(world.root, `file-${files++}`), { create: true });
      file.write([content], 0);
      return file;
    }

    interface Watched extends FileRegion {
      released: number;
      failures: DiskError[];
    }

    function region(file: DiskFile, position: number, length: number): Watched {
      return {
        file: world.shown(file),
        position,
        length,
        released: 0,
        failures: [],
        release() {
          this.released++;
        },
        readFailed(error) {
          this.failures.push(error);
        },
      };
    }

    const content = Buffer.from(new SimulatedRandom(99).bytes(9_000_000));

    async function finish(...recorders: Recorder[]): Promise<void> {
      for (const { socket } of recorders) socket.destroy();
      await world.until(() => recorders.every(({ closed }) => closed.length > 0));
      for (const { closed } of recorders) assert.equal(closed.length, 1);
    }

    it('brings bytes and file regions over in order and exactly', async () => {
      const [server, client] = await connected();
      const file = fileOf(content);
      const random = new SimulatedRandom(3);
      const lengths = [0, 1, 100, 4_000, 16_384, 65_536, 65_537, 262_143, 262_144, 300_000, 1_048_576, 5_000_000];
      const regions: Watched[] = [];
      const expected = createHash('sha1');
      let total = 0;
      const before = { ...fileSenderTotals };
      for (let round = 0; round < 30; round++) {
        const parts: Part[] = [];
        for (let at = random.integer(6); at >= 0; at--) {
          const length = random.pick(lengths);
          const position = random.integer(content.length - length);
          const bytes = content.subarray(position, position + length);
          expected.update(bytes);
          total += length;
          if (random.oneIn(2)) parts.push(bytes);
          else parts.push(regions[regions.push(region(file, position, length)) - 1] ?? bytes);
        }
        server.write(parts);
        if (random.oneIn(3)) await world.until(() => server.socket.pendingBytes === 0);
      }
      await world.until(() => client.bytes === total && server.socket.pendingBytes === 0);
      assert.equal(client.hash.digest('hex'), expected.digest('hex'));
      assert.ok(regions.length > 10);
      assert.deepEqual(new Set(regions.map(({ released }) => released)), new Set([1]));
      await world.until(() => server.drained > 0);
      if (name.includes('by the kernel') && cLibrary() !== null) {
        assert.ok(fileSenderTotals.bytesByKernel > before.bytesByKernel + 1_000_000, 'the kernel moved the bytes');
      }
      if (name === 'TLS') assert.equal(fileSenderTotals.bytesByKernel, before.bytesByKernel);
      await finish(server, client);
      file.close();
    });

    it('waits for a slow reader without holding more than its pieces in memory', async () => {
      const [server, client] = await connected();
      const file = fileOf(content);
      client.socket.pause();
      const sent = Array.from({ length: 6 }, () => region(file, 0, content.length));
      const expected = createHash('sha1');
      for (const _ of sent) expected.update(content);
      server.write(sent);
      const stalled = await quiet(() => server.socket.pendingBytes);
      assert.ok(stalled > 10_000_000, `${stalled} bytes wait`);
      const taken = 6 * content.length - stalled;
      if (world.sendBufferBytes !== undefined) assert.ok(cLibrary() === null || taken < 1_000_000, `${taken} bytes were taken`);
      assert.equal(server.drained, 0);
      client.socket.resume();
      await world.until(() => client.bytes === 6 * content.length && server.drained === 1);
      assert.equal(client.hash.digest('hex'), expected.digest('hex'));
      assert.ok(sent.every(({ released }) => released === 1));
      await finish(server, client);
      file.close();
    });

    /** The value once it has stopped to change for many turns. */
    async function quiet(read: () => number): Promise<number> {
      let last = read();
      let same = 0;
      let turns = 0;
      await world
        .until(() => {
          same = read() === last ? same + 1 : 0;
          last = read();
          turns++;
          return same > 200 || (turns > 10_000 && same > 10);
        })
        .catch(() => undefined);
      return last;
    }

    it('lets go of everything when the peer goes away in the middle', async () => {
      const [server, client] = await connected();
      const file = fileOf(content);
      const sent = Array.from({ length: 8 }, () => region(file, 0, content.length));
      client.socket.pause();
      server.write(sent);
      client.socket.destroy();
      await world.until(() => server.closed.length > 0 && client.closed.length > 0);
      assert.deepEqual(new Set(sent.map(({ released }) => released)), new Set([1]));
      assert.ok(
        sent.every(({ failures }) => failures.length === 0),
        'a lost socket is not a bad disk',
      );
      assert.equal(server.closed.length, 1);
      const late = region(file, 0, 10);
      server.write([late]);
      assert.equal(late.released, 1);
      file.close();
    });

    it('tells the region when the disk fails, and cuts the connection', async () => {
      const [server, client] = await connected();
      const failing: DiskFile = {
        ...({} as DiskFile),
        path: '/bad',
        descriptor: null,
        read: () => {
          throw new DiskError('EIO', '/bad', 'EIO: read');
        },
      };
      const good = region(fileOf(content), 0, 100);
      const bad = { ...region(failing, 0, 1_000_000), file: failing };
      const next = region(fileOf(content), 0, 100);
      server.write([good, Buffer.from('x'), bad, next]);
      await world.until(() => server.closed.length > 0 && client.closed.length + client.ended > 0);
      assert.deepEqual([good.released, bad.released, next.released], [1, 1, 1]);
      assert.deepEqual(
        bad.failures.map(({ code }) => code),
        ['EIO'],
      );
      assert.equal(next.failures.length + good.failures.length, 0);
      assert.ok(server.closed[0] instanceof DiskError);
      await finish(client);
    });

    it('cuts the connection when the file ends before the region, which is no failure of the disk', async () => {
      const [server, client] = await connected();
      for (const length of [2_000, 2_000_000]) {
        const file = fileOf(content.subarray(0, 1_000));
        const short = region(file, 0, length);
        server.write([short]);
        await world.until(() => short.released > 0);
        assert.equal(short.failures.length, 0);
        file.close();
      }
      await world.until(() => server.closed.length > 0);
      assert.match(String(server.closed[0]), /ends before/);
      await finish(client);
    });

    it('goes on sending a file whose name is removed', async () => {
      const [server, client] = await connected();
      const file = fileOf(content);
      client.socket.pause();
      const sent = region(file, 0, content.length);
      server.write([sent]);
      world.disk.remove(file.path);
      client.socket.resume();
      await world.until(() => client.bytes === content.length && sent.released === 1);
      assert.equal(client.hash.digest('hex'), createHash('sha1').update(content).digest('hex'));
      await finish(server, client);
      file.close();
    });

    it('still answers a peer that has sent its last byte, and then both are closed', async () => {
      const [server, client] = await connected();
      client.write([Buffer.from('question')]);
      client.socket.end();
      await world.until(() => server.ended === 1);
      assert.equal(server.bytes, 8);
      assert.equal(client.closed.length, 0);
      server.write([Buffer.from('answer')]);
      server.socket.end();
      await world.until(() => client.closed.length === 1 && server.closed.length === 1);
      assert.deepEqual([client.bytes, client.ended, client.closed[0], server.closed[0]], [6, 1, null, null]);
    });

    it('sends what is pending before its end', async () => {
      const [server, client] = await connected();
      const file = fileOf(content);
      server.write([Buffer.from('x'), region(file, 0, content.length)]);
      server.socket.end();
      const late = region(file, 0, 5);
      server.write([late]);
      assert.equal(late.released, 1, 'nothing follows the end');
      await world.until(() => client.ended === 1);
      assert.equal(client.bytes, content.length + 1);
      await finish(server, client);
      file.close();
    });

    it('knows both addresses, and says so when nobody listens', async () => {
      const [server, client] = await connected();
      assert.equal(server.socket.remote.port, client.socket.local.port);
      assert.equal(server.socket.local.port, client.socket.remote.port);
      assert.equal(server.socket.isTls, world.tls !== undefined);
      const port = server.socket.local.port;
      await finish(server, client);
      let failure: unknown;
      world.network.connect({ host: '127.0.0.1', port }, { timeoutMs: 5_000 }).catch((error: unknown) => (failure = error));
      await world.until(() => failure !== undefined);
      assert.match(String(failure), /ECONNREFUSED|nobody listens/);
    });
  });
}
