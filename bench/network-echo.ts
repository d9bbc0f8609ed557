import { fork } from 'node:child_process';
import { once } from 'node:events';
import * as net from 'node:net';
import { Acceptor } from '../src/network/acceptor.ts';
import { silentLogger } from '../src/base/logger.ts';
import { systemEnvironment } from '../src/platform/system-environment.ts';

/**
 * Small frames through Acceptor and Connection and back: requests a second, and the server's CPU time for each.
 * The load comes from a process of its own: `node bench/network-echo.ts [connections] [pipelined] [seconds]`.
 */
const FRAME_BYTES = 100;

async function runClient(port: number, connections: number, pipelined: number): Promise<void> {
  const frame = Buffer.alloc(4 + FRAME_BYTES, 1);
  frame.writeInt32BE(FRAME_BYTES);
  const burst = Buffer.concat(Array.from({ length: pipelined }, () => frame));
  let answers = 0;
  for (let at = 0; at < connections; at++) {
    const socket = net.connect({ host: '127.0.0.1', port, noDelay: true });
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    let bytes = 0;
    socket.on('data', (chunk) => {
      bytes += chunk.length;
      const whole = Math.floor(bytes / frame.length);
      bytes -= whole * frame.length;
      answers += whole;
      if (pipelined === 1) socket.write(frame);
      else if (whole > 0) socket.write(whole === pipelined ? burst : burst.subarray(0, whole * frame.length));
    });
    socket.write(burst);
  }
  process.on('message', () => process.send?.(answers));
}

async function main(): Promise<void> {
  const [connections = 50, pipelined = 1, seconds = 5] = process.argv.slice(2).map(Number);
  const acceptor = new Acceptor(systemEnvironment({ logger: silentLogger }), {
    listeners: [
      {
        name: 'PLAINTEXT',
        endpoint: { host: '127.0.0.1', port: 0 },
        serve: (connection) => (frame) => {
          const answer = Buffer.allocUnsafe(4 + frame.byteLength);
          answer.writeInt32BE(frame.byteLength);
          answer.set(frame, 4);
          connection.respond([answer]);
        },
      },
    ],
    maxIdleMs: 600_000,
    maxRequestBytes: 104_857_600,
  });
  await acceptor.listen();
  const { port } = acceptor.addressOf('PLAINTEXT');
  const client = fork(import.meta.filename, ['client', String(port), String(connections), String(pipelined)]);
  const count = async (): Promise<number> => {
    client.send('count');
    const [answers] = await once(client, 'message');
    return Number(answers);
  };
  await new Promise((resolve) => void setTimeout(resolve, 1_000));
  const [before, cpu, start] = [await count(), process.cpuUsage(), performance.now()];
  await new Promise((resolve) => void setTimeout(resolve, seconds * 1_000));
  const [after, used, elapsed] = [await count(), process.cpuUsage(cpu), performance.now() - start];
  const exchanged = after - before;
  const microseconds = (used.user + used.system) / exchanged;
  console.log(
    `${connections} connections, ${pipelined} pipelined: ${Math.round(exchanged / (elapsed / 1_000))} requests/s, ` +
      `${microseconds.toFixed(2)} us of server CPU each`,
  );
  client.kill();
  await acceptor.close();
}

if (process.argv[2] === 'client') await runClient(Number(process.argv[3]), Number(process.argv[4]), Number(process.argv[5]));
else await main();
