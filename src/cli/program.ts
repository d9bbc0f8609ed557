import { Command } from 'commander';
import type { Terminal } from './terminal.ts';
import { commandList } from './command-list.ts';

const EXAMPLES = `
Examples:
  $ ottla start --data ./data
  $ ottla topics create orders --partitions 3
  $ echo 'hello' | ottla produce orders
  $ ottla consume orders --from earliest

Every command has its own help: ottla topics --help`;

/** The command line of `ottla` with the one command that `args` names loaded, the others by name only. */
export async function createProgram(args: readonly string[], version: string, terminal: Terminal): Promise<Command> {
  const program = new Command('ottla');
  program
    .description('A distributed, Kafka-protocol event log: node, tools and clients in one command.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .addHelpText('after', EXAMPLES)
    .showSuggestionAfterError(true)
    .exitOverride()
    .configureHelp({ showGlobalOptions: false, minWidthToWrap: 30, styleTitle: (title) => terminal.style('bold', title) })
    .configureOutput({
      writeOut: (text) => terminal.data(text),
      writeErr: (text) => terminal.note(text.trimEnd()),
      outputError: () => undefined,
    });
  const asked = nameAskedFor(args);
  for (const entry of commandList) {
    const command = program.command(entry.name).summary(entry.summary).description(sentence(entry.summary));
    if (entry.name === asked) (await entry.load()).define(command, terminal);
  }
  return program;
}

/** The first word that is not an option; the one after `help`. */
function nameAskedFor(args: readonly string[]): string | undefined {
  const words = args.filter((word) => !word.startsWith('-'));
  return words[0] === 'help' ? words[1] : words[0];
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
