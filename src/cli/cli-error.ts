/** How the process ends: 0 done, 1 it could not be done, 2 the command line itself was wrong. */
export const EXIT_DONE = 0;
export const EXIT_FAILED = 1;
export const EXIT_USAGE = 2;

/** A failure told to the person at the keyboard: what happened, where, and what to do about it. */
export class CliError extends Error {
  override readonly name = 'CliError';
  /** A sentence with the next step, shown on its own line. */
  readonly remedy: string | null;
  readonly exitCode: number;

  constructor(message: string, options: { readonly remedy?: string; readonly exitCode?: number; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.remedy = options.remedy ?? null;
    this.exitCode = options.exitCode ?? EXIT_FAILED;
  }
}

/** The command line asks for something that cannot be meant. */
export const usageError = (message: string, remedy?: string): CliError =>
  new CliError(message, { exitCode: EXIT_USAGE, ...(remedy === undefined ? {} : { remedy }) });
