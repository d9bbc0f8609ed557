import { CommanderError } from 'commander';
import { EXIT_DONE, EXIT_USAGE } from './cli-error.ts';
import { describeFailure } from './failure.ts';
import { createProgram } from './program.ts';
import type { Terminal } from './terminal.ts';
import { version } from './version.ts';

/** Runs one command line, without the words `node` and `ottla`, and gives the exit status: 0 done, 1 failed, 2 wrong usage. */
export async function runCommandLine(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const program = await createProgram(args, version, terminal);
    await program.parseAsync(args, { from: 'user' });
    return terminal.exitCode;
  } catch (thrown) {
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return EXIT_DONE;
    // A command with subcommands and none given: its help was printed.
    if (thrown instanceof CommanderError && thrown.code === 'commander.help') return EXIT_USAGE;
    const failure = describeFailure(thrown, args);
    terminal.fail(args.includes('--json') ? failure.json : failure.text(terminal));
    return thrown instanceof CommanderError ? EXIT_USAGE : failure.exitCode;
  }
}
