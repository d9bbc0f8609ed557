/** Where dump-log writes. What it was asked for goes to `out`, as it is; what is wrong with the files goes to `problem`, a line each. */
export interface DumpOutput {
  readonly out: (text: string) => void;
  readonly problem: (line: string) => void;
}

/** The file cannot be dumped any further. */
export class DumpLogError extends Error {
  override readonly name = 'DumpLogError';
}
