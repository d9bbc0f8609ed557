import { fork } from 'node:child_process';
import { once } from 'node:events';
import * as net from 'node:net';
import { silentLogger } from '../src/base/logger.ts';
import { defineHandler } from '../src/broker/handler.ts';
import { Acceptor } from '../src/network/acceptor.ts';
import { systemEnvironment } from '../src/platform/system-environment.ts';
import { encodeRequest } from '../src/protocol/header.ts';
import { describeCluster } from '../src/protocol/messages/60-describe-cluster.ts';
import { RequestPipeline } from '../src/server/request-pipeline.ts';

/**
 * DescribeCluster through everything that all requests share, with a handler that does nothing: requests a second, and the server's
 * CPU time for each. `node bench/request-pipeline.ts [connections] [pipelined] [seconds]`.
 */
const request = encodeRequest(
  describeCluster,
  1,
  { correlationId: 7, clientId: 'bench-client' },
  { includeClusterAuthorizedOperations: false, includeFencedBrokers: false },
);

async function runClient(port: number, connections: number, pipelined: number): Promise<void> {
  const burst = Buffer.concat(Array.from({ length: pipelined }, () => request));
  let answers = 0;
  for (let at = 0; at < connections; at++) {
    const socket = net.connect({ host: '127.0.0.1', port, noDelay: true });
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    let bytes = 0;
    let answerBytes = 0;
    socket.on('data', (chunk: Buffer) => {
      if (answerBytes === 0) answerBytes = 4 + chunk.readInt32BE(0);
      bytes += chunk.length;
      const whole = Math.floor(bytes / answerBytes);
      bytes -= whole * answerBytes;
      answers += whole;
      if (whole > 0) socket.write(whole === pipelined ? burst : burst.subarray(0, whole * request.length));
    });
    socket.write(burst);
  }
  process.on('message', () => process.send?.(answers));
}

async function main(): Promise<void> {
  const [connections = 50, pipelined = 1, seconds = 5] = process.argv.slice(2).map(Number);
  const environment = systemEnvironment({ logger: silentLogger });
  const handler = defineHandler({
    api: describeCluster,
    handle: () => ({
      clusterId: 'a cluster',
      controllerId: 1,
      brokers: [{ brokerId: 1, host: 'localhost', port: 9092, isFenced: false }],
    }),
    failed: (_, error) => ({ errorCode: error.code, clusterId: '', brokers: [] }),
  });
  const { serve } = new RequestPipeline(environment, { handlers: [handler] });
  const acceptor = new Acceptor(environment, {
    listeners: [{ name: 'PLAINTEXT', endpoint: { host: '127.0.0.1', port: 0 }, serve }],
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
  const microseconds = (used.user + used.system) / (after - before);
  console.log(
    `${connections} connections, ${pipelined} pipelined: ${Math.round((after - before) / (elapsed / 1_000))} requests/s, ` +
      `${microseconds.toFixed(2)} us of server CPU each`,
  );
  client.kill();
  await acceptor.close();
}

if (process.argv[2] === 'client') await runClient(Number(process.argv[3]), Number(process.argv[4]), Number(process.argv[5]));
else await main();
