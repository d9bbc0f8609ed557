import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { listOffsets } from '../../src/protocol/messages/02-list-offsets.ts';
import { metadata } from '../../src/protocol/messages/03-metadata.ts';
import { WireClient } from '../conformance/wire-client.ts';

/** The script that fetches, starts and stops Apache Kafka. */
const script = resolve(import.meta.dirname, '../..', process.env['KAFKA_PEER'] ?? '../shared/peer/kafka');
/** Kafka's controller listens 10,000 above. */
const port = Number(process.env['KAFKA_PEER_PORT'] ?? 21_900);

const LOG_CONFIG = `status=ERROR
appender.console.type=Console
appender.console.name=console
appender.console.layout.type=PatternLayout
appender.console.layout.pattern=%p %c{1} %m%n
rootLogger.level=INFO
rootLogger.appenderRef.console.ref=console
`;

export interface KafkaOptions {
  /** Its data lies in `data` below. */
  readonly directory: string;
  readonly properties?: Readonly<Record<string, string>>;
}

/** A broker of one of Apache Kafka 4.4. */
export class KafkaPeer {
  readonly port = port;
  readonly directory: string;
  readonly #pid: number;

  private constructor(directory: string, pid: number) {
    this.directory = directory;
    this.#pid = pid;
  }

  /** Resolves when it answers with itself as a broker. */
  static async start({ directory, properties = {} }: KafkaOptions): Promise<KafkaPeer> {
    mkdirSync(directory, { recursive: true });
    const logging = join(directory, 'log4j2.properties');
    writeFileSync(logging, LOG_CONFIG);
    const texts = Object.entries(properties).map(([name, value]) => `${name}=${value}`);
    await run(['start', directory, String(port), ...texts], { JAVA_TOOL_OPTIONS: `-Dlog4j2.configurationFile=${logging}` });
    const pid = Number(readFileSync(join(directory, 'pid'), 'utf8'));
    const kafka = new KafkaPeer(directory, pid);
    await kafka.#serves();
    return kafka;
  }

  /** What it logged at WARN and above, but for what it always says. */
  get complaints(): string {
    return this.log.replaceAll(/^(?:(?!WARN|ERROR|FATAL).*|.* Performing controller activation.*)\n/gm, '');
  }

  /** Its server.properties. */
  get properties(): ReadonlyMap<string, string> {
    const lines = readFileSync(join(this.directory, 'server.properties'), 'utf8').trim().split('\n');
    return new Map(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
  }

  get log(): string {
    return readFileSync(join(this.directory, 'server.log'), 'utf8');
  }

  async stop(): Promise<void> {
    await run(['stop', this.directory]);
  }

  kill(): void {
    process.kill(this.#pid, 'SIGKILL');
  }

  /** It accepts connections before it knows of itself, and leads in its own eyes before it can be read from. */
  async #serves(): Promise<void> {
    const client = await WireClient.open(this.port);
    const deadline = performance.now() + 60_000;
    try {
      while (!(await isServing(client))) {
        if (performance.now() > deadline) throw new Error(`Kafka does not serve:\n${this.log}`);
      }
    } finally {
      client.close();
    }
  }
}

async function isServing(client: WireClient): Promise<boolean> {
  const request = { topics: null, includeTopicAuthorizedOperations: false };
  const { brokers, topics } = await client.ask(metadata, 12, request);
  if (brokers.length !== 1) return false;
  const { topics: offsets } = await client.ask(listOffsets, 7, {
    replicaId: -1,
    isolationLevel: 0,
    topics: topics.map(({ name, partitions }) => ({
      name: name ?? '',
      partitions: partitions.map(({ partitionIndex }) => ({ partitionIndex, timestamp: -1 })),
    })),
    timeoutMs: 0,
  });
  return offsets.every(({ partitions }) => partitions.every(({ errorCode }) => errorCode === 0));
}

export interface ToolRun {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command-line tool of Kafka by the name of its class. */
export const kafkaTool = (name: string, ...args: readonly string[]): Promise<ToolRun> => run(['tool', name, ...args], null);

/** Null for the environment: the command may fail, and its status tells. */
function run(args: readonly string[], environment: Readonly<Record<string, string>> | null = {}): Promise<ToolRun> {
  const options = { maxBuffer: 256 * 1024 * 1024, env: { ...process.env, ...environment } };
  return new Promise((fulfil, reject) => {
    execFile(script, args, options, (error, stdout, stderr) => {
      const isTolerated = error === null || environment === null;
      if (isTolerated) fulfil({ status: error === null ? 0 : Number(error.code ?? 1), stdout, stderr });
      else reject(new Error(`${script} ${args.join(' ')}: ${error.message}\n${stderr}`));
    });
  });
}
