import { flushCompileCache } from 'node:module';
import { type Command, Option } from 'commander';
import type { Environment } from '../../base/environment.ts';
import type { Texts } from '../../config/effective.ts';
import { ListenError } from '../../network/listen-error.ts';
import { hostName } from '../../platform/host-name.ts';
import { createNodeLogger, LOG_LEVELS, type LogLevel, type LogLevels } from '../../platform/node-logger.ts';
import { systemClock } from '../../platform/system-clock.ts';
import { systemEnvironment } from '../../platform/system-environment.ts';
import { type RunningNode, startNode } from '../../server/start-node.ts';
import { isStorageError } from '../../server/tools/storage/storage-info.ts';
import { CliError, EXIT_DONE, EXIT_FAILED } from '../cli-error.ts';
import { dataDirectoryOf, DEFAULT_DATA_DIRECTORY, type NodeConfigOptions, textsOf } from '../node-texts.ts';
import { keyValue, wholeNumber } from '../option-values.ts';
import type { Terminal } from '../terminal.ts';
import { version } from '../version.ts';

interface StartCommandOptions extends NodeConfigOptions {
  readonly logLevel?: LogLevel;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

const PORT_MAX = 65_535;

const EXAMPLES = `
Without a quorum in its configs a node is a cluster of one: it formats its
directory at its first start and serves this machine only.

Examples:
  $ ottla start
  $ ottla start --port 19092 --data /var/lib/ottla --set num.partitions=3
  $ ottla start --config server.properties`;

export function define(command: Command, terminal: Terminal): void {
  command
    .option('-c, --config <file>', 'a server.properties file, as Apache Kafka takes it')
    .option('-d, --data <directory>', `where data is kept (default: ${DEFAULT_DATA_DIRECTORY})`)
    .option('-p, --port <number>', 'listen here (default: 9092; 0: a free one)', wholeNumber(0, PORT_MAX))
    .option('--host <name>', 'listen on this name or address (default: localhost)')
    .option('-s, --set <key=value>', 'a config, stronger than the file; may be repeated', keyValue)
    .addOption(new Option('--log-level <level>', 'what is told on stderr').choices(LOG_LEVELS).default('info'))
    .option('--json', 'one JSON object a line: ready on stdout, the log on stderr')
    .option('-q, --quiet', 'tell warnings and errors only')
    .addHelpText('after', EXAMPLES)
    .action((options: StartCommandOptions) => run(terminal, options));
}

async function run(terminal: Terminal, options: StartCommandOptions): Promise<void> {
  const { environment, logLevels } = nodeEnvironment(options);
  const texts = textsOf(options);
  const started = environment.clock.monotonic();
  const node = await start({ environment, logLevels, texts }, options);
  const stopped = stopOnSignal(node, terminal);
  announce(terminal, node, { options, startedInMs: environment.clock.monotonic() - started });
  // A node that is killed does not come to writing down what was compiled, and its next start would compile it all again.
  flushCompileCache();
  const failure = await Promise.race([stopped, node.failed.then((error) => ({ error }))]);
  if (failure !== null) {
    const reason = failure.error instanceof Error ? failure.error.message : String(failure.error);
    throw new CliError(`The node stopped: ${reason}`, {
      remedy: 'The log above says what happened before.',
      cause: failure.error,
    });
  }
  // Everything that had to be done is done; nothing that still has a timer may hold the process.
  process.exit(EXIT_DONE);
}

interface NodeInputs {
  readonly environment: Environment;
  readonly logLevels: LogLevels;
  readonly texts: Texts;
}

async function start({ environment, logLevels, texts }: NodeInputs, options: StartCommandOptions): Promise<RunningNode> {
  try {
    return await startNode(environment, {
      texts,
      embedded: {
        dataDirectory: dataDirectoryOf(options),
        ...(options.port === undefined ? {} : { port: options.port }),
        ...(options.host === undefined ? {} : { host: options.host }),
      },
      hostName,
      logLevels,
    });
  } catch (error) {
    if (isStorageError(error)) throw new CliError(error.message, { cause: error });
    if (error instanceof ListenError) throw new CliError(error.message, { remedy: remedyOf(error), cause: error });
    throw error;
  }
}

const remedyOf = ({ code }: ListenError): string =>
  code === 'EADDRINUSE'
    ? 'Another broker may be running. Stop it, or take another port with --port.'
    : 'Take another address with --host and --port, or mend "listeners" in the configs.';

function nodeEnvironment(options: StartCommandOptions): Pick<NodeInputs, 'environment' | 'logLevels'> {
  const { logger, levels: logLevels } = createNodeLogger({
    write: (line) => process.stderr.write(line),
    clock: systemClock,
    format: options.json === true ? 'json' : 'text',
    level: options.quiet === true ? 'warn' : (options.logLevel ?? 'info'),
    colours: process.stderr.isTTY && options.json !== true && (process.env['NO_COLOR'] ?? '') === '',
  });
  return { environment: systemEnvironment({ logger }), logLevels };
}

/** The one line on stdout: scripts wait for it. */
function announce(
  terminal: Terminal,
  node: RunningNode,
  { options, startedInMs }: { options: StartCommandOptions; startedInMs: number },
): void {
  const listeners = node.listeners.map(({ name, host, port }) => ({ name, host, port }));
  if (options.json === true) {
    terminal.line(
      JSON.stringify({
        event: 'ready',
        version,
        nodeId: node.nodeId,
        clusterId: node.clusterId,
        listeners,
        startedInMs: Math.round(startedInMs),
      }),
    );
    return;
  }
  const addresses = listeners.map(({ name, host, port }) => `${name}://${host.includes(':') ? `[${host}]` : host}:${port}`);
  terminal.line(
    `${terminal.style('green', 'Ottla is ready')} (node ${node.nodeId}, cluster ${node.clusterId}): ${addresses.join(', ')}`,
  );
  if (options.quiet === true || !terminal.isInteractive) return;
  const ottla = calledAs(process.env);
  const [first] = listeners;
  const server = first === undefined || first.port === 9092 ? '' : ` -b ${first.host}:${first.port}`;
  terminal.note(
    terminal.styleNote(
      'dim',
      [
        `  ${ottla} topics create greetings${server}`,
        `  echo hello | ${ottla} produce greetings${server}`,
        `  ${ottla} consume greetings${server}`,
      ].join('\n'),
    ),
  );
}

/** How to call the next command: as this one was called, by npm in a checkout, by npx, or by its name. */
function calledAs({ npm_lifecycle_event: script, npm_package_name: project }: NodeJS.ProcessEnv): string {
  if (script === undefined) return 'ottla';
  return script !== 'npx' && project === 'ottla' ? 'npm run -s ottla --' : 'npx ottla';
}

/** SIGTERM and Ctrl-C stop the node in order; a second one leaves at once. Resolves with null when it has stopped. */
function stopOnSignal(node: RunningNode, terminal: Terminal): Promise<null> {
  return new Promise((resolve, reject) => {
    let stopping = false;
    const stop = (): void => {
      if (stopping) process.exit(EXIT_FAILED);
      stopping = true;
      if (terminal.isInteractive) terminal.note('Stopping. Once more leaves at once.');
      node.stop().then(() => resolve(null), reject);
    };
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);
  });
}
