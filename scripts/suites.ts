/**
 * Runs other people's tests against this node: of each suite the cases that docs/conformance.md lists as passing. Fails if one of
 * them does not pass, or if the node logs an error meanwhile.
 *
 *   npm run test:suites [-- SUITE...]
 *
 * Environment: OTTLA_SUITES (default ../shared/suites), the folder that holds the suites; OTTLA_BUILT=1 for the built node;
 * OTTLA_CASES=all for every case of a suite; JOBS for librdkafka, and all else that the suites take.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { passingCases } from './suite-cases.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const suites = resolve(root, process.env['OTTLA_SUITES'] ?? '../shared/suites');
const profile = 'single-broker.properties';

/** Cases that are run on a node of their own, with these settings beside those of the profile. */
interface Setting {
  readonly cases: RegExp;
  readonly settings: readonly string[];
  /** A pattern of all of them, or null if the suite runs them unasked. */
  readonly all: string | null;
}

interface Suite {
  readonly name: string;
  /** For a suite whose clients look for the broker at a fixed address, and want it set as they are used to. */
  readonly own?: { readonly listener: string; readonly settings: readonly string[] };
  readonly brokers?: readonly Setting[];
  /** What to run, with a pattern of the wanted cases or null for all. */
  command(address: string, cases: string | null): readonly string[];
  /** A pattern that the suite understands. */
  pattern(cases: readonly string[]): string | null;
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
const anyOf = (cases: readonly string[]): string => `^(${cases.map(escaped).join('|')})$`;
const goPattern = (cases: readonly string[]): string =>
  cases
    .map((name) =>
      name
        .split('/')
        .map((part) => `^${escaped(part)}$`)
        .join('/'),
    )
    .join('|');

const known: readonly Suite[] = [
  {
    name: 'librdkafka',
    command: shell('librdkafka.sh'),
    pattern: anyOf,
    brokers: [
      { cases: /^(?!N\/|P\/|D\/0102)/, settings: [], all: null },
      { cases: /^N\//, settings: ['auto.create.topics.enable=false'], all: 'N' },
      // Members that start together are meant to find each other in their first generation.
      { cases: /^(?:P\/|D\/0102)/, settings: ['group.initial.rebalance.delay.ms=3000'], all: '^(P/|D/0102)' },
    ],
  },
  { name: 'java-tools', command: shell('java-tools.sh'), pattern: anyOf },
  { name: 'kgo', command: shell('kgo.sh'), pattern: goPattern },
  {
    name: 'kafka-go',
    own: { listener: 'localhost:9092', settings: ['auto.create.topics.enable=true', 'message.max.bytes=200000000'] },
    command: (_address, cases) => ['bash', join(suites, 'kafka-go.sh'), ...(cases === null ? [] : [cases])],
    pattern: goPattern,
  },
  {
    name: 'watermill',
    command: shell('watermill.sh'),
    pattern: goPattern,
    brokers: [{ cases: /./, settings: ['num.partitions=1'], all: null }],
  },
  // This one picks files only, the next one codecs: they run until they have said something about each case.
  { name: 'node-rdkafka', command: shell('node-rdkafka.sh'), pattern: () => null },
  {
    name: 'clients',
    command: (address) => ['node', join(suites, 'clients.mjs'), address],
    pattern: () => null,
  },
];

function shell(script: string): Suite['command'] {
  return (address, cases) => ['bash', join(suites, script), address, ...(cases === null ? [] : [cases])];
}

interface Broker {
  readonly address: string;
  readonly errors: readonly string[];
  stop(): Promise<void>;
}

/** A node on fresh directories. */
async function startBroker({ own }: Suite, special: readonly string[]): Promise<Broker> {
  const directory = mkdtempSync(join(tmpdir(), 'ottla-suite-'));
  const main = process.env['OTTLA_BUILT'] === '1' ? 'dist/cli/main.js' : 'src/cli/main.ts';
  const { listener, settings } = own ?? { listener: '127.0.0.1:0', settings: [] };
  const set = [`listeners=PLAINTEXT://${listener}`, ...settings, ...special].flatMap((setting) => ['--set', setting]);
  const config = own === undefined ? ['--config', join(suites, profile)] : [];
  const args = [join(root, main), 'start', '--json', '--data', join(directory, 'data'), ...config, ...set];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const errors: string[] = [];
  const log = createInterface({ input: child.stderr });
  const logged = once(log, 'close');
  log.on('line', (line) => /"level":"error"|^[^{]|^\{"error"/.test(line) && errors.push(line));
  const stop = async (): Promise<void> => {
    await end(child, child.pid ?? 0, 'SIGTERM');
    rmSync(directory, { recursive: true, force: true });
  };
  for await (const line of createInterface({ input: child.stdout })) {
    const { event, listeners: bound } = JSON.parse(line) as { event: string; listeners: { host: string; port: number }[] };
    const [first] = bound;
    if (event === 'ready' && first !== undefined) return { address: `${first.host}:${first.port}`, errors, stop };
  }
  await stop();
  await logged;
  throw new Error(`The node did not start:\n${errors.join('\n')}`);
}

async function end(child: ChildProcess, pid: number, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  process.kill(pid, signal);
  await exited;
}

/** Verdicts by case. Ends the suite as soon as it has said something about every wanted case. */
async function verdictsOf(command: readonly string[], wanted: readonly string[]): Promise<Map<string, string>> {
  const [program = '', ...args] = command;
  // The machine's own Node.js: native clients are built for that.
  const path = (process.env['PATH'] ?? '').split(':').filter((entry) => !entry.includes('node_modules'));
  const env = { NO_SASL: '1', ...process.env, PATH: path.join(':') };
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'], detached: true, env });
  const verdicts = new Map<string, string>();
  for await (const line of createInterface({ input: child.stdout })) {
    const [, verdict, name] = /^(PASS|FAIL|SKIP) (\S+)/.exec(line) ?? [];
    if (verdict === undefined || name === undefined) continue;
    console.log(line);
    verdicts.set(name, verdict);
    if (wanted.length > 0 && wanted.every((each) => verdicts.has(each))) break;
  }
  await end(child, -(child.pid ?? 0), 'SIGKILL');
  return verdicts;
}

/** What went wrong. */
async function runSuite(suite: Suite, documented: readonly string[]): Promise<string[]> {
  const problems: string[] = [];
  for (const setting of suite.brokers ?? [{ cases: /./, settings: [], all: null }]) {
    problems.push(
      ...(await runCases(
        suite,
        setting,
        documented.filter((name) => setting.cases.test(name)),
      )),
    );
  }
  return problems.map((problem) => `${suite.name}: ${problem}`);
}

async function runCases(suite: Suite, { settings, all }: Setting, listed: readonly string[]): Promise<string[]> {
  const isWhole = process.env['OTTLA_CASES'] === 'all';
  const broker = await startBroker(suite, settings);
  try {
    const how = settings.length > 0 ? ` with ${settings.join(' ')}` : '';
    console.log(`${suite.name} against ${broker.address}${how}: ${isWhole ? 'every case' : `${listed.length} cases`}`);
    const command = suite.command(broker.address, isWhole ? all : suite.pattern(listed));
    const verdicts = await verdictsOf(command, isWhole ? [] : listed);
    const lost = listed.filter((name) => verdicts.get(name) !== 'PASS');
    const found = [...verdicts].filter(([name, verdict]) => verdict === 'PASS' && !listed.includes(name));
    for (const [name] of found) console.log(`passes and is not listed: ${name}`);
    console.log(`${suite.name}: ${listed.length - lost.length} of ${listed.length} listed cases pass`);
    return [...lost.map((name) => `${name} does not pass`), ...broker.errors.map((line) => `the node logged ${line}`)];
  } finally {
    await broker.stop();
  }
}

if (!existsSync(join(suites, profile)))
  throw new Error(`There are no suites at ${suites}: tell where they are with OTTLA_SUITES.`);
const listed = passingCases(readFileSync(join(root, 'docs/conformance.md'), 'utf8'));
const names = process.argv.slice(2);
const problems: string[] = [];
for (const suite of known) {
  if (names.length === 0 || names.includes(suite.name)) problems.push(...(await runSuite(suite, listed.get(suite.name) ?? [])));
}
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
