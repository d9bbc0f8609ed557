import { createNodeLogger } from '../../src/platform/node-logger.ts';
import { systemClock } from '../../src/platform/system-clock.ts';
import { systemEnvironment } from '../../src/platform/system-environment.ts';
import { startNode } from '../../src/server/start-node.ts';

/** Runs a node for OttlaProcess: `run-node.ts DIRECTORY PROPERTIES-AS-JSON`; tells its parent the port. */
const [directory = '', properties = '{}'] = process.argv.slice(2);
const write = (line: string): void => void process.stderr.write(line);
const { logger } = createNodeLogger({ write, clock: systemClock, format: 'text' });
const node = await startNode(systemEnvironment({ logger }), {
  texts: new Map(Object.entries(JSON.parse(properties) as Record<string, string>)),
  embedded: { dataDirectory: directory, port: 0 },
});
process.once('SIGTERM', () => {
  void node.stop().then(() => process.exit(0));
});
process.send?.(node.listeners[0]?.port);
