import type { LogFacts, Logger } from '../../src/base/logger.ts';

export interface LoggedLine {
  readonly level: 'error' | 'warn' | 'info' | 'debug' | 'trace';
  readonly message: string;
  readonly facts: LogFacts;
}

/** Keeps what is logged. */
export class RecordingLogger implements Logger {
  readonly lines: LoggedLine[] = [];
  readonly isDebugEnabled: boolean = false;
  readonly isTraceEnabled = false;

  /** The messages of a level. */
  at(level: LoggedLine['level']): string[] {
    return this.lines.filter((line) => line.level === level).map(({ message }) => message);
  }

  error(message: string, facts: LogFacts = {}): void {
    this.lines.push({ level: 'error', message, facts });
  }

  warn(message: string, facts: LogFacts = {}): void {
    this.lines.push({ level: 'warn', message, facts });
  }

  info(message: string, facts: LogFacts = {}): void {
    this.lines.push({ level: 'info', message, facts });
  }

  debug(message: string, facts: LogFacts = {}): void {
    this.lines.push({ level: 'debug', message, facts });
  }

  trace(message: string, facts: LogFacts = {}): void {
    this.lines.push({ level: 'trace', message, facts });
  }

  named(): Logger {
    return this;
  }
}
