import { type Command, Option } from 'commander';
import type { Disk } from '../base/disk.ts';
import { Client } from '../client/client.ts';
import { clientSecurity } from '../client/client-security.ts';
import { parseProperties } from '../config/server-properties.ts';
import { commandEnvironment } from './environment.ts';
import { duration } from './option-values.ts';
import { wholeFile } from './whole-file.ts';

/** Options of every command that talks to a cluster. */
export interface ClusterOptions {
  readonly bootstrapServer: string;
  readonly clientId: string;
  readonly timeout: number;
  /** A file with client configs of Kafka: `security.protocol` and `ssl.*` have effect. */
  readonly commandConfig?: string;
  readonly json?: boolean;
}

const DEFAULT_SERVER = '127.0.0.1:9092';
const DEFAULT_TIMEOUT_MS = 15_000;

export function addClusterOptions(command: Command): Command {
  return command
    .addOption(
      new Option('-b, --bootstrap-server <host:port,…>', 'brokers of the cluster to start from')
        .env('OTTLA_BOOTSTRAP_SERVER')
        .default(DEFAULT_SERVER),
    )
    .addOption(new Option('--client-id <name>', 'the name brokers log and count this command under').default('ottla-cli'))
    .addOption(
      new Option('--timeout <time>', 'how long to wait for brokers before giving up')
        .argParser(duration)
        .default(DEFAULT_TIMEOUT_MS, '15s'),
    )
    .option(
      '--command-config <file>',
      "client configs of Kafka: security.protocol=SSL and ssl.* (Kafka's tools take the same file)",
    )
    .option('--json', 'print data as JSON, errors too');
}

function securityOf({ commandConfig }: ClusterOptions, disk: Disk): ReturnType<typeof clientSecurity> {
  if (commandConfig === undefined) return {};
  return clientSecurity(parseProperties(wholeFile(disk, commandConfig).toString('utf8')), disk);
}

/** Connects, does the work, and disconnects. A cluster that cannot be reached is told before anything else. */
export async function withClient<T>(options: ClusterOptions, action: (client: Client) => Promise<T>): Promise<T> {
  const environment = commandEnvironment();
  const client = new Client(environment, {
    ...securityOf(options, environment.disk),
    bootstrapServers: options.bootstrapServer,
    clientId: options.clientId,
    operationTimeoutMs: options.timeout,
    connectTimeoutMs: Math.min(options.timeout, 10_000),
    requestTimeoutMs: Math.max(options.timeout, 1000),
  });
  try {
    await client.connect();
    return await action(client);
  } finally {
    client.close();
  }
}
