/** How the process ends: 0 done, 1 it could not be done, 2 the command line itself was wrong. */
export const EXIT_DONE = 0;
export const EXIT_FAILED = 1;
export const EXIT_USAGE = 2;

interface CliErrorOptions {
  readonly remedy?: string;
  readonly exitCode?: number;
  readonly code?: string;
  readonly cause?: unknown;
}

/** A failure told to the person at the keyboard: what happened, where, and what to do about it. */
export class CliError extends Error {
  override readonly name = 'CliError';
  /** A sentence with the next step, shown on its own line. */
  readonly remedy: string | null;
  readonly exitCode: number;
  /** What a program that reads `--json` tells failures apart by. */
  readonly code: string;

  constructor(message: string, options: CliErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.remedy = options.remedy ?? null;
    this.exitCode = options.exitCode ?? EXIT_FAILED;
    this.code = options.code ?? (this.exitCode === EXIT_USAGE ? 'USAGE' : 'FAILED');
  }
}

/** The command line asks for something that cannot be meant. */
export const usageError = (message: string, remedy?: string): CliError =>
  new CliError(message, { exitCode: EXIT_USAGE, ...(remedy === undefined ? {} : { remedy }) });
