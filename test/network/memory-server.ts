import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Acceptor } from '../../src/network/acceptor.ts';
import { realWorld } from './worlds.ts';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

const acceptor = new Acceptor(realWorld().environment, {
  listeners: [
    {
      name: 'PLAINTEXT',
      endpoint: { host: '127.0.0.1', port: 0 },
      serve: (connection) => (frame) => connection.respond([Buffer.alloc(frame.readInt32BE(0))]),
    },
  ],
  maxIdleMs: 600_000,
  maxRequestBytes: 104_857_600,
});
await acceptor.listen();

/** What the process holds of the machine's memory, garbage left out. */
function residentBytes(): number {
  collect();
  const status = process.platform === 'linux' ? readFileSync('/proc/self/status', 'utf8') : '';
  const kilobytes = /RssAnon:\s+(\d+) kB/.exec(status)?.[1];
  return kilobytes === undefined ? process.memoryUsage().rss : Number(kilobytes) * 1024;
}

process.on('message', (what) => {
  if (what === 'port') process.send?.(acceptor.addressOf('PLAINTEXT').port);
  if (what === 'memory') process.send?.(residentBytes());
  if (what === 'connections') process.send?.(acceptor.connectionCount);
});
