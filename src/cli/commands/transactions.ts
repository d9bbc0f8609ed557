import { type Command, Option } from 'commander';
import { addClusterOptions } from '../cluster-option.ts';
import { wholeNumber } from '../option-values.ts';
import type { Terminal } from '../terminal.ts';
import { abortTransactionCommand, forceTerminateCommand } from './transactions-end.ts';
import {
  describeProducersCommand,
  describeTransactionCommand,
  findHangingCommand,
  listTransactionsCommand,
} from './transactions-show.ts';

const HANGING_HELP = `
What hangs: an open transaction in a partition that no coordinator knows of. It
holds up every reader of committed records there, and nobody but an
administrator can end it:
  $ ottla transactions find-hanging --broker-id 1
  $ ottla transactions abort --topic orders --partition 0 --start-offset 1234
A transaction whose coordinator knows of it ends by its own time-out; to end it
now:
  $ ottla transactions force-terminate billing-1`;

const INT_MAX = 2 ** 31 - 1;
const SHORT_MAX = 2 ** 15 - 1;
const DEFAULT_TIMEOUT_MINUTES = 15;

export function define(command: Command, terminal: Terminal): void {
  command.helpCommand(false).addHelpText('after', HANGING_HELP);
  defineList(command, terminal);
  defineDescribe(command, terminal);
  defineProducers(command, terminal);
  defineAbort(command, terminal);
  defineHanging(command, terminal);
  defineForceTerminate(command.command('force-terminate'), terminal);
  // As kafka-transactions calls it. An alias would make every line of the help as long as both names.
  defineForceTerminate(command.command('forceTerminateTransaction', { hidden: true }), terminal);
}

function defineList(command: Command, terminal: Terminal): void {
  addClusterOptions(
    command
      .command('list')
      .summary('transactional ids, their coordinators and states')
      .description('Prints a line for each transactional id.'),
  )
    .addOption(
      new Option('--duration-filter <ms>', 'only transactions that run for longer; negative: all').argParser(
        wholeNumber(Number.MIN_SAFE_INTEGER),
      ),
    )
    .option('--transactional-id-pattern <regex>', 'only ids that match as a whole')
    .action((options) => listTransactionsCommand(terminal, options));
}

function defineDescribe(command: Command, terminal: Terminal): void {
  addClusterOptions(
    command
      .command('describe')
      .summary('the state of a transactional id, and its partitions')
      .description('Prints what the coordinator of a transactional id knows of it.'),
  )
    .argument('[transactional-id]', 'which')
    .option('--transactional-id <id>', 'the same')
    .action((id: string | undefined, options) => describeTransactionCommand(terminal, id, options));
}

/** Options that name one partition, which has to be named. */
function addPartition(command: Command): Command {
  return command
    .requiredOption('--topic <name>', 'its topic')
    .addOption(
      new Option('--partition <number>', 'its number in the topic').argParser(wholeNumber(0, INT_MAX)).makeOptionMandatory(),
    );
}

function defineProducers(command: Command, terminal: Terminal): void {
  addPartition(
    addClusterOptions(
      command
        .command('describe-producers')
        .summary('who has written to a partition lately, and open transactions in it')
        .description('Prints the producers that a partition remembers, with their open transactions.'),
    ),
  )
    .option('--broker-id <id>', 'ask this broker and not the leader', wholeNumber(0, INT_MAX))
    .action((options) => describeProducersCommand(terminal, options));
}

function defineAbort(command: Command, terminal: Terminal): void {
  addPartition(
    addClusterOptions(
      command
        .command('abort')
        .summary('end a hanging transaction in one partition')
        .description('Writes the marker that aborts a transaction in one partition. Its coordinator is not asked.'),
    ),
  )
    .option('--start-offset <offset>', 'where it begins: it is looked up', wholeNumber(0))
    .option('--producer-id <id>', 'without --start-offset: of which producer', wholeNumber(0))
    .option('--producer-epoch <epoch>', 'without --start-offset: the epoch of the producer', wholeNumber(0, SHORT_MAX))
    .addOption(
      new Option('--coordinator-epoch <epoch>', 'without --start-offset: of the last marker; -1 if there was none').argParser(
        wholeNumber(-1, INT_MAX),
      ),
    )
    .action((options) => abortTransactionCommand(terminal, options));
}

function defineHanging(command: Command, terminal: Terminal): void {
  addClusterOptions(
    command
      .command('find-hanging')
      .summary('open transactions that no coordinator will end')
      .description('Prints open transactions that no coordinator knows of, in the partitions of a broker or of a topic.'),
  )
    .option('--broker-id <id>', 'look into the partitions of this broker', wholeNumber(0, INT_MAX))
    .option('--topic <name>', 'look into the partitions of this topic')
    .option('--partition <number>', 'only this partition of the topic', wholeNumber(0, INT_MAX))
    .addOption(
      new Option('--max-transaction-timeout <minutes>', 'leave out what is younger')
        .argParser(wholeNumber(Number.MIN_SAFE_INTEGER))
        .default(DEFAULT_TIMEOUT_MINUTES),
    )
    .action((options) => findHangingCommand(terminal, options));
}

function defineForceTerminate(command: Command, terminal: Terminal): void {
  addClusterOptions(
    command
      .summary('abort the transaction of a transactional id, and fence its producer')
      .description('Takes a transactional id over: its open transaction is aborted, and the producer that has it is fenced.'),
  )
    .argument('[transactional-id]', 'which')
    .option('--transactional-id <id>', 'the same')
    .addOption(new Option('--transactionalId <id>').hideHelp())
    .action((id: string | undefined, options) => forceTerminateCommand(terminal, id, options));
}
