import { inspect, styleText } from 'node:util';
import type { Clock } from '../base/clock.ts';
import type { LogFacts, Logger } from '../base/logger.ts';

export const LOG_LEVELS = ['off', 'error', 'warn', 'info', 'debug', 'trace'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LogOptions {
  /** Takes one whole line, its end included. */
  readonly write: (line: string) => void;
  readonly clock: Clock;
  /** `json`: an object a line. `text`: for people. */
  readonly format: 'json' | 'text';
  readonly colours?: boolean;
  readonly level?: LogLevel;
}

/** Which lines are wanted: a level for everything and others for single parts. May be changed while the node runs. */
export class LogLevels {
  #root: LogLevel;
  readonly #levels = new Map<string, LogLevel>();
  readonly #parts = new Set<string>();
  /** Grows with every change, so that loggers can keep what they looked up. */
  revision = 0;

  constructor(root: LogLevel) {
    this.#root = root;
  }

  /** `part` null is everything that has no level of its own; `level` null gives a part back to that. */
  set(part: string | null, level: LogLevel | null): void {
    this.revision++;
    if (part === null) this.#root = level ?? 'info';
    else if (level === null) this.#levels.delete(part);
    else this.#levels.set(part, level);
  }

  of(part: string): LogLevel {
    return this.#levels.get(part) ?? this.#root;
  }

  /** Of everything that has no level of its own. */
  get root(): LogLevel {
    return this.#root;
  }

  /** The parts of the system that have a logger, by name. */
  get parts(): string[] {
    return [...this.#parts].sort();
  }

  /** There is a logger for this part now. */
  seen(part: string): void {
    this.#parts.add(part);
  }
}

type Write = (level: LogLevel, part: string, message: string, facts: LogFacts | undefined) => void;

/** A logger that writes a line at a time, and the levels it obeys. */
export function createNodeLogger(options: LogOptions): { readonly logger: Logger; readonly levels: LogLevels } {
  const levels = new LogLevels(options.level ?? 'info');
  const format = options.format === 'json' ? jsonLine : textLine(options.colours ?? false);
  const write: Write = (level, part, message, facts) =>
    options.write(format({ time: options.clock.now(), level, part, message, facts }));
  return { logger: new NodeLogger('ottla', levels, write), levels };
}

class NodeLogger implements Logger {
  readonly #part: string;
  readonly #levels: LogLevels;
  readonly #write: Write;
  #rank = 0;
  #revision = -1;

  constructor(part: string, levels: LogLevels, write: Write) {
    this.#part = part;
    this.#levels = levels;
    this.#write = write;
    levels.seen(part);
  }

  get isDebugEnabled(): boolean {
    return this.#isWanted('debug');
  }

  get isTraceEnabled(): boolean {
    return this.#isWanted('trace');
  }

  error(message: string, facts?: LogFacts): void {
    this.#log('error', message, facts);
  }

  warn(message: string, facts?: LogFacts): void {
    this.#log('warn', message, facts);
  }

  info(message: string, facts?: LogFacts): void {
    this.#log('info', message, facts);
  }

  debug(message: string, facts?: LogFacts): void {
    this.#log('debug', message, facts);
  }

  trace(message: string, facts?: LogFacts): void {
    this.#log('trace', message, facts);
  }

  named(part: string): Logger {
    return new NodeLogger(part, this.#levels, this.#write);
  }

  #log(level: LogLevel, message: string, facts: LogFacts | undefined): void {
    if (this.#isWanted(level)) this.#write(level, this.#part, message, facts);
  }

  #isWanted(level: LogLevel): boolean {
    if (this.#revision !== this.#levels.revision) {
      this.#revision = this.#levels.revision;
      this.#rank = LOG_LEVELS.indexOf(this.#levels.of(this.#part));
    }
    return LOG_LEVELS.indexOf(level) <= this.#rank;
  }
}

interface Line {
  readonly time: number;
  readonly level: LogLevel;
  readonly part: string;
  readonly message: string;
  readonly facts: LogFacts | undefined;
}

function jsonLine({ time, level, part, message, facts }: Line): string {
  const head = { time: new Date(time).toISOString(), level, logger: part, message };
  return `${JSON.stringify({ ...head, ...facts }, plainValue)}\n`;
}

/** What JSON cannot hold, as text. */
function plainValue(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Map) return Object.fromEntries(value);
  if (value instanceof Set) return [...value];
  if (value instanceof Error) return value.stack ?? String(value);
  return value;
}

const COLOURS = { off: 'dim', error: 'red', warn: 'yellow', info: 'green', debug: 'cyan', trace: 'dim' } as const;

function textLine(colours: boolean): (line: Line) => string {
  const paint = (style: Parameters<typeof styleText>[0], text: string) =>
    colours ? styleText(style, text, { validateStream: false }) : text;
  return ({ time, level, part, message, facts }) => {
    const head = `${paint('dim', new Date(time).toISOString())} ${paint(COLOURS[level], level.toUpperCase().padEnd(5))}`;
    const stacks: string[] = [];
    let tail = '';
    for (const [name, value] of Object.entries(facts ?? {})) {
      if (value instanceof Error) stacks.push(value.stack ?? String(value));
      else if (value !== undefined) tail += ` ${paint('dim', `${name}=`)}${factText(value)}`;
    }
    return `${[`${head} ${paint('dim', `[${part}]`)} ${withoutControls(message)}${tail}`, ...stacks].join('\n')}\n`;
  };
}

function factText(value: unknown): string {
  if (typeof value === 'string') return /^[\w.:/@+,-]+$/.test(value) ? value : JSON.stringify(value);
  return inspect(value, { breakLength: Number.POSITIVE_INFINITY, depth: 8 });
}

/** A name that a client chose must not be able to start a new line or to steer the terminal. */
const withoutControls = (text: string): string => text.replace(/\p{Cc}/gu, (character) => JSON.stringify(character).slice(1, -1));
