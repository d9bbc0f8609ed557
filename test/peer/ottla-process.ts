import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export interface OttlaOptions {
  /** The log directory. */
  readonly directory: string;
  readonly properties?: Readonly<Record<string, string>>;
}

/** A node in a process of its own, which can be killed. */
export class OttlaProcess {
  readonly port: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
  }

  /** Resolves when it serves. Rejects with what it wrote when it ends instead. */
  static async start({ directory, properties = {} }: OttlaOptions): Promise<OttlaProcess> {
    const child = fork(join(import.meta.dirname, 'run-node.ts'), [directory, JSON.stringify(properties)], {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += String(chunk)));
    const ready = once(child, 'message').then(([port]) => port as number);
    const ended = once(child, 'exit').then(([code]): number => {
      throw new Error(`the node ended with ${String(code)}:\n${output}`);
    });
    const port = await Promise.race([ready, ended]);
    ended.catch(() => undefined);
    return new OttlaProcess(child, port);
  }

  /** Stops it in order. */
  stop(): Promise<void> {
    return this.#end('SIGTERM');
  }

  kill(): Promise<void> {
    return this.#end('SIGKILL');
  }

  async #end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.#child.kill(signal);
    const [code] = await exited;
    if (signal === 'SIGTERM' && code !== 0) throw new Error(`the node ended with ${String(code)}`);
  }
}
