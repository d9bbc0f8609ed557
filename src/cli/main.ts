#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { CommanderError } from 'commander';
import { EXIT_DONE, EXIT_USAGE } from './cli-error.ts';
import { describeFailure } from './failure.ts';
import { createProgram } from './program.ts';
import { processTerminal, type Terminal } from './terminal.ts';
import { version } from './version.ts';

/** Runs one command line and gives the exit status: 0 done, 1 failed, 2 wrong usage. */
async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const program = await createProgram(args, version, terminal);
    await program.parseAsync(args, { from: 'user' });
    return process.exitCode === undefined ? EXIT_DONE : Number(process.exitCode);
  } catch (thrown) {
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return EXIT_DONE;
    const failure = describeFailure(thrown, args);
    terminal.fail(args.includes('--json') ? failure.json : failure.text(terminal));
    return thrown instanceof CommanderError ? (thrown.code === 'commander.help' ? EXIT_DONE : EXIT_USAGE) : failure.exitCode;
  }
}

// What was compiled, and the types that were stripped, are kept for the next time. Commands are loaded after this line.
enableCompileCache();

const terminal = processTerminal();
process.exitCode = await run(process.argv.slice(2), terminal);
