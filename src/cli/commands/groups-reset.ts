import { describeGroups, listGroups } from '../../client/admin-groups.ts';
import { alterGroupOffsets, listGroupOffsets } from '../../client/admin-group-offsets.ts';
import type { Client } from '../../client/client.ts';
import { topicError } from '../../client/cluster-metadata.ts';
import type { GroupOffsets } from '../../client/groups/group-offsets.ts';
import type { TopicPartition } from '../../client/topic-partition.ts';
import { KafkaError } from '../../protocol/errors.ts';
import { CliError, usageError } from '../cli-error.ts';
import { type ClusterOptions, withClient } from '../cluster-option.ts';
import { describeFailure } from '../failure.ts';
import { type GroupSelection, selectedGroups, selectedNames } from '../groups/group-selection.ts';
import { inKafkaWords, printKafkaError } from '../groups/kafka-words.ts';
import { ensureLed, partitionsMeant, topicArgument } from '../groups/partition-arguments.ts';
import { parseResetCsv, resetCsv, type ResetLine } from '../groups/reset-csv.ts';
import { type PlannedOffset, planReset, type ResetScenario } from '../groups/reset-plan.ts';
import type { Terminal } from '../terminal.ts';
import { wholeFile } from '../whole-file.ts';

export interface ResetOptions extends ClusterOptions, GroupSelection {
  readonly topic?: readonly string[];
  readonly allTopics?: boolean;
  readonly execute?: boolean;
  readonly dryRun?: boolean;
  readonly export?: boolean;
  readonly toEarliest?: boolean;
  readonly toLatest?: boolean;
  readonly toCurrent?: boolean;
  readonly toOffset?: number;
  readonly shiftBy?: number;
  readonly toDatetime?: number;
  readonly byDuration?: number;
  readonly fromFile?: string;
}

const SCENARIOS = '--to-earliest, --to-latest, --to-current, --to-offset, --shift-by, --by-duration, --to-datetime, --from-file';

/** Kafka's own warning, which scripts filter out. */
const NO_ACTION =
  'WARN: No action will be performed as the --execute option is missing. In version 5.0, this command will require either --dry-run or --execute to be specified. You should add the --dry-run option explicitly if you are scripting this command and want to keep the current default behavior without prompting.';

type Plan = readonly { readonly groupId: string; readonly offsets: readonly PlannedOffset[] }[];

/** Moves the offsets of groups without members; without `--execute` only tells where to. */
export async function resetOffsetsCommand(terminal: Terminal, named: readonly string[], options: ResetOptions): Promise<void> {
  const names = selectedNames(named, options);
  checkOptions(options);
  if (options.execute !== true && options.dryRun !== true && options.json !== true) terminal.note(NO_ACTION);
  await withClient(options, (client) =>
    inKafkaWords(terminal, { json: options.json, withException: false }, async () => {
      const ids = names ?? (await selectedGroups(client, [], options));
      const reset = new OffsetReset(client, terminal, options, scenarioReader(client, options));
      print(terminal, await reset.run(ids), options, names?.length === 1);
    }),
  );
}

function checkOptions(options: ResetOptions): void {
  if (options.execute === true && options.dryRun === true) throw usageError('--execute and --dry-run exclude each other');
  const { toEarliest, toLatest, toCurrent, toOffset, shiftBy, toDatetime, byDuration, fromFile } = options;
  const given = [toEarliest, toLatest, toCurrent, toOffset, shiftBy, toDatetime, byDuration, fromFile].filter(
    (one) => one !== undefined,
  );
  if (given.length !== 1) {
    throw usageError(
      given.length === 0 ? 'Nothing says where to move the offsets' : 'Offsets can be moved in one way at a time',
      `Say one of ${SCENARIOS}.`,
    );
  }
  if (options.topic !== undefined && options.allTopics === true) throw usageError('--topic and --all-topics exclude each other');
  if (options.topic === undefined && options.allTopics !== true && fromFile === undefined) {
    throw usageError('One of the reset scopes should be defined: --all-topics, --topic.');
  }
  options.topic?.forEach(topicArgument);
}

/** The scenario of a group: a file may say something else for each. Null if it says nothing. */
type ScenarioReader = (groupId: string, isOnlyGroup: boolean) => ResetScenario | null;

function scenarioReader(client: Client, options: ResetOptions): ScenarioReader {
  const { toOffset, shiftBy, toDatetime, byDuration, fromFile } = options;
  if (fromFile !== undefined) {
    const lines = parseResetCsv(wholeFile(client.environment.disk, fromFile).toString('utf8'), fromFile);
    return (groupId, isOnlyGroup) => planOfFile(lines, groupId, isOnlyGroup);
  }
  const scenario = ((): ResetScenario => {
    if (toOffset !== undefined) return { kind: 'to-offset', offset: toOffset };
    if (shiftBy !== undefined) return { kind: 'shift-by', by: shiftBy };
    if (toDatetime !== undefined) return { kind: 'to-time', timestamp: toDatetime };
    if (byDuration !== undefined) return { kind: 'to-time', timestamp: client.environment.clock.now() - byDuration };
    if (options.toCurrent === true) return { kind: 'to-current' };
    return { kind: options.toLatest === true ? 'to-latest' : 'to-earliest' };
  })();
  return () => scenario;
}

function planOfFile(lines: readonly ResetLine[], groupId: string, isOnlyGroup: boolean): ResetScenario | null {
  const offsets = lines.filter(({ group }) => group === groupId || (group === null && isOnlyGroup));
  return offsets.length === 0 ? null : { kind: 'from-file', offsets };
}

class OffsetReset {
  readonly #client: Client;
  readonly #terminal: Terminal;
  readonly #options: ResetOptions;
  readonly #scenarioOf: ScenarioReader;

  constructor(client: Client, terminal: Terminal, options: ResetOptions, scenarioOf: ScenarioReader) {
    this.#client = client;
    this.#terminal = terminal;
    this.#options = options;
    this.#scenarioOf = scenarioOf;
  }

  async run(ids: readonly string[]): Promise<Plan> {
    const described = await describeGroups(this.#client, ids);
    const streams = new Set((await listGroups(this.#client, { types: ['streams'] })).map(({ groupId }) => groupId));
    const plan: { groupId: string; offsets: readonly PlannedOffset[] }[] = [];
    for (const [groupId, group] of described) {
      if (streams.has(groupId)) {
        this.#refuse(`Group '${groupId}' is a streams group. Use kafka-streams-groups.sh to reset its offsets.`);
        plan.push({ groupId, offsets: [] });
        continue;
      }
      if (group instanceof KafkaError && group.errorName !== 'GROUP_ID_NOT_FOUND') throw group;
      const state = group instanceof KafkaError ? 'Dead' : group.state;
      if (state !== 'Empty' && state !== 'Dead') {
        this.#refuse(
          `Assignments can only be reset if the group '${groupId}' is inactive, but the current state is ${state}.`,
          `Stop its members first; see who they are with "ottla groups members ${groupId}".`,
        );
        plan.push({ groupId, offsets: [] });
        continue;
      }
      plan.push({ groupId, offsets: await this.#reset(groupId, ids.length === 1) });
    }
    return plan;
  }

  async #reset(groupId: string, isOnlyGroup: boolean): Promise<readonly PlannedOffset[]> {
    const { allTopics, topic = [], execute } = this.#options;
    const scenario = this.#scenarioOf(groupId, isOnlyGroup);
    if (scenario === null) {
      this.#refuse(`No reset plan for group ${groupId} found.`);
      return [];
    }
    const committed = await this.#committed(groupId);
    const places: readonly TopicPartition[] =
      allTopics === true
        ? [...committed.values()].map((place) => ({ topic: place.topic, partition: place.partition }))
        : await this.#named(topic);
    const named = scenario.kind === 'from-file' ? scenario.offsets : places;
    await this.#client.loadTopics(named.map((place) => place.topic));
    ensureLed(this.#client, named);
    const offsets = await planReset(scenario, places, { client: this.#client, terminal: this.#terminal, committed });
    if (execute === true) await alterGroupOffsets(this.#client, groupId, offsets);
    return offsets;
  }

  async #named(topics: readonly string[]): Promise<readonly TopicPartition[]> {
    const { places, errors } = await partitionsMeant(this.#client, topics.map(topicArgument));
    for (const [topic, error] of errors) {
      if (this.#options.json === true) throw topicError(topic, error);
      // Kafka's own words leave out which.
      this.#terminal.note(topicError(topic, error).message);
      throw new KafkaError(error);
    }
    return places;
  }

  async #committed(groupId: string): Promise<GroupOffsets> {
    const offsets = (await listGroupOffsets(this.#client, [groupId])).get(groupId) ?? new Map();
    if (!(offsets instanceof KafkaError)) return offsets;
    // Of a group that does not exist nothing is committed.
    if (offsets.errorName === 'GROUP_ID_NOT_FOUND') return new Map();
    throw offsets;
  }

  /** The other groups go on. */
  #refuse(text: string, remedy?: string): void {
    if (this.#options.json === true) {
      this.#terminal.fail(describeFailure(new CliError(text, remedy === undefined ? {} : { remedy }), '').json);
      this.#terminal.exitCode = 1;
      return;
    }
    printKafkaError(this.#terminal, text);
    if (remedy !== undefined) this.#terminal.note(remedy);
  }
}

function print(terminal: Terminal, plan: Plan, options: ResetOptions, isOneGroup: boolean): void {
  const rows = plan.flatMap(({ groupId, offsets }) => offsets.map((offset) => ({ groupId, ...offset })));
  if (options.json === true) {
    const isExecuted = options.execute === true;
    terminal.line(
      JSON.stringify(rows.map(({ groupId, topic, partition, offset }) => ({ groupId, topic, partition, offset, isExecuted }))),
    );
    return;
  }
  if (options.export === true) {
    for (const { groupId, ...place } of rows) terminal.line(resetCsv({ group: isOneGroup ? null : groupId, ...place }));
    terminal.line('');
    return;
  }
  const groupWidth = Math.max(15, ...plan.map(({ groupId }) => groupId.length));
  const topicWidth = Math.max(15, ...rows.map(({ topic }) => topic.length));
  const line = (group: string, topic: string, partition: string, offset: string): string =>
    `\n${group.padEnd(groupWidth)} ${topic.padEnd(topicWidth)} ${partition.padEnd(10)} ${offset}`;
  const lines = rows.map(({ groupId, topic, partition, offset }) => line(groupId, topic, String(partition), String(offset)));
  terminal.data(`${plan.length === 0 ? '' : line('GROUP', 'TOPIC', 'PARTITION', 'NEW-OFFSET')}${lines.join('')}\n`);
}
