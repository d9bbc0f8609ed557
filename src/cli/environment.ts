import type { Environment } from '../base/environment.ts';
import { MetricsRegistry } from '../base/metrics-registry.ts';
import { silentLogger } from '../base/logger.ts';
import { nodeDisk } from '../platform/node-disk.ts';
import { createNodeLogger } from '../platform/node-logger.ts';
import { nodeNetwork } from '../platform/node-network.ts';
import { systemClock } from '../platform/system-clock.ts';
import { systemRandom } from '../platform/system-random.ts';

/** This computer, for a command that runs once. Its log goes to stderr, and only where OTTLA_DEBUG asks for it. */
export function commandEnvironment(): Environment {
  const wantsDebug = (process.env['OTTLA_DEBUG'] ?? '') !== '';
  const { logger } = createNodeLogger({
    write: (line) => process.stderr.write(line),
    clock: systemClock,
    format: 'text',
    level: 'debug',
    colours: process.stderr.isTTY,
  });
  return {
    clock: systemClock,
    random: systemRandom,
    disk: nodeDisk,
    network: nodeNetwork,
    logger: wantsDebug ? logger : silentLogger,
    metrics: new MetricsRegistry(),
  };
}
