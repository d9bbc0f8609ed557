import { type Command, InvalidArgumentError, Option } from 'commander';
import { randomUuid } from '../../base/uuid.ts';
import type { NodeSettings } from '../../config/node-settings.ts';
import { configureNode } from '../../config/server-properties.ts';
import { systemRandom } from '../../platform/system-random.ts';
import { nodeDisk } from '../../platform/node-disk.ts';
import { KafkaError } from '../../protocol/errors.ts';
import {
  featureDependencies,
  featureLevelsOf,
  LATEST_METADATA_VERSION,
  metadataVersionName,
  metadataVersionNamed,
} from '../../server/tools/storage/feature-versions.ts';
import { formatStorage, type InitialControllers } from '../../server/tools/storage/format-storage.ts';
import { propertiesText, storageInfo } from '../../server/tools/storage/storage-info.ts';
import { CliError, EXIT_DONE, EXIT_FAILED, usageError } from '../cli-error.ts';
import { commandEnvironment } from '../environment.ts';
import { keyValue, repeated } from '../option-values.ts';
import { dataDirectoryOf, DEFAULT_DATA_DIRECTORY, textsOf } from '../node-texts.ts';
import type { Terminal } from '../terminal.ts';

interface NodeOptions {
  readonly config?: string;
  readonly data?: string;
  readonly set?: Readonly<Record<string, string>>;
  readonly json?: boolean;
}

export function define(command: Command, terminal: Terminal): void {
  command.helpCommand(false);
  defineFormat(command, terminal);
  defineInfo(command, terminal);
  command
    .command('random-uuid')
    .summary('an id for a new cluster')
    .description('Prints a random id, for a cluster or a directory.')
    .action(() => terminal.line(randomUuid(systemRandom)));
  command
    .command('version-mapping')
    .summary('features of a release')
    .description('Prints the feature levels that a release gives a new cluster.')
    .option('-r, --release-version <release>', 'such as 4.1 or 4.4-IV2 (default: the newest)')
    .option('--json', 'print JSON')
    .action((options: { releaseVersion?: string; json?: boolean }) => versionMapping(terminal, options));
  command
    .command('feature-dependencies')
    .summary('what a feature level needs')
    .description('Prints what other features a feature level needs.')
    .requiredOption('-f, --feature <name=level>', 'may be repeated', repeated)
    .option('--json', 'print JSON')
    .action((options: { feature: string[]; json?: boolean }) => dependencies(terminal, options));
}

function addNodeOptions(command: Command): Command {
  return command
    .option('-c, --config <file>', 'the server.properties file of the node')
    .option('-d, --data <directory>', `where the node keeps its data (default: ${DEFAULT_DATA_DIRECTORY})`)
    .option('-s, --set <key=value>', 'a config, stronger than the file; may be repeated', keyValue)
    .option('--json', 'print JSON');
}

const settingsOf = (options: NodeOptions): NodeSettings =>
  configureNode(textsOf(options), { dataDirectory: dataDirectoryOf(options) }).settings;

interface FormatOptions extends NodeOptions {
  readonly clusterId?: string;
  readonly ignoreFormatted?: boolean;
  readonly releaseVersion?: string;
  readonly feature?: readonly string[];
  readonly standalone?: boolean;
  /** False: --no-initial-controllers. */
  readonly initialControllers?: string | false;
}

function defineFormat(command: Command, terminal: Terminal): void {
  addNodeOptions(
    command
      .command('format')
      .summary('prepare directories')
      .description('Prepares the directories of a node for its first start.'),
  )
    .option('-t, --cluster-id <id>', 'the id that all nodes of the cluster share (default: a new one)')
    .option('-g, --ignore-formatted', 'leave directories alone that are formatted')
    .option('-r, --release-version <release>', 'the release whose metadata version the cluster starts with (default: the newest)')
    .option('-f, --feature <name=level>', 'a feature level other than the default of the release; may be repeated', repeated)
    .addOption(new Option('--standalone', 'this controller is the quorum; others may join').conflicts('initialControllers'))
    .option('--initial-controllers <list>', 'the first quorum: ID@HOST:PORT:DIRECTORY_ID,…')
    .option('--no-initial-controllers', 'the quorum is elsewhere')
    .action((options: FormatOptions) => format(terminal, options));
}

function format(terminal: Terminal, options: FormatOptions): void {
  const clusterId = options.clusterId ?? randomUuid(systemRandom);
  const formatted = withoutBroker(() =>
    formatStorage(commandEnvironment(), settingsOf(options), {
      clusterId,
      releaseVersion: options.releaseVersion ?? null,
      features: new Map((options.feature ?? []).map(featureOf)),
      initialControllers: initialControllersOf(options),
      ignoreFormatted: options.ignoreFormatted ?? false,
    }),
  );
  const release = metadataVersionName(formatted.metadataVersion);
  if (options.json === true) {
    terminal.line(JSON.stringify({ clusterId, metadataVersion: release, directories: formatted.directories }));
    return;
  }
  if (formatted.directories.length === 0) terminal.line('All of the log directories are already formatted.');
  for (const { path, isMetadata } of formatted.directories) {
    terminal.line(`Formatting ${isMetadata ? 'metadata' : 'data'} directory ${path} with metadata.version ${release}.`);
  }
  if (options.clusterId === undefined && formatted.directories.length > 0) terminal.note(`The cluster id is ${clusterId}.`);
}

/** No broker is asked here: what helps against the errors of one is of no use. */
function withoutBroker<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof KafkaError) throw new CliError(error.message, { code: error.errorName, cause: error });
    throw error;
  }
}

function initialControllersOf(options: FormatOptions): InitialControllers | null {
  if (options.standalone === true) return { kind: 'standalone' };
  if (options.initialControllers === false) return { kind: 'none' };
  return typeof options.initialControllers === 'string' ? { kind: 'listed', text: options.initialControllers } : null;
}

function featureOf(text: string): [string, number] {
  const match = /^([^=]+)=(\d+)$/.exec(text.trim());
  if (match === null) throw new InvalidArgumentError(`"${text}" must have the form NAME=LEVEL, such as share.version=1.`);
  return [match[1] ?? '', Number(match[2])];
}

function defineInfo(command: Command, terminal: Terminal): void {
  addNodeOptions(
    command
      .command('info')
      .summary('whom directories belong to')
      .description('Shows which node and cluster the directories of a node belong to.'),
  ).action((options: NodeOptions) => {
    const { found, formatted, problems } = storageInfo(nodeDisk, settingsOf(options));
    if (options.json === true) terminal.line(JSON.stringify({ directories: found, formatted, problems }));
    else {
      printList(terminal, found, 'Found log directory:', 'Found log directories:');
      const [first] = formatted;
      if (first !== undefined) {
        terminal.line(`Found metadata: ${propertiesText(first.properties)}`);
        terminal.line('');
      }
      printList(terminal, problems, 'Found problem:', 'Found problems:');
    }
    terminal.exitCode = problems.length > 0 ? EXIT_FAILED : EXIT_DONE;
  });
}

function printList(terminal: Terminal, lines: readonly string[], one: string, several: string): void {
  if (lines.length === 0) return;
  terminal.line(lines.length === 1 ? one : several);
  for (const line of lines) terminal.line(`  ${line}`);
  terminal.line('');
}

function versionMapping(terminal: Terminal, options: { readonly releaseVersion?: string; readonly json?: boolean }): void {
  const release = options.releaseVersion ?? metadataVersionName(LATEST_METADATA_VERSION);
  const level = metadataVersionNamed(release);
  if (level === null)
    throw usageError(`Unknown release version '${release}'`, `The newest is ${metadataVersionName(LATEST_METADATA_VERSION)}.`);
  const features = featureLevelsOf(level);
  if (options.json === true) {
    terminal.line(
      JSON.stringify({
        'metadata.version': level,
        ...Object.fromEntries(features.map((feature) => [feature.name, feature.level])),
      }),
    );
    return;
  }
  terminal.line(`metadata.version=${level} (${release})`);
  for (const feature of features) terminal.line(`${feature.name}=${feature.level}`);
}

function dependencies(terminal: Terminal, options: { readonly feature: readonly string[]; readonly json?: boolean }): void {
  const wanted = options.feature
    .map(featureOf)
    .map(([name, level]) => ({ name, level, requires: withoutBroker(() => featureDependencies(name, level)) }));
  if (options.json === true) {
    terminal.line(JSON.stringify(wanted));
    return;
  }
  for (const { name, level, requires } of wanted) {
    if (requires.length === 0) terminal.line(`${name}=${level} has no dependencies.`);
    else terminal.line(`${name}=${level} requires:`);
    for (const needed of requires) {
      terminal.line(`    ${needed.name}=${needed.level}${needed.release === null ? '' : ` (${needed.release})`}`);
    }
  }
}
