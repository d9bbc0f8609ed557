/** What is asked of kafka-consumer-groups and of ours. IDLE, PART and GONE stand for groups that each tool has of its own. */
export interface ToolArguments {
  readonly args: readonly string[];
  /** Kafka's tool says that the command line is wrong, in many lines and words of its own. */
  readonly isUsage?: boolean;
  /** What it shows is shown by another run as well: for Kafka's tool, which takes a second each time, that is enough. */
  readonly isRepeated?: boolean;
}

const run = (text: string): ToolArguments => ({ args: words(text) });
const wrong = (text: string): ToolArguments => ({ args: words(text), isUsage: true });

/** Blanks part words, but for those in quotation marks. */
const words = (text: string): string[] => [...text.matchAll(/"([^"]*)"|\S+/g)].map((match) => match[1] ?? match[0]);

const VIEWS = ['', '--offsets', '--offsets --verbose', '--members', '--members --verbose', '--state', '--state --verbose'];

/** While the groups have members. */
export const activeRuns: readonly ToolArguments[] = [
  ...[
    '',
    '--state',
    '--state stable',
    '--state Empty,STABLE',
    '--type',
    '--type classic',
    '--type consumer',
    '--state --type',
  ].map((rest) => run(`--list ${rest}`)),
  wrong('--list --state bogus'),
  wrong('--list --type share'),
  ...['readers', 'pair', 'new', 'sticky', 'IDLE'].flatMap((group) =>
    VIEWS.map((view) => ({ ...run(`--describe --group ${group} ${view}`), isRepeated: true })),
  ),
  ...VIEWS.map((view) => run(`--describe --all-groups ${view}`)),
  run('--describe --group readers --group PART'),
  run('--describe --group missing'),
  run('--describe --group readers --group missing --members'),
  wrong('--describe'),
  wrong('--describe --group readers --members --state'),
  run('--delete --group readers'),
  run('--delete --group readers --group missing'),
  run('--delete-offsets --group readers --topic orders:0'),
  run('--delete-offsets --group readers --topic other'),
  run('--delete-offsets --group new --topic orders'),
  run('--delete-offsets --group missing --topic orders'),
  run('--reset-offsets --group readers --topic orders --to-earliest --dry-run'),
  run('--reset-offsets --group new --all-topics --to-latest --execute'),
  run('--reset-offsets --group readers --group PART --topic orders --to-earliest --dry-run'),
];

const reset = (rest: string): ToolArguments => run(`--reset-offsets --group IDLE ${rest} --dry-run`);

/** After all members have left. */
export const idleRuns: readonly ToolArguments[] = [
  run('--list --state --type'),
  ...['readers', 'pair', 'new', 'sticky'].flatMap((group) =>
    ['', '--members --verbose', '--state'].map((view) => run(`--describe --group ${group} ${view}`)),
  ),
  ...['--to-earliest', '--to-latest', '--to-current', '--to-offset 3', '--to-offset 99', '--to-offset 0'].map((how) =>
    reset(`--topic orders ${how}`),
  ),
  reset('--all-topics --to-earliest'),
  reset('--all-topics --to-current'),
  reset('--topic orders:0,2 --to-latest'),
  reset('--topic orders:1 --topic other --to-latest'),
  reset('--topic orders --shift-by 2'),
  reset('--topic orders --shift-by -100'),
  reset('--topic other --shift-by 1'),
  reset('--topic orders --to-datetime 2023-11-14T22:13:23.000'),
  reset('--topic orders --to-datetime 2023-11-14T22:13:22.500Z'),
  reset('--topic orders --to-datetime 2023-11-14T23:13:21.001+01:00'),
  reset('--topic orders --to-datetime 2033-11-14T23:13:21.001'),
  reset('--topic empty --to-datetime 2023-11-14T22:13:23.000'),
  reset('--topic orders --by-duration PT0S'),
  reset('--topic orders --by-duration P9999D'),
  reset('--topic nowhere --to-earliest'),
  reset('--topic orders:0,9 --to-earliest'),
  reset('--topic orders --to-current --export'),
  reset('--all-topics --to-earliest --export'),
  run('--reset-offsets --group IDLE --group PART --topic orders --to-earliest --dry-run'),
  run('--reset-offsets --group IDLE --group PART --topic orders --to-earliest --dry-run --export'),
  run(
    '--reset-offsets --group "a group, with a rather \'long\' name" --topic a-topic-with-a-rather-long-name-indeed --to-latest --dry-run --export',
  ),
  run('--reset-offsets --group fresh --topic orders:0 --to-offset 1 --dry-run'),
  run('--reset-offsets --group IDLE --from-file FILE --dry-run'),
  run('--reset-offsets --group IDLE --group PART --from-file GROUPS --dry-run'),
  run('--reset-offsets --group PART --from-file GROUPS --dry-run'),
  run('--reset-offsets --group GONE --from-file GROUPS --dry-run'),
  run('--reset-offsets --group IDLE --topic orders --to-earliest'),
  wrong('--reset-offsets --group IDLE --to-earliest --dry-run'),
  wrong('--reset-offsets --group IDLE --topic orders --dry-run'),
  wrong('--reset-offsets --group IDLE --topic orders --to-earliest --to-latest --dry-run'),
  wrong('--reset-offsets --group IDLE --topic orders --to-earliest --dry-run --execute'),
  wrong('--reset-offsets --group IDLE --topic orders:x --to-earliest --dry-run'),
  wrong('--reset-offsets --group IDLE --topic orders:1:2 --to-earliest --dry-run'),
  wrong('--reset-offsets --group IDLE --group PART --topic orders --shift-by 1 --dry-run'),
  run('--reset-offsets --group IDLE --topic orders --shift-by -1 --execute'),
  run('--describe --group IDLE --offsets --verbose'),
  run('--reset-offsets --group PART --topic other --to-earliest --execute'),
  run('--describe --group PART --offsets --verbose'),
  run('--delete-offsets --group IDLE --topic orders:2'),
  run('--delete-offsets --group IDLE --topic orders --topic nowhere'),
  run('--delete-offsets --group IDLE --topic other:7'),
  run('--delete-offsets --group IDLE --topic nowhere:0'),
  run('--describe --group IDLE'),
  run('--delete --group GONE --group missing'),
  run('--delete --group IDLE'),
  run('--delete --group missing'),
];

/** Which of two equal sets of groups a tool works on. */
export type Side = 'k' | 'o';

/** The arguments for one side; FILE and GROUPS are files in `directory`. */
export const argumentsFor = ({ args }: ToolArguments, side: Side, directory: string): string[] =>
  args.map((arg) => {
    if (arg === 'FILE' || arg === 'GROUPS') return `${directory}/${side}-${arg.toLowerCase()}.csv`;
    return ['IDLE', 'PART', 'GONE'].includes(arg) ? `${side}-${arg.toLowerCase()}` : arg;
  });

/** The files that the arguments name, by path. */
export const filesFor = (side: Side, directory: string): readonly (readonly [path: string, text: string])[] => [
  [`${directory}/${side}-file.csv`, 'orders,0,1\norders,2,99\n'],
  [`${directory}/${side}-groups.csv`, `${side}-idle,orders,0,1\n${side}-part,orders,1,2\n`],
];

/** The same for ours: the action is a command. */
export const ourArguments = (args: readonly string[]): string[] => ['groups', (args[0] ?? '').slice(2), ...args.slice(1)];

/** What does not depend on the side, on chance, and on the order of Kafka's hash maps. */
export const normalized = (text: string): string[] =>
  text
    .replaceAll(/\b[ko]-(idle|part|gone)\b/g, '#-$1')
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '#'.repeat(36))
    .replaceAll(/(?<=^new .* )[\w-]{22}(?= )/gm, '#'.repeat(22))
    .replaceAll(/(127\.0\.0\.1|localhost):\d{5} /g, '127.0.0.1:##### ')
    .split('\n')
    .sort();

/** What the tool says on stderr besides traces of its own calls. */
export const saidBeside = (stderr: string): string[] =>
  normalized(stderr).filter((line) => /^(Consumer group|Warning|WARN)/.test(line));
