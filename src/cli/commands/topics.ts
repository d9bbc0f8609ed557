import { type Command, Option } from 'commander';
import { addClusterOptions } from '../cluster-option.ts';
import { keyValue, nameList, repeated, wholeNumber } from '../option-values.ts';
import type { Terminal } from '../terminal.ts';
import { alterTopic, createTopicCommand, deleteTopicsCommand } from './topics-change.ts';
import { describeTopicsCommand, listTopicsCommand } from './topics-show.ts';

const PARTITIONS_MAX = 2 ** 31 - 1;
const REPLICAS_MAX = 2 ** 15 - 1;

const ASSIGNMENT_HELP = 'broker ids of each partition, instead of letting the cluster place them: 1:2,2:3,3:1';

export function define(command: Command, terminal: Terminal): void {
  command.helpCommand(false);
  defineList(command, terminal);
  defineCreate(command, terminal);
  defineDescribe(command, terminal);
  defineAlter(command, terminal);
  defineDelete(command, terminal);
}

function defineList(command: Command, terminal: Terminal): void {
  addClusterOptions(command.command('list').summary('names of topics').description('Prints the names of topics, one a line.'))
    .argument('[topics...]', 'names or regular expressions; all topics if none is given')
    .option('--exclude-internal', 'leave out the topics the cluster keeps for itself')
    .action((topics: string[], options) => listTopicsCommand(terminal, topics, options));
}

function defineCreate(command: Command, terminal: Terminal): void {
  addClusterOptions(command.command('create').summary('make a topic').description('Makes a topic.'))
    .argument('<topic>', 'letters, digits, ".", "_" and "-", at most 249')
    .option('-p, --partitions <number>', "partitions (default: the cluster's num.partitions)", wholeNumber(1, PARTITIONS_MAX))
    .option('-r, --replication-factor <number>', "replicas of each (default: the cluster's)", wholeNumber(1, REPLICAS_MAX))
    .option('--replica-assignment <ids>', ASSIGNMENT_HELP)
    .option('-c, --config <key=value>', 'a setting of the topic; may be repeated', keyValue)
    .option('--if-not-exists', 'succeed if the topic is there already')
    .option('--validate-only', 'check everything, make nothing')
    .action((topic: string, options) => createTopicCommand(terminal, topic, options));
}

function defineDescribe(command: Command, terminal: Terminal): void {
  addClusterOptions(
    command
      .command('describe')
      .summary('partitions, replicas and settings')
      .description('Shows partitions, leaders, replicas and settings.'),
  )
    .argument('[topics...]', 'names or regular expressions; all topics if none is given')
    .option('--topic-id <id>', 'the topic with this id')
    .option('--exclude-internal', 'leave out the topics the cluster keeps for itself')
    .option('--if-exists', 'say nothing about names that do not exist')
    .option('--all-configs', 'show every setting, not only those that differ from the default')
    .option('--topics-with-overrides', 'only topics with settings of their own, without their partitions')
    .addOption(partitionFilter('--under-replicated-partitions', 'only partitions with replicas that are not in sync'))
    .addOption(
      partitionFilter(
        '--under-min-isr-partitions',
        'only partitions that refuse acks=all: fewer in sync than min.insync.replicas',
      ),
    )
    .addOption(partitionFilter('--at-min-isr-partitions', 'only partitions that one more loss makes refuse acks=all'))
    .addOption(partitionFilter('--unavailable-partitions', 'only partitions without a leader that is up'))
    .addOption(
      new Option('--format <format>', 'kafka: the lines of kafka-topics').choices(['table', 'kafka', 'json']).default('table'),
    )
    .action((topics: string[], options) => describeTopicsCommand(terminal, topics, options));
}

const FILTERS = ['underReplicatedPartitions', 'underMinIsrPartitions', 'atMinIsrPartitions', 'unavailablePartitions'];

/** Only one of the filters makes sense at a time. */
function partitionFilter(flags: string, description: string): Option {
  const option = new Option(flags, description);
  return option.conflicts([...FILTERS.filter((name) => name !== option.attributeName()), 'topicsWithOverrides']);
}

function defineAlter(command: Command, terminal: Terminal): void {
  addClusterOptions(
    command
      .command('alter')
      .summary('add partitions, change settings')
      .description('Adds partitions to a topic or changes its settings.'),
  )
    .argument('<topic>')
    .option('-p, --partitions <number>', 'partitions in all; they can only grow', wholeNumber(1, PARTITIONS_MAX))
    .option('--replica-assignment <ids>', ASSIGNMENT_HELP)
    .option('-c, --config <key=value>', 'set this; may be repeated', keyValue)
    .option('--delete-config <key>', 'go back to the default of this; may be repeated', repeated)
    .option('--if-exists', 'succeed if the topic does not exist')
    .action((topic: string, options) => alterTopic(terminal, topic, options));
}

function defineDelete(command: Command, terminal: Terminal): void {
  addClusterOptions(
    command.command('delete').summary('delete topics with their records').description('Deletes topics with all their records.'),
  )
    .argument('<topics...>', 'names or regular expressions', nameList)
    .option('--if-exists', 'succeed for names that do not exist')
    .action((topics: string[], options) => deleteTopicsCommand(terminal, topics, options));
}
