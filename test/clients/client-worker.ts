import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** Where the suite `clients` installs other people's clients, and the peer Kafka's jars. */
const clientsHome = join(process.env['SUITES_HOME'] ?? join(homedir(), '.cache/ottla-suites'), 'clients');
const kafkaLibrary = process.env['KAFKA_LIB'] ?? join(homedir(), '.cache/ottla-peer/lib');

/** The Node.js of the machine: native clients are built for that. */
const machinePath = (process.env['PATH'] ?? '')
  .split(':')
  .filter((entry) => !entry.includes('node_modules'))
  .join(':');

const script = (name: string): string => join(import.meta.dirname, name);

interface ClientProgram {
  readonly command: readonly string[];
  /** What has to be there. */
  readonly needs: string;
}

const javascript = (name: string, packageName: string, node: string): ClientProgram => ({
  command: [node, script('worker.mjs'), name],
  needs: join(clientsHome, 'node_modules', packageName),
});

export const clientPrograms: Readonly<Record<string, ClientProgram>> = {
  KafkaJS: javascript('kafkajs', 'kafkajs', process.execPath),
  '@platformatic/kafka': javascript('platformatic', '@platformatic/kafka', process.execPath),
  '@confluentinc/kafka-javascript': javascript('confluent', '@confluentinc/kafka-javascript', 'node'),
  'confluent-kafka': {
    command: [join(clientsHome, 'python/bin/python'), script('worker.py')],
    needs: join(clientsHome, 'python/bin/python'),
  },
  java: { command: ['java', '-Xmx256m', '-cp', `${kafkaLibrary}/*`, script('Worker.java')], needs: kafkaLibrary },
};

export type Answer = { readonly value: unknown } | { readonly error: string };

/** One client in a process of its own, which does one thing after the other. */
export class ClientWorker {
  readonly #child: ChildProcess;
  readonly #waiting: ((answer: Answer) => void)[] = [];
  #complaint = '';
  #hasEnded = false;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** Null if the client is not on this machine. */
  static async start(name: string, broker: string): Promise<ClientWorker | null> {
    const program = clientPrograms[name];
    if (program === undefined || !existsSync(program.needs)) return null;
    const [command = '', ...args] = program.command;
    const env = { ...process.env, PATH: machinePath, KAFKAJS_NO_PARTITIONER_WARNING: '1' };
    const child = spawn(command, [...args, broker], { cwd: clientsHome, stdio: ['pipe', 'pipe', 'pipe'], env });
    const worker = new ClientWorker(child);
    worker.#listen();
    const answer = await worker.#next(START_MS);
    if ('error' in answer) throw new Error(`${name} does not start: ${answer.error}`);
    return worker;
  }

  async ask(request: object, limitMs = ANSWER_MS): Promise<Answer> {
    const answer = this.#next(limitMs);
    if (!this.#hasEnded) this.#child.stdin?.write(`${JSON.stringify(request)}\n`);
    return await answer;
  }

  stop(): void {
    this.#child.kill('SIGKILL');
  }

  #listen(): void {
    const { stdout, stderr } = this.#child;
    stderr?.on('data', (chunk) => (this.#complaint = (this.#complaint + String(chunk)).slice(-2000)));
    const ended = (): void => {
      this.#hasEnded = true;
      for (const resolve of this.#waiting.splice(0)) resolve(this.#endedAnswer);
    };
    this.#child.on('error', (error) => (this.#complaint = error.message)).on('close', ended);
    if (stdout === null) return;
    createInterface({ input: stdout }).on('line', (line) => {
      if (line.startsWith('@')) this.#waiting.shift()?.(JSON.parse(line.slice(1)) as Answer);
    });
  }

  get #endedAnswer(): Answer {
    return { error: `the client's process ended: ${this.#complaint.trim().split('\n').at(-1) ?? ''}` };
  }

  #next(limitMs: number): Promise<Answer> {
    if (this.#hasEnded) return Promise.resolve(this.#endedAnswer);
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#child.kill('SIGKILL');
        resolve({ error: `no answer in ${limitMs / 1000} s` });
      }, limitMs);
      this.#waiting.push((answer) => {
        clearTimeout(timer);
        resolve(answer);
      });
    });
  }
}

const START_MS = 60_000;
const ANSWER_MS = 90_000;
