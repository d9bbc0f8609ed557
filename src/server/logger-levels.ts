import { type LogLevels, ROOT_LOGGER } from '../broker/log-levels.ts';
import type { LogLevel, LogLevels as NodeLogLevels } from '../platform/node-logger.ts';

/** Kafka's names of the levels. Nothing is ever logged as fatal, so that FATAL is silence. */
const kafkaNames: Readonly<Record<LogLevel, string>> = {
  off: 'FATAL',
  error: 'ERROR',
  warn: 'WARN',
  info: 'INFO',
  debug: 'DEBUG',
  trace: 'TRACE',
};

/** The levels of this node's log as DescribeConfigs and IncrementalAlterConfigs know them (resource type BROKER_LOGGER). */
export function loggerLevels(levels: NodeLogLevels): LogLevels {
  const partOf = (logger: string): string | null => (logger === ROOT_LOGGER ? null : logger);
  return {
    get levels() {
      const parts = levels.parts.map((part) => [part, kafkaNames[levels.of(part)]] as const);
      return new Map([[ROOT_LOGGER, kafkaNames[levels.root]], ...parts]);
    },
    set: (logger, name) => {
      const level = (Object.keys(kafkaNames) as LogLevel[]).find((each) => kafkaNames[each] === name);
      if (level !== undefined) levels.set(partOf(logger), level);
    },
    clear: (logger) => levels.set(partOf(logger), null),
  };
}
