/** What is asked of kafka-transactions and of ours. HUNG and FORCED stand for a topic and an id that each tool has of its own. */
export interface ToolArguments {
  readonly args: readonly string[];
  /** Kafka's tool says that the command line is wrong, in many lines and words of its own. */
  readonly isUsage?: boolean;
}

const run = (text: string): ToolArguments => ({ args: text.split(' ') });
const wrong = (text: string): ToolArguments => ({ args: text.split(' '), isUsage: true });

const look: readonly ToolArguments[] = [
  run('list'),
  run('describe-producers --topic HUNG --partition 0'),
  run('describe-producers --topic HUNG --partition 2'),
  run('find-hanging --topic HUNG'),
];

export const runs: readonly ToolArguments[] = [
  ...look,
  run('list --duration-filter 86400000'),
  run('list --duration-filter 0'),
  run('list --duration-filter -1'),
  run('list --transactional-id-pattern a-.*'),
  run('list --transactional-id-pattern a'),
  run('list --transactional-id-pattern .*-er|c-open --duration-filter 0'),
  wrong('list --duration-filter soon'),
  ...['a-committer', 'b-aborter', 'c-open', 'd-new', 'a-rather-long-transactional-id-indeed', 'FORCED', 'nobody'].map((id) =>
    run(`describe --transactional-id ${id}`),
  ),
  wrong('describe'),
  ...[0, 1, 2].map((partition) => run(`describe-producers --topic orders --partition ${partition}`)),
  run('describe-producers --topic orders --partition 0 --broker-id 1'),
  run('describe-producers --topic plain --partition 0'),
  wrong('describe-producers --topic orders'),
  wrong('describe-producers --partition 0'),
  run('find-hanging --topic orders'),
  run('find-hanging --topic orders --max-transaction-timeout 100000000'),
  run('find-hanging --topic HUNG --partition 1'),
  run('find-hanging --broker-id 1'),
  run('find-hanging --topic HUNG --broker-id 1 --max-transaction-timeout 0'),
  run('find-hanging --topic nowhere'),
  run('find-hanging'),
  run('find-hanging --partition 0'),
  run('abort --topic HUNG --partition 0'),
  run('abort --topic HUNG --partition 0 --producer-id 5000'),
  run('abort --topic HUNG --partition 0 --producer-id 5000 --producer-epoch 0'),
  run('abort --topic HUNG --partition 0 --start-offset 7'),
  run('abort --topic orders --partition 1 --start-offset 0'),
  wrong('abort --topic HUNG --start-offset 0'),
  run('abort --topic HUNG --partition 0 --start-offset 0'),
  run('abort --topic HUNG --partition 0 --start-offset 0'),
  run('abort --topic HUNG --partition 1 --producer-id 3 --producer-epoch 0 --coordinator-epoch -1'),
  run('abort --topic HUNG --partition 2 --producer-id 5002 --producer-epoch 4 --coordinator-epoch 0'),
  run('abort --topic HUNG --partition 2 --producer-id 5002 --producer-epoch 5 --coordinator-epoch 7'),
  run('abort --topic HUNG --partition 2 --producer-id 5002 --producer-epoch 5 --coordinator-epoch 6'),
  run('abort --topic HUNG --partition 0 --producer-id 4999 --producer-epoch 0 --coordinator-epoch 0'),
  ...look,
  run('describe-producers --topic HUNG --partition 1'),
  run('forceTerminateTransaction --transactionalId FORCED'),
  run('describe --transactional-id FORCED'),
  run('describe-producers --topic plain --partition 0'),
  run('forceTerminateTransaction --transactionalId FORCED'),
  run('describe --transactional-id FORCED'),
  run('forceTerminateTransaction --transactionalId never-seen'),
  run('describe --transactional-id never-seen'),
  wrong('forceTerminateTransaction'),
  run('list'),
];

/** Which of two equal sets of transactions a tool works on. */
export type Side = 'k' | 'o';

export const argumentsFor = ({ args }: ToolArguments, side: Side): string[] =>
  args.map((arg) => (arg === 'HUNG' || arg === 'FORCED' ? `${side}-${arg.toLowerCase()}` : arg));

/** What does not depend on the side, on the time, and on the order of Kafka's hash maps. */
export const normalized = (text: string): string[] =>
  text
    .replaceAll(/\b[ko]-(hung|forced)\b/g, '#-$1')
    // The producers of the two that are forced, and where their transactions begin.
    .replaceAll(/(?<=^|\t)[56](?= {9}\t)/gm, '#')
    .replaceAll(/(?<=^# .*\t)\d(?= {28}\t$)/gm, '#')
    // What Kafka's client logs beside.
    .replaceAll(/^\d{4}-\d\d-\d\dT.*\n/gm, '')
    // Times of day; those that the records have by themselves are in 2023.
    .replaceAll(/\b1[89]\d{11}\b|\b179\d{10}\b/g, '#'.repeat(13))
    .replaceAll(/(?<=\t#{13} *\t)\d+ */g, (cell) => '#'.padEnd(cell.length))
    .replaceAll(/(?<=\t)\d{7} {6}\t$/gm, (cell) => '#'.padEnd(cell.length))
    .replaceAll(/(?<=\t)[a-z]+-\d(,[a-z]+-\d)* *\t$/gm, (cell) => {
      const text = cell.trim();
      return text.split(',').sort().join(',') + cell.slice(text.length);
    })
    .split('\n')
    .sort();
