import { alterConfigs, type ConfigChange } from '../../client/admin-configs.ts';
import {
  createPartitions,
  createTopic,
  type CreatedTopic,
  deleteTopics,
  listTopics,
  type NewTopic,
} from '../../client/admin-topics.ts';
import { KafkaError } from '../../protocol/errors.ts';
import { usageError } from '../cli-error.ts';
import { type ClusterOptions, withClient } from '../cluster-option.ts';
import type { Terminal } from '../terminal.ts';
import { selectTopics } from '../topic-names.ts';
import { plural } from '../wording.ts';

interface CreateOptions extends ClusterOptions {
  readonly partitions?: number;
  readonly replicationFactor?: number;
  readonly replicaAssignment?: string;
  readonly config?: Readonly<Record<string, string>>;
  readonly ifNotExists?: boolean;
  readonly validateOnly?: boolean;
}

export async function createTopicCommand(terminal: Terminal, name: string, options: CreateOptions): Promise<void> {
  if (options.replicaAssignment !== undefined && (options.partitions !== undefined || options.replicationFactor !== undefined)) {
    throw usageError(
      '--replica-assignment says the number of partitions and replicas; leave --partitions and --replication-factor out',
    );
  }
  const topic: NewTopic = {
    name,
    ...(options.partitions === undefined ? {} : { partitions: options.partitions }),
    ...(options.replicationFactor === undefined ? {} : { replicationFactor: options.replicationFactor }),
    ...(options.replicaAssignment === undefined ? {} : { assignments: parseAssignment(options.replicaAssignment) }),
    ...(options.config === undefined ? {} : { configs: options.config }),
  };
  await withClient(options, async (client) => {
    if (/[._]/.test(name)) {
      const metricName = name.replaceAll('.', '_');
      const twin = (await listTopics(client)).find(
        (other) => other.name !== name && other.name.replaceAll('.', '_') === metricName,
      );
      if (twin !== undefined)
        terminal.note(`"${name}" and "${twin.name}" will share one name in metrics, where "." becomes "_".`);
    }
    try {
      const created = await createTopic(client, topic, { validateOnly: options.validateOnly ?? false });
      if (options.json === true) terminal.line(JSON.stringify(createdFacts(created, options)));
      else {
        const shape =
          created.partitions < 0
            ? ''
            : `: ${plural(created.partitions, 'partition')}, replication factor ${created.replicationFactor}`;
        terminal.line(`${options.validateOnly === true ? `Topic ${name} could be created` : `Created topic ${name}`}${shape}.`);
      }
    } catch (error) {
      const exists = error instanceof KafkaError && error.errorName === 'TOPIC_ALREADY_EXISTS';
      if (!exists || options.ifNotExists !== true) throw error;
      if (options.json === true) terminal.line(JSON.stringify({ name, created: false }));
      else terminal.note(`Topic ${name} exists already.`);
    }
  });
}

/** A topic that was only looked at has no id: the one in the answer is never used again. */
function createdFacts({ id, ...facts }: CreatedTopic, { validateOnly }: CreateOptions): object {
  return validateOnly === true ? { ...facts, created: false } : { ...facts, topicId: id, created: true };
}

interface AlterOptions extends ClusterOptions {
  readonly partitions?: number;
  readonly replicaAssignment?: string;
  readonly config?: Readonly<Record<string, string>>;
  readonly deleteConfig?: readonly string[];
  readonly ifExists?: boolean;
}

export async function alterTopic(terminal: Terminal, name: string, options: AlterOptions): Promise<void> {
  const changes: ConfigChange[] = [
    ...Object.entries(options.config ?? {}).map(([key, value]) => ({ name: key, operation: 'set' as const, value })),
    ...(options.deleteConfig ?? []).map((key) => ({ name: key, operation: 'delete' as const, value: null })),
  ];
  if (options.partitions === undefined && changes.length === 0) {
    throw usageError('Nothing to change', 'Say --partitions, --config or --delete-config.');
  }
  await withClient(options, async (client) => {
    const [topic] = await selectTopics(client, [name], { ifExists: options.ifExists });
    if (topic === undefined) return;
    if (options.partitions !== undefined) {
      const assignments = options.replicaAssignment === undefined ? null : parseAssignment(options.replicaAssignment);
      // As with kafka-topics, the assignment may name all partitions; the broker wants those that are new.
      const added =
        assignments !== null && assignments.length === options.partitions
          ? assignments.slice(topic.partitions.length)
          : assignments;
      await createPartitions(client, name, options.partitions, added);
    }
    if (changes.length > 0) await alterConfigs(client, { type: 'topic', name }, changes);
    const done = [
      ...(options.partitions === undefined ? [] : [plural(options.partitions, 'partition')]),
      ...changes.map(({ name: key, value }) => (value === null ? `${key} back to its default` : `${key}=${value}`)),
    ];
    if (options.json === true) terminal.line(JSON.stringify({ name, partitions: options.partitions, changes }));
    else terminal.line(`Altered topic ${name}: ${done.join(', ')}.`);
  });
}

export async function deleteTopicsCommand(
  terminal: Terminal,
  names: readonly string[],
  options: ClusterOptions & { readonly ifExists?: boolean },
): Promise<void> {
  await withClient(options, async (client) => {
    const topics = await selectTopics(client, names, { ifExists: options.ifExists });
    if (topics.length > 0) {
      await deleteTopics(
        client,
        topics.map((topic) => topic.name),
      );
    }
    if (options.json === true)
      terminal.line(JSON.stringify(topics.map((topic) => ({ name: topic.name, topicId: topic.id, deleted: true }))));
    else for (const topic of topics) terminal.line(`Deleted topic ${topic.name}.`);
  });
}

/** `1:2,2:3`: broker ids of each partition. */
export function parseAssignment(text: string): number[][] {
  const assignments = text.split(',').map((ids) => ids.split(':').map((id) => (/^\d+$/.test(id.trim()) ? Number(id) : -1)));
  const isValid = assignments.every((ids) => ids.every((id) => id >= 0) && new Set(ids).size === ids.length);
  if (!isValid)
    throw usageError(`"${text}" is not a replica assignment`, 'It must name different broker ids for each partition: 1:2,2:3.');
  if (new Set(assignments.map((ids) => ids.length)).size > 1)
    throw usageError('All partitions must have the same number of replicas');
  return assignments;
}
