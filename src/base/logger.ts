/** Structured log lines: a sentence and its facts. */
export interface Logger {
  error(message: string, facts?: LogFacts): void;
  warn(message: string, facts?: LogFacts): void;
  info(message: string, facts?: LogFacts): void;
  debug(message: string, facts?: LogFacts): void;
  trace(message: string, facts?: LogFacts): void;
  /** Guard work that only a debug or a trace line needs. */
  readonly isDebugEnabled: boolean;
  readonly isTraceEnabled: boolean;
  /** The same log under the name of a part of the system (network, log, partition …). */
  named(part: string): Logger;
}

export type LogFacts = Readonly<Record<string, unknown>>;

/** Drops everything; for tests and for library use. */
export const silentLogger: Logger = {
  error: () => undefined,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
  trace: () => undefined,
  isDebugEnabled: false,
  isTraceEnabled: false,
  named: () => silentLogger,
};
