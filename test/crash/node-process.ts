import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { metadata } from '../../src/protocol/messages/03-metadata.ts';
import { WireClient } from '../conformance/wire-client.ts';

const repository = join(import.meta.dirname, '..', '..');
const METADATA_VERSION = 12;
const MS_A_TICK = 10;

export interface NodeProcessOptions {
  readonly directory: string;
  readonly properties?: Readonly<Record<string, string>>;
  /** Runs what `npm run build` made instead of the sources. */
  readonly isBuilt?: boolean;
}

interface Ready {
  readonly event: string;
  readonly listeners: readonly { readonly port: number }[];
}

/** `ottla start` in a process of its own, which can be killed at any moment. */
export class NodeProcess {
  /** When it was asked for, by `performance.now`. */
  readonly spawnedAt = performance.now();
  readonly #child: ChildProcess;
  readonly #exited: Promise<number | null>;
  #port: number | null = null;
  /** What it logged: one JSON object a line. */
  log = '';

  constructor({ directory, properties = {}, isBuilt = false }: NodeProcessOptions) {
    const main = join(repository, isBuilt ? 'dist/cli/main.js' : 'src/cli/main.ts');
    const configs = Object.entries(properties).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
    const args = [main, 'start', '--data', directory, '--port', '0', '--json', ...configs];
    this.#child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child.stderr?.on('data', (chunk: Buffer) => (this.log += chunk.toString()));
    this.#exited = once(this.#child, 'exit').then(([code]) => code as number | null);
  }

  /** Starts a node and resolves when it serves. */
  static async start(options: NodeProcessOptions): Promise<NodeProcess> {
    const node = new NodeProcess(options);
    await node.ready();
    return node;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get port(): number {
    if (this.#port === null) throw new Error('the node does not serve yet');
    return this.#port;
  }

  /** Resolves with the port that it serves. Rejects with its log when it ends instead. */
  async ready(): Promise<number> {
    const { stdout } = this.#child;
    if (stdout === null) throw new Error('the node has a standard output');
    let text = '';
    const line = new Promise<string>((resolve) => {
      stdout.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        if (text.includes('\n')) resolve(text);
      });
    });
    const failed = this.#exited.then((code): string => {
      throw new Error(`the node ended with ${code}:\n${this.log}`);
    });
    const { listeners } = JSON.parse(await Promise.race([line, failed])) as Ready;
    failed.catch(() => undefined);
    this.#port = listeners[0]?.port ?? 0;
    return this.#port;
  }

  /** Milliseconds from its spawning until Metadata tells a leader for every partition of these topics. */
  async leadersKnown(topics: readonly string[]): Promise<number> {
    const wire = await WireClient.open(await this.ready());
    try {
      for (;;) {
        const answer = await wire.ask(metadata, METADATA_VERSION, {
          topics: topics.map((name) => ({ name, topicId: 'AAAAAAAAAAAAAAAAAAAAAA' })),
          allowAutoTopicCreation: false,
          includeTopicAuthorizedOperations: false,
        });
        const hasLeaders = answer.topics.every(
          (topic) =>
            topic.errorCode === 0 && topic.partitions.every(({ errorCode, leaderId }) => errorCode === 0 && leaderId >= 0),
        );
        if (hasLeaders && answer.topics.length === topics.length) return performance.now() - this.spawnedAt;
      }
    } finally {
      wire.close();
    }
  }

  /** Milliseconds of processor that it has used so far; null where the system does not tell. */
  get cpuMs(): number | null {
    try {
      // Behind the name in parentheses, fields 14 and 15: user and system time in ticks of 10 ms.
      const fields = readFileSync(`/proc/${this.pid}/stat`, 'latin1')
        .replace(/^.*\) /, '')
        .split(' ');
      return (Number(fields[11]) + Number(fields[12])) * MS_A_TICK;
    } catch {
      return null;
    }
  }

  /** Bytes that it has read from files so far, from the page cache or not; null where the system does not tell. */
  get bytesRead(): number | null {
    try {
      return Number(/^rchar: (\d+)$/m.exec(readFileSync(`/proc/${this.pid}/io`, 'latin1'))?.[1]);
    } catch {
      return null;
    }
  }

  /** Resolves when it is dead. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
  }

  /** Stops it in order and gives the milliseconds that it took. Throws if it did not end well. */
  async stop(): Promise<number> {
    const askedAt = performance.now();
    this.#child.kill('SIGTERM');
    const code = await this.#exited;
    if (code !== 0) throw new Error(`the node ended with ${code}:\n${this.log}`);
    return performance.now() - askedAt;
  }
}
