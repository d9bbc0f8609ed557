/**
 * How long after its start a broker knows 100,000 committed offsets: those of 1,000 groups, each for 100 partitions, committed as often as asked for, so that the
 * log is as many times as long. Both brokers in turn.
 *
 *     node bench/group-restart.ts [--entry dist/cli/main.js] [--commits 1] [--rounds 3] [--port 27180] [--without-kafka] [--node-option --cpu-prof]…
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { cpuSeconds, type MeasuredBroker, peer, residentMegabytes, startKafka, startOttla } from './brokers.ts';
import { GROUPS, GroupLoad, OFFSETS_PER_GROUP } from './group-load.ts';

const { values: options } = parseArgs({
  options: {
    entry: { type: 'string', default: 'dist/cli/main.js' },
    commits: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '3' },
    port: { type: 'string', default: '27180' },
    'without-kafka': { type: 'boolean', default: false },
    'node-option': { type: 'string', multiple: true, default: [] },
  },
});
const commits = Number(options.commits);
const port = Number(options.port);
const settings = ['offsets.topic.replication.factor=1', 'group.initial.rebalance.delay.ms=0'];

const ottla = (directory: string): Promise<MeasuredBroker> =>
  startOttla(port, { directory, entry: options.entry, settings, nodeOptions: options['node-option'] });
const kafka = (directory: string): Promise<MeasuredBroker> => startKafka(port + 1, { directory, settings });

async function measure(name: string, start: (directory: string) => Promise<MeasuredBroker>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'group-restart-'));
  if (start === kafka) {
    peer(['start', directory, String(port + 1), ...settings]);
    peer(['stop', directory]);
  }
  const first = await start(directory);
  const load = await GroupLoad.open(first.port);
  await load.createTopics();
  const begun = performance.now();
  for (let round = 0; round < commits; round++) await load.commitAll(round);
  const perSecond = (commits * GROUPS * OFFSETS_PER_GROUP * 1000) / (performance.now() - begun);
  load.close();
  await first.stop();
  const times: number[] = [];
  for (let round = 0; round < Number(options.rounds); round++) {
    const startedAt = performance.now();
    const broker = await start(directory);
    const again = await GroupLoad.open(broker.port);
    await again.fetchAll(commits - 1);
    const totalMs = performance.now() - startedAt;
    times.push(totalMs - broker.startMs);
    const [total, first, later] = [totalMs, broker.startMs, totalMs - broker.startMs].map(Math.round);
    const [cpu, memory] = [cpuSeconds(broker.pid).toFixed(2), residentMegabytes(broker.pid).toFixed(0)];
    console.log(
      `${name}: all offsets told ${total} ms after the start, ${later} ms after the first answer (${first} ms); ${cpu} s CPU, ${memory} MB`,
    );
    again.close();
    await broker.stop();
  }
  const median = times.sort((a, b) => a - b)[times.length >> 1] ?? 0;
  console.log(`${name}: ${Math.round(median)} ms in the median; committed ${Math.round(perSecond)} offsets/s, 100 a request`);
  rmSync(directory, { recursive: true, force: true });
}

await measure('Ottla', ottla);
if (!options['without-kafka']) await measure('Apache Kafka 4.4.0', kafka);
