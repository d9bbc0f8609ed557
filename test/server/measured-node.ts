import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { startTestNode } from './test-node.ts';

/** A node in a process of its own, whose memory is its own; properties come as JSON in the first argument. Told 'stop', it is gone. */

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

const node = await startTestNode({ properties: JSON.parse(process.argv[2] ?? '{}') });

const delays = monitorEventLoopDelay({ resolution: 1 });
delays.enable();

/** What the process holds of the machine's memory; the second is the most it ever held. */
function memory(): { now: number; peak: number } {
  collect();
  const status = process.platform === 'linux' ? readFileSync('/proc/self/status', 'utf8') : '';
  const bytesOf = (name: string): number | undefined => {
    const kilobytes = new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
  };
  const { rss } = process.memoryUsage();
  return { now: bytesOf('RssAnon') ?? rss, peak: bytesOf('VmHWM') ?? process.resourceUsage().maxRSS * 1024 };
}

process.on('message', (what) => {
  if (what === 'port') process.send?.(node.port);
  if (what === 'memory') process.send?.(memory());
  if (what === 'longest turn ms') process.send?.(delays.max / 1e6);
  if (what === 'reset') delays.reset();
  if (what === 'stop') void node.stop().then(() => process.disconnect?.());
});
// Whoever asked is gone, in order or not.
process.on('disconnect', () => process.exit());
