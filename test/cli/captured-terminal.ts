import { runCommandLine } from '../../src/cli/run-command-line.ts';
import type { Terminal } from '../../src/cli/terminal.ts';

export interface Run {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line in this process and keeps what it writes. */
export async function ottla(args: readonly string[], input = ''): Promise<Run> {
  const stdout: Buffer[] = [];
  const stderr: string[] = [];
  const data = (chunk: string | Uint8Array): void => void stdout.push(Buffer.from(chunk as Uint8Array));
  const note = (text: string): void => void stderr.push(`${text}\n`);
  const terminal: Terminal = {
    line: (text) => data(`${text}\n`),
    data,
    ready: () => Promise.resolve(),
    note,
    fail: note,
    progress: () => undefined,
    style: (_format, text) => text,
    styleNote: (_format, text) => text,
    isInteractive: false,
    columns: 100,
    input: chunksOf(input),
    endInput: () => undefined,
    isTyped: false,
    exitCode: 0,
  };
  const exit = await runCommandLine(args, terminal);
  return { exit, stdout: Buffer.concat(stdout).toString('utf8'), stderr: stderr.join('') };
}

async function* chunksOf(text: string): AsyncGenerator<Uint8Array, void> {
  // Odd pieces, as a pipe gives them.
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7);
  await Promise.resolve();
}
