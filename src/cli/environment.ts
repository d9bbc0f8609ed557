import type { Environment } from '../base/environment.ts';
import { silentLogger } from '../base/logger.ts';
import { createNodeLogger } from '../platform/node-logger.ts';
import { systemClock } from '../platform/system-clock.ts';
import { systemEnvironment } from '../platform/system-environment.ts';

/** This computer, for a command that runs once. Its log goes to stderr, and only where OTTLA_DEBUG asks for it. */
export function commandEnvironment(): Environment {
  if ((process.env['OTTLA_DEBUG'] ?? '') === '') return systemEnvironment({ logger: silentLogger });
  const { logger } = createNodeLogger({
    write: (line) => process.stderr.write(line),
    clock: systemClock,
    format: 'text',
    level: 'debug',
    colours: process.stderr.isTTY,
  });
  return systemEnvironment({ logger });
}
