import { spawnSync } from 'node:child_process';
import { cpus, release, totalmem } from 'node:os';
import type { Figure } from './workloads.ts';

/** What was to be reached (issue 3): a bound of its own, or one relative to Apache Kafka. */
interface Target {
  readonly text: string;
  isMet(ottla: number, kafka: number): boolean;
}

const atMost = (bound: number, unit: string): Target => ({ text: `≤ ${bound} ${unit}`, isMet: (ottla) => ottla <= bound });
const noLess: Target = { text: '≥ 1.0 ×', isMet: (ottla, kafka) => ottla >= kafka };
const noMore: Target = { text: '≤ 1.0 ×', isMet: (ottla, kafka) => ottla <= kafka };

const targets: ReadonlyMap<string, Target> = new Map([
  ['start to first answer', atMost(250, 'ms')],
  ['idle memory', atMost(80, 'MB')],
  ...['produce 100 B', 'produce 1000 B', 'consume 1000 B', 'consume 100 B'].flatMap((name): [string, Target][] => [
    [name, noLess],
    [`${name}, broker CPU`, noMore],
  ]),
  ['end-to-end latency, p99', noMore],
  ['end-to-end latency, ottla bench, p99', noMore],
]);

export interface Row {
  readonly name: string;
  readonly unit: string;
  readonly better: Figure['better'];
  readonly ottla: number;
  readonly kafka: number;
  readonly ratio: number;
  readonly target: string;
  readonly isMet: boolean | null;
}

export interface Round {
  readonly ottla: readonly Figure[];
  readonly kafka: readonly Figure[];
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

export function rowsOf(rounds: readonly Round[]): Row[] {
  return (rounds[0]?.ottla ?? []).map(({ name, unit, better }, index) => {
    const ottla = median(rounds.map((round) => round.ottla[index]?.value ?? Number.NaN));
    const kafka = median(rounds.map((round) => round.kafka[index]?.value ?? Number.NaN));
    const target = targets.get(name);
    return {
      name,
      unit,
      better,
      ottla,
      kafka,
      ratio: ottla / kafka,
      target: target?.text ?? '',
      isMet: target?.isMet(ottla, kafka) ?? null,
    };
  });
}

const numberText = (value: number): string => {
  if (!Number.isFinite(value)) return '–';
  return value >= 1000 ? Math.round(value).toLocaleString('en') : value.toFixed(value >= 100 ? 0 : 2);
};

export function tableOf(rows: readonly Row[]): string {
  const lines = rows.map(({ name, unit, better, ottla, kafka, ratio, target, isMet }) => {
    const verdict = isMet === null ? '' : isMet ? 'yes' : '**no**';
    return `| ${name} | ${unit} (${better} is better) | ${numberText(ottla)} | ${numberText(kafka)} | ${Number.isFinite(ratio) ? ratio.toFixed(2) : '–'} | ${target} | ${verdict} |`;
  });
  return [
    '| figure | unit | Ottla | Apache Kafka 4.4.0 | ratio | target | met |',
    '|---|---|---:|---:|---:|---|---|',
    ...lines,
  ].join('\n');
}

/** The page bench/RESULTS.md. */
export function pageOf(rows: readonly Row[], run: { rounds: number; records: number; begun: Date; ended: Date }): string {
  const missed = rows.filter(({ isMet }) => isMet === false);
  // Java tells its version on stderr.
  const java = spawnSync('java', ['-version'], { encoding: 'utf8' }).stderr;
  const processors = cpus();
  const facts = [
    `- Machine: ${processors.length} × ${processors[0]?.model.trim() ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform} ${release()}`,
    `- Node.js ${process.version}; Apache Kafka 4.4.0 on ${java.split('\n')[0]} with a heap of 1 GB`,
    `- ${run.begun.toISOString()} to ${run.ended.toISOString()}; medians of ${run.rounds} rounds, the two brokers in turn; ${run.records.toLocaleString('en')} records of 100 B and a quarter as many of 1,000 B a round`,
    '- The load runs on the same machine: both brokers share its processors with their clients',
  ];
  return `${[
    '# Side by side with Apache Kafka 4.4.0',
    "Written by `npm run build && npm run bench -- --write`. Producers are ProducerPerformance (acks=all, linger 5 ms, batches of 128 KiB), consumers kcat; latency is measured by Kafka's EndToEndLatency, which knows whole milliseconds, and by `ottla bench latency`.",
    facts.join('\n'),
    tableOf(rows),
    missed.length === 0
      ? 'Every target is met.'
      : `Not met: ${missed.map(({ name, target, ottla, kafka }) => `${name} (${target}: ${numberText(ottla)} against ${numberText(kafka)})`).join('; ')}.`,
  ].join('\n\n')}\n`;
}
