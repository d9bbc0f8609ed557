/** The levels of a node's loggers, by name; `root` is always among them. Kafka's names of levels. */
export interface LogLevels {
  readonly levels: ReadonlyMap<string, string>;
  set(logger: string, level: string): void;
  /** Goes back to the level of `root`. */
  clear(logger: string): void;
}

export const ROOT_LOGGER = 'root';
export const logLevelNames = ['DEBUG', 'ERROR', 'FATAL', 'INFO', 'TRACE', 'WARN'] as const;

/** Where the node's log cannot be changed while it runs. */
export const fixedLogLevels: LogLevels = {
  levels: new Map([[ROOT_LOGGER, 'INFO']]),
  set: () => undefined,
  clear: () => undefined,
};
