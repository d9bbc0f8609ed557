import { styleText } from 'node:util';

type Format = Parameters<typeof styleText>[0];

/** Where a command writes: data to stdout, everything said about the work to stderr. */
export interface Terminal {
  /** One line of data. */
  line(text: string): void;
  /** Data as it is, without a line end. */
  data(chunk: string | Uint8Array): void;
  /** Resolves when stdout takes more; at once if it does already. */
  ready(): Promise<void>;
  /** One line about the work, never part of the data. */
  note(text: string): void;
  /** Like `note`, but said even when the command was asked to be quiet. */
  fail(text: string): void;
  /** Replaces the progress line; does nothing unless a person watches. */
  progress(text: string): void;
  /** Coloured on a terminal (NO_COLOR and FORCE_COLOR are heeded), plain elsewhere. */
  style(format: Format, text: string): string;
  styleNote(format: Format, text: string): string;
  readonly isInteractive: boolean;
  readonly columns: number;
  /** What is piped or typed in. */
  readonly input: AsyncIterable<Uint8Array>;
  /** Reads no more of it: whoever waits for input keeps the process. */
  endInput(): void;
  /** Whether a person types the input. */
  readonly isTyped: boolean;
  /** How the process will end, where the command does not fail. */
  exitCode: number;
}

const ERASE_LINE = '\r\u001b[K';
const COLUMNS_WHEN_UNKNOWN = 100;

/** The terminal of this process. A closed pipe (`| head`) ends the process quietly, as other tools do. */
export function processTerminal(options: { readonly quiet?: boolean } = {}): Terminal {
  const { stdout, stderr } = process;
  for (const stream of [stdout, stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED') process.exit(0);
      throw error;
    });
  }
  const isInteractive = stderr.isTTY && options.quiet !== true;
  let progressShown = false;
  const clearProgress = (): void => {
    if (progressShown) stderr.write(ERASE_LINE);
    progressShown = false;
  };
  return {
    isInteractive,
    input: process.stdin,
    endInput: () => void process.stdin.destroy(),
    isTyped: process.stdin.isTTY,
    exitCode: 0,
    get columns() {
      return (stdout.isTTY ? stdout.columns : stderr.columns) || COLUMNS_WHEN_UNKNOWN;
    },
    line: (text) => {
      clearProgress();
      stdout.write(`${text}\n`);
    },
    data: (chunk) => {
      clearProgress();
      stdout.write(chunk);
    },
    ready: () => (stdout.writableNeedDrain ? new Promise((resolve) => stdout.once('drain', resolve)) : Promise.resolve()),
    note: (text) => {
      if (options.quiet === true) return;
      clearProgress();
      stderr.write(`${text}\n`);
    },
    fail: (text) => {
      clearProgress();
      stderr.write(`${text}\n`);
    },
    progress: (text) => {
      if (!isInteractive) return;
      stderr.write(`${ERASE_LINE}${text}`);
      progressShown = true;
    },
    style: (format, text) => styleText(format, text, { stream: stdout }),
    styleNote: (format, text) => styleText(format, text, { stream: stderr }),
  };
}
