import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KafkaPeer } from './kafka-peer.ts';
import { OttlaProcess } from './ottla-process.ts';

/** Kafka and Ottla with the same properties but for ports and directories. */
export interface TwoBrokers {
  readonly kafka: KafkaPeer;
  readonly ottla: OttlaProcess;
  /** Where Ottla's controller listens; Kafka's listens 10,000 above its broker. */
  readonly controllerPort: number;
  /** Texts that stand for each other in answers: addresses and directories. */
  readonly texts: readonly (readonly [kafka: string, ottla: string])[];
  stop(): Promise<void>;
}

export async function startTwoBrokers(properties: Readonly<Record<string, string>> = {}): Promise<TwoBrokers> {
  const root = mkdtempSync(join(tmpdir(), 'ottla-peer-'));
  const kafka = await KafkaPeer.start({ directory: join(root, 'kafka'), properties });
  const [port, controllerPort] = await freePorts();
  const texts: readonly (readonly [string, string])[] = [
    [`127.0.0.1:${kafka.port}`, `127.0.0.1:${port}`],
    [`127.0.0.1:${kafka.port + 10_000}`, `127.0.0.1:${controllerPort}`],
    [join(root, 'kafka', 'data'), join(root, 'ottla', 'data')],
  ];
  const toOurs = (text: string): string => texts.reduce((changed, [theirs, ours]) => changed.replaceAll(theirs, ours), text);
  const ours = Object.fromEntries([...kafka.properties].map(([name, value]) => [name, toOurs(value)]));
  const ottla = await OttlaProcess.start({ directory: join(root, 'ottla', 'data'), properties: ours });
  const stop = async (): Promise<void> => {
    await ottla.stop();
    await kafka.stop();
    rmSync(root, { recursive: true, force: true });
  };
  return { kafka, ottla, controllerPort, texts, stop };
}

/** Ports that nobody listened on a moment ago: a controller's has to be known before it is opened. */
export async function freePorts(): Promise<readonly [number, number]> {
  const servers = await Promise.all(
    [0, 0].map(
      (port) =>
        new Promise<ReturnType<typeof createServer>>((resolve) => {
          const server = createServer();
          server.listen(port, '127.0.0.1', () => resolve(server));
        }),
    ),
  );
  const [first = 0, second = 0] = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return [first, second];
}
