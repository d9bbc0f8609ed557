import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { openConnection } from './open-connection.ts';

/** The script that starts Apache Kafka for comparison: `start DIR PORT`, `stop DIR`, `tool CLASS ARGS`. */
export const peerScript = resolve(process.env['KAFKA_PEER'] ?? '../shared/peer/kafka');
export const hasPeer = (): boolean => existsSync(peerScript);

/** A broker under measurement: a process of its own. */
export interface MeasuredBroker {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
  /** From the start of the process to the first answered ApiVersions request. */
  readonly startMs: number;
  readonly directory: string;
  /** Ends the process in order and leaves its files. */
  exit(): Promise<void>;
  stop(): Promise<void>;
}

const properties = ['num.partitions=1', 'auto.create.topics.enable=true'];

export async function startOttla(
  port: number,
  options: { entry?: string; settings?: readonly string[]; nodeOptions?: readonly string[]; directory?: string } = {},
): Promise<MeasuredBroker> {
  const directory = options.directory ?? mkdtempSync(join(tmpdir(), 'ottla-bench-'));
  const entry = resolve(options.entry ?? 'dist/cli/main.js');
  const settings = [...properties, ...(options.settings ?? [])].flatMap((setting) => ['--set', setting]);
  const args = [
    ...(options.nodeOptions ?? []),
    entry,
    'start',
    '--port',
    String(port),
    '--data',
    directory,
    '--quiet',
    ...settings,
  ];
  const begun = performance.now();
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const startMs = await firstAnswer(port, begun, child);
  return {
    name: 'Ottla',
    port,
    pid: child.pid ?? 0,
    startMs,
    directory,
    exit: () => ended(child, 'SIGTERM'),
    stop: async () => {
      await ended(child, 'SIGTERM');
      if (options.directory === undefined) rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** A directory that is given is one that has been started before, and stays. */
export async function startKafka(
  port: number,
  options: { settings?: readonly string[]; directory?: string } = {},
): Promise<MeasuredBroker> {
  const directory = options.directory ?? mkdtempSync(join(tmpdir(), 'kafka-bench-'));
  const settings = [...properties, ...(options.settings ?? [])];
  // The first start formats the directory; the second one is what is measured.
  if (options.directory === undefined) {
    peer(['start', directory, String(port), ...settings]);
    peer(['stop', directory]);
  }
  const classPath = `${peer(['jars']).trim()}/*`;
  const begun = performance.now();
  const child = spawn('java', ['-Xmx1g', '-cp', classPath, 'kafka.Kafka', join(directory, 'server.properties')], {
    stdio: 'ignore',
  });
  const startMs = await firstAnswer(port, begun, child);
  return {
    name: 'Apache Kafka 4.4.0',
    port,
    pid: child.pid ?? 0,
    startMs,
    directory,
    exit: () => ended(child, 'SIGTERM'),
    stop: async () => {
      await ended(child, 'SIGTERM');
      if (options.directory === undefined) rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Runs the peer script to its end and gives what it printed. */
export function peer(args: readonly string[], environment: Record<string, string> = {}): string {
  const run = spawnSync(peerScript, args, { encoding: 'utf8', maxBuffer: 1 << 28, env: { ...process.env, ...environment } });
  if (run.status !== 0)
    throw new Error(`${peerScript} ${args.join(' ')} exited with ${run.status}: ${run.stderr}\n${run.stdout}`);
  return run.stdout;
}

/** The same for a tool whose report counts even if it fails afterwards, as when it cannot commit offsets. */
export function peerReport(args: readonly string[]): string {
  return spawnSync(peerScript, args, { encoding: 'utf8', maxBuffer: 1 << 28 }).stdout;
}

/** Resident memory of a process in MB. */
export function residentMegabytes(pid: number): number {
  const line = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1] ?? Number.NaN) / 1024;
}

/** User and system seconds that a process has used so far. */
export function cpuSeconds(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ticksPerSecond = 100;
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** Retries until an ApiVersions v0 request is answered. */
async function firstAnswer(port: number, begun: number, child: ChildProcess): Promise<number> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the broker on port ${port} exited with ${child.exitCode}`);
    if (await answers(port)) return performance.now() - begun;
    if (performance.now() - begun > 60_000) throw new Error(`no answer on port ${port} within a minute`);
    await new Promise((resolveWait) => setTimeout(resolveWait, 2));
  }
}

async function answers(port: number): Promise<boolean> {
  const socket = await openConnection(port);
  socket?.destroy();
  return socket !== null;
}

function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  return new Promise((done) => {
    if (child.exitCode !== null) return done();
    child.once('exit', () => done());
    child.kill(signal);
  });
}
