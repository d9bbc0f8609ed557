import { type Command, CommanderError } from 'commander';
import { EXIT_DONE, EXIT_USAGE } from './cli-error.ts';
import { describeFailure } from './failure.ts';
import { createProgram } from './program.ts';
import type { Terminal } from './terminal.ts';
import { version } from './version.ts';

/** Runs one command line, without the words `node` and `ottla`, and gives the exit status: 0 done, 1 failed, 2 wrong usage. */
export async function runCommandLine(words: readonly string[], terminal: Terminal): Promise<number> {
  const program = await createProgram(words, version, terminal);
  const args = words[0] === 'help' ? helpFor(program, words.slice(1)) : words;
  try {
    await program.parseAsync(args, { from: 'user' });
    return terminal.exitCode;
  } catch (thrown) {
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return EXIT_DONE;
    // A command with subcommands and none given: its help was printed.
    if (thrown instanceof CommanderError && thrown.code === 'commander.help') return EXIT_USAGE;
    const failure = describeFailure(
      thrown,
      commandsOf(program, args)
        .map((command) => command.name())
        .join(' '),
    );
    terminal.fail(args.includes('--json') ? failure.json : failure.text(terminal));
    return thrown instanceof CommanderError ? EXIT_USAGE : failure.exitCode;
  }
}

/** `help topics create` is `topics create --help`; a command that does not exist stays as it is, to be told. */
function helpFor(program: Command, words: readonly string[]): readonly string[] {
  const [, ...commands] = commandsOf(program, words);
  const hasCommands = (commands.at(-1) ?? program).commands.length > 0;
  return hasCommands && commands.length < words.length ? words : [...commands.map((command) => command.name()), '--help'];
}

/** `ottla`, and the command and subcommand that the words name. */
function commandsOf(program: Command, words: readonly string[]): Command[] {
  const commands = [program];
  for (const word of words.filter((each) => !each.startsWith('-'))) {
    const next = commands.at(-1)?.commands.find((command) => command.name() === word);
    if (next === undefined) break;
    commands.push(next);
  }
  return commands;
}
