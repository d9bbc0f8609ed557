import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type CrashRound, runCrashRounds } from '../test/crash/crash-rounds.ts';
import { runStopRounds } from '../test/crash/stop-rounds.ts';

/**
 * Kills a node under load, again and again, and checks after each start that it kept every promise; then stops one in order under load:
 * `npm run test:crash -- [--rounds 100] [--stops 20] [--seed N] [--directory-rounds 25] [--built] [--workspace DIRECTORY]`
 */

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '100' },
    stops: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(1 + (Date.now() % 1_000_000)) },
    'directory-rounds': { type: 'string', default: '25' },
    built: { type: 'boolean', default: false },
    workspace: { type: 'string' },
  },
});

const quantile = (sorted: readonly number[], share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;

function distribution(rounds: readonly CrashRound[]): string {
  const times = rounds.map(({ startMs }) => startMs).sort((a, b) => a - b);
  const numbers = [0, 0.5, 0.9, 0.99, 1].map((share) => quantile(times, share).toFixed(0));
  const cpu = rounds.map(({ startCpuMs }) => startCpuMs ?? Number.NaN).sort((a, b) => a - b);
  const slow = times.filter((ms) => ms >= 1000).length;
  return `min/p50/p90/p99/max ${numbers.join('/')} ms (CPU p50 ${quantile(cpu, 0.5)} ms), ${slow} of ${times.length} took a second or more`;
}

async function crash(): Promise<void> {
  const { rounds, acknowledged, recordsRead, topicChanges } = await runCrashRounds({
    seed,
    rounds: Number(values.rounds),
    roundsADirectory: Number(values['directory-rounds']),
    workspace,
    isBuilt: values.built,
    report: (line) => console.log(line),
  });
  console.log(
    `${rounds.length} rounds, ${acknowledged} records acknowledged, ${recordsRead} read, ${topicChanges} topics made or deleted`,
  );
  console.log(`From the spawning of the process to known leaders: ${distribution(rounds)}`);
  for (const flushes of [true, false]) {
    const some = rounds.filter((round) => round.flushes === flushes);
    if (some.length > 0) console.log(`  ${flushes ? 'with' : 'without'} flush.messages=1: ${distribution(some)}`);
  }
  console.log('Nothing acknowledged was lost, doubled, changed or moved.');
}

async function stop(): Promise<void> {
  const options = { seed, rounds: Number(values.stops), directory: join(workspace, 'stops'), isBuilt: values.built };
  const rounds = await runStopRounds(options);
  const times = rounds.map(({ stopMs }) => stopMs).sort((a, b) => a - b);
  const numbers = [0, 0.5, 0.9, 1].map((share) => quantile(times, share).toFixed(0));
  console.log(`${rounds.length} orderly stops under load: min/p50/p90/max ${numbers.join('/')} ms; nothing was left to recover`);
  const last = rounds.at(-1);
  console.log(`The last start read ${last?.bytesReadAtStart} bytes, with ${last?.bytesOnDisk} bytes of records on disk`);
}

const seed = Number(values.seed);
const workspace = values.workspace ?? mkdtempSync(join(tmpdir(), 'ottla-crash-'));
console.log(`seed ${seed}, data in ${workspace}`);
if (Number(values.rounds) > 0) await crash();
if (Number(values.stops) > 0) await stop();
if (values.workspace === undefined) rmSync(workspace, { recursive: true, force: true });
