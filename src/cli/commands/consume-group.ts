import { type Command, Option } from 'commander';
import type { Client } from '../../client/client.ts';
import { type ClassicAssignorName, classicAssignorNames } from '../../client/groups/assignors/index.ts';
import { GroupConsumer } from '../../client/groups/group-consumer.ts';
import type { GroupOptions } from '../../client/groups/group-options.ts';
import type { Subscription } from '../../client/groups/membership.ts';
import { keyOf, partitionsByTopic, type TopicPartition } from '../../client/topic-partition.ts';
import { usageError } from '../cli-error.ts';
import { withClient } from '../cluster-option.ts';
import { duration, nameList } from '../option-values.ts';
import type { Terminal } from '../terminal.ts';
import { selectTopics } from '../topic-names.ts';
import { plural } from '../wording.ts';
import type { ConsumeOptions } from './consume.ts';
import { endsOf } from './consume-places.ts';
import { ConsumeSession } from './consume-session.ts';

/** What a member of a group can be told on the command line. */
export interface MemberOptions {
  readonly group?: string;
  readonly include?: string;
  readonly protocol?: 'classic' | 'consumer';
  readonly groupInstanceId?: string;
  readonly assignor?: readonly string[];
  readonly commit: boolean;
  readonly commitInterval?: number;
  readonly sessionTimeout?: number;
  readonly heartbeatInterval?: number;
  readonly maxPollInterval?: number;
}

type OptionsOfMember = ConsumeOptions & { readonly group: string };

/** Options that mean something with `--group` only. */
export const addGroupOptions = (command: Command): Command =>
  command
    .option('-g, --group <name>', 'read as a member of this group, from where it has committed')
    .option('--include <pattern>', 'with --group: all topics whose whole name matches, instead of named ones')
    .addOption(
      new Option('--protocol <name>', 'with --group: who assigns, its members (classic) or its coordinator (consumer)').choices([
        'classic',
        'consumer',
      ]),
    )
    .option('--group-instance-id <name>', 'with --group: a static member, whose partitions wait for it while it restarts')
    .option(
      '--assignor <names>',
      `with --group: ${classicAssignorNames.join(', ')}; uniform or range with --protocol consumer`,
      nameList,
    )
    .option('--no-commit', 'with --group: leave the offsets of the group as they are')
    .option('--commit-interval <time>', 'with --group: how often offsets are committed (default: 5s)', duration)
    .option(
      '--session-timeout <time>',
      'with --group, classic: how long the group waits for a sign of life (default: 45s)',
      duration,
    )
    .option('--heartbeat-interval <time>', 'with --group, classic: how often it gets one (default: 3s)', duration)
    .option(
      '--max-poll-interval <time>',
      'with --group: how long others wait for this member in a rebalance (default: 5m)',
      duration,
    );

const MEMBER_OPTIONS = [
  ['include', '--include'],
  ['protocol', '--protocol'],
  ['groupInstanceId', '--group-instance-id'],
  ['assignor', '--assignor'],
  ['commitInterval', '--commit-interval'],
  ['sessionTimeout', '--session-timeout'],
  ['heartbeatInterval', '--heartbeat-interval'],
  ['maxPollInterval', '--max-poll-interval'],
] as const satisfies readonly (readonly [keyof MemberOptions, string])[];

/** Without a group they would do nothing. */
export function refuseMemberOptions(options: MemberOptions): void {
  const [, flag] = MEMBER_OPTIONS.find(([key]) => options[key] !== undefined) ?? [null, options.commit ? null : '--no-commit'];
  if (flag !== null) throw usageError(`${flag} is for a member of a group`, 'Name the group with --group NAME.');
}

/** Reads as a member until something ends it, then commits what was printed, and leaves. */
export async function consumeAsMember(terminal: Terminal, topic: string | undefined, options: OptionsOfMember): Promise<void> {
  const subscription = subscriptionOf(topic, options);
  const groupOptions = groupOptionsOf(options);
  await withClient(options, async (client) => {
    if (subscription.kind === 'names') for (const name of subscription.topics) await client.loadTopic(name);
    const ends = options.exit === true ? await endsOfAll(client, subscription, options) : null;
    const say = (text: string): void => {
      if (terminal.isInteractive && options.quiet !== true) terminal.note(text);
    };
    const consumer = new GroupConsumer(client, groupOptions, subscription, {
      assigned: (places) => say(`Assigned: ${placesText(places)}`),
      revoked: (places) => say(`Revoked: ${placesText(places)}`),
      lost: (places) => say(`Lost: ${placesText(places)}`),
    });
    const isRead = (place: TopicPartition): boolean => (consumer.position(place) ?? -1) >= (ends?.get(keyOf(place)) ?? 0);
    const session = new ConsumeSession(consumer, {
      clock: client.environment.clock,
      terminal,
      options,
      ends,
      isAtEnd: () => ends !== null && consumer.isSettled && consumer.assignment.every(isRead),
    });
    try {
      await session.run();
      for (const { offset, ...place } of session.remainders) if (consumer.position(place) !== null) consumer.seek(place, offset);
    } finally {
      await consumer.close();
    }
    say(`${plural(session.count, 'record')}.`);
  });
}

function subscriptionOf(topic: string | undefined, options: OptionsOfMember): Subscription {
  if (options.partitions !== undefined)
    throw usageError('A group divides partitions itself', 'Leave --partitions out, or --group.');
  const kind = options.from?.kind ?? 'earliest';
  if (kind !== 'earliest' && kind !== 'latest') {
    throw usageError(
      'A group goes on where it has committed: --from can only say earliest or latest, for partitions without an offset',
      'Move the offsets with "ottla groups reset-offsets".',
    );
  }
  if (options.include !== undefined) {
    if (topic !== undefined) throw usageError('A topic and --include exclude each other');
    return { kind: 'pattern', pattern: options.include };
  }
  const topics = nameList(topic ?? '');
  if (topics.length === 0)
    throw usageError('No topic is named', 'Write "ottla consume TOPIC --group NAME", or --include PATTERN.');
  return { kind: 'names', topics };
}

function groupOptionsOf(options: OptionsOfMember): GroupOptions {
  const { protocol = 'classic', assignor = [] } = options;
  if (protocol === 'consumer' && (options.sessionTimeout ?? options.heartbeatInterval) !== undefined) {
    throw usageError(
      '--session-timeout and --heartbeat-interval are for --protocol classic',
      'Otherwise the coordinator says both: group.consumer.session.timeout.ms, group.consumer.heartbeat.interval.ms.',
    );
  }
  const isEarliest = options.fromBeginning === true || options.from?.kind === 'earliest';
  return {
    groupId: options.group,
    protocol,
    isolationLevel: options.isolation,
    autoOffsetReset: isEarliest ? 'earliest' : 'latest',
    fetchMaxBytes: options.fetchMaxBytes,
    fetchMaxWaitMs: options.fetchMaxWait,
    fetchMinBytes: options.fetchMinBytes,
    checkCrcs: options.checkCrcs,
    enableAutoCommit: options.commit,
    ...given('clientRack', options.rack),
    ...given('groupInstanceId', options.groupInstanceId),
    ...given('autoCommitIntervalMs', options.commitInterval),
    ...given('sessionTimeoutMs', options.sessionTimeout),
    ...given('heartbeatIntervalMs', options.heartbeatInterval),
    ...given('maxPollIntervalMs', options.maxPollInterval),
    ...(assignor.length === 0 ? {} : assignorOptions(protocol, assignor)),
  };
}

const given = <K extends keyof GroupOptions>(key: K, value: GroupOptions[K] | undefined): Partial<GroupOptions> =>
  value === undefined ? {} : { [key]: value };

function assignorOptions(protocol: 'classic' | 'consumer', names: readonly string[]): Partial<GroupOptions> {
  if (protocol === 'consumer') {
    if (names.length > 1) throw usageError('With --protocol consumer there is one assignor');
    return { remoteAssignor: names[0] ?? null };
  }
  const assignors = names.map((name): ClassicAssignorName => {
    const known = classicAssignorNames.find((one) => one === name);
    if (known === undefined) throw usageError(`"${name}" is no assignor`, `Known are ${classicAssignorNames.join(', ')}.`);
    return known;
  });
  return { assignors };
}

async function endsOfAll(client: Client, subscription: Subscription, options: OptionsOfMember): Promise<Map<string, number>> {
  const names = subscription.kind === 'names' ? subscription.topics : [`(?:${subscription.pattern})`];
  const ends = new Map<string, number>();
  for (const { name: topic, partitions } of await selectTopics(client, names, { ifExists: true })) {
    await client.loadTopic(topic);
    const ofTopic = await endsOf(
      client,
      topic,
      partitions.map(({ partition }) => partition),
      options.isolation,
    );
    for (const [partition, end] of ofTopic) ends.set(keyOf({ topic, partition }), end);
  }
  return ends;
}

const placesText = (places: readonly TopicPartition[]): string =>
  [...partitionsByTopic(places)].map(([topic, partitions]) => `${topic} ${partitions.join(',')}`).join('; ');
