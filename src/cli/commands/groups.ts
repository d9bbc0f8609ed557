import { type Command, Option } from 'commander';
import { addClusterOptions } from '../cluster-option.ts';
import { addGroupSelection } from '../groups/group-selection.ts';
import { dateTime, isoDuration } from '../groups/reset-times.ts';
import { duration, repeated, wholeNumber } from '../option-values.ts';
import type { Terminal } from '../terminal.ts';
import { deleteGroupsCommand, deleteOffsetsCommand } from './groups-delete.ts';
import { type DescribeOptions, describeGroupsCommand, type GroupView } from './groups-describe.ts';
import { listGroupsCommand } from './groups-list.ts';
import { resetOffsetsCommand } from './groups-reset.ts';

const RESET_EXAMPLES = `
Examples:
  $ ottla groups reset-offsets billing --topic orders --to-earliest            tells where to
  $ ottla groups reset-offsets billing --topic orders --to-earliest --execute
  $ ottla groups reset-offsets billing --topic orders:0,1 --shift-by -100 --execute
  $ ottla groups reset-offsets billing --all-topics --to-datetime 2026-11-30T08:00:00.000 --execute
  $ ottla groups reset-offsets billing --all-topics --to-current --export > offsets.csv
  $ ottla groups reset-offsets billing --from-file offsets.csv --execute`;

export function define(command: Command, terminal: Terminal): void {
  command.helpCommand(false);
  defineList(command, terminal);
  defineDescribe(command, terminal);
  defineView(command, terminal, 'offsets', 'what groups have committed, and their lag');
  defineView(command, terminal, 'members', 'members and what they own');
  defineView(command, terminal, 'state', 'states, epochs and coordinators');
  defineReset(command, terminal);
  defineDelete(command, terminal);
  defineDeleteOffsets(command, terminal);
}

function defineList(command: Command, terminal: Terminal): void {
  addClusterOptions(
    command.command('list').summary('ids of groups').description('Prints the ids of consumer groups, one a line.'),
  )
    .option('--state [states]', 'show states too; or only groups in these: stable,empty')
    .option('--type [types]', 'show types too; or only groups of these: classic,consumer')
    .option('--all-types', 'share groups, streams groups and whatever else uses the protocol, too')
    .action((options) => listGroupsCommand(terminal, options));
}

const view = (name: string, description: string): Option =>
  new Option(`--${name}`, description).conflicts(['offsets', 'members', 'state', 'positions'].filter((other) => other !== name));

interface ViewOptions extends DescribeOptions {
  readonly offsets?: boolean;
  readonly members?: boolean;
  readonly state?: boolean;
  readonly positions?: boolean;
}

function defineDescribe(command: Command, terminal: Terminal): void {
  addGroupSelection(
    addClusterOptions(
      command
        .command('describe')
        .summary('offsets, lag, members, state, and what holds a group up')
        .description('Shows groups as kafka-consumer-groups does, and says on stderr what keeps them from going on.'),
    ),
  )
    .addOption(view('offsets', 'partitions with committed offset and lag (the default)'))
    .addOption(view('members', 'members and what they own'))
    .addOption(view('state', 'state, assignor, coordinator'))
    .addOption(view('positions', 'committed offset, last stable offset, high watermark and log end side by side'))
    .option('--verbose', 'more columns')
    .option('--sample <time>', 'look twice, so long apart, and say what nobody has committed in between', duration)
    .action((groups: string[], options: ViewOptions) => describeGroupsCommand(terminal, groups, options, viewOf(options)));
}

function viewOf({ members, state, positions }: ViewOptions): GroupView {
  if (members === true) return 'members';
  if (state === true) return 'state';
  return positions === true ? 'positions' : 'offsets';
}

function defineView(command: Command, terminal: Terminal, name: 'offsets' | 'members' | 'state', summary: string): void {
  addGroupSelection(
    addClusterOptions(command.command(name).summary(summary).description(`Shows ${summary}: the same as describe --${name}.`)),
  )
    .option('--verbose', 'more columns')
    .action((groups: string[], options: DescribeOptions) => describeGroupsCommand(terminal, groups, options, name));
}

function defineReset(command: Command, terminal: Terminal): void {
  addGroupSelection(
    addClusterOptions(
      command
        .command('reset-offsets')
        .summary('move the offsets of groups without members')
        .description('Tells where the offsets of groups without members would be moved to, and with --execute moves them.'),
    ),
  )
    .option('--topic <topic[:partitions]>', 'only of this topic: orders or orders:0,1; may be repeated', repeated)
    .option('--all-topics', 'of every partition that the group has committed')
    .option('--to-earliest', 'to the first record')
    .option('--to-latest', 'to the end')
    .option('--to-current', 'to the committed offset, or to the end where there is none')
    .addOption(new Option('--to-offset <offset>', 'to this offset').argParser(wholeNumber(Number.MIN_SAFE_INTEGER)))
    .addOption(
      new Option('--shift-by <number>', 'so many records on, or back if negative').argParser(
        wholeNumber(Number.MIN_SAFE_INTEGER),
      ),
    )
    .addOption(
      new Option('--to-datetime <time>', 'to the first record of this time or later: YYYY-MM-DDTHH:mm:SS.sss').argParser(
        dateTime,
      ),
    )
    .addOption(
      new Option('--by-duration <time>', 'to the first record of so long ago or later: PnDTnHnMnS').argParser(isoDuration),
    )
    .option('--from-file <path>', 'to what a file says, as --export writes it')
    .option('--execute', 'do it')
    .option('--dry-run', 'only tell (the default)')
    .option('--export', 'print as a file for --from-file')
    .addHelpText('after', RESET_EXAMPLES)
    .action((groups: string[], options) => resetOffsetsCommand(terminal, groups, options));
}

function defineDelete(command: Command, terminal: Terminal): void {
  addGroupSelection(
    addClusterOptions(
      command
        .command('delete')
        .summary('delete groups with their offsets')
        .description('Deletes groups without members, with their offsets.'),
    ),
  ).action((groups: string[], options) => deleteGroupsCommand(terminal, groups, options));
}

function defineDeleteOffsets(command: Command, terminal: Terminal): void {
  addClusterOptions(
    command
      .command('delete-offsets')
      .summary('forget offsets of a group')
      .description('Makes a group forget what it has committed of partitions that it does not read.'),
  )
    .argument('[group]', 'its id')
    .option('--group <id>', 'the same')
    .option('--topic <topic[:partitions]>', 'orders or orders:0,1; may be repeated', repeated)
    .action((group: string | undefined, options) => deleteOffsetsCommand(terminal, group, options));
}
