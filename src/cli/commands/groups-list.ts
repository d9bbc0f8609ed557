import { type GroupListing, listGroups } from '../../client/admin-groups.ts';
import { usageError } from '../cli-error.ts';
import { type ClusterOptions, withClient } from '../cluster-option.ts';
import { consumerGroups } from '../groups/group-selection.ts';
import { inKafkaWords } from '../groups/kafka-words.ts';
import type { Terminal } from '../terminal.ts';

export interface ListOptions extends ClusterOptions {
  /** True: show it; text: and only these. */
  readonly state?: string | true;
  readonly type?: string | true;
  readonly allTypes?: boolean;
}

const STATES = ['PreparingRebalance', 'CompletingRebalance', 'Stable', 'Dead', 'Empty', 'Assigning', 'Reconciling'];
const TYPES = ['Consumer', 'Classic'];

/** Prints ids, or a table when more than that is asked for. */
export async function listGroupsCommand(terminal: Terminal, options: ListOptions): Promise<void> {
  const states = namesOf(options.state, STATES, 'state');
  const types = namesOf(options.type, TYPES, 'type');
  if (options.allTypes === true && options.type !== undefined) throw usageError('--type and --all-types exclude each other');
  await withClient(options, (client) =>
    inKafkaWords(terminal, options, async () => {
      if (options.allTypes === true) {
        printAllTypes(terminal, await listGroups(client, { states }), options.json === true);
        return;
      }
      const groups = await consumerGroups(client, { states, types });
      if (options.json === true) terminal.line(JSON.stringify(groups));
      else if (options.state === undefined && options.type === undefined)
        for (const { groupId } of groups) terminal.line(groupId);
      else printColumns(terminal, groups, options);
    }),
  );
}

function namesOf(given: string | true | undefined, known: readonly string[], what: string): string[] {
  if (typeof given !== 'string') return [];
  return given.split(',').map((one) => {
    const name = known.find((each) => each.toLowerCase() === one.trim().toLowerCase());
    if (name === undefined)
      throw usageError(
        `Invalid ${what}s list '${given}'. Valid ${what}s are: ${known.join(', ')}`.replace('states list', 'state list'),
      );
    return name;
  });
}

/** The widths of kafka-consumer-groups. */
function printColumns(terminal: Terminal, groups: readonly GroupListing[], { type, state }: ListOptions): void {
  const widest = groups.reduce((most, { groupId }) => Math.max(most, groupId.length), 15) + 10;
  const print = (groupId: string, typeCell: string, stateCell: string): void => {
    const cells = [...(type === undefined ? [] : [typeCell]), ...(state === undefined ? [] : [stateCell])];
    terminal.line([groupId.padEnd(widest), ...cells.map((cell) => cell.padEnd(20))].join(' '));
  };
  print('GROUP', 'TYPE', 'STATE');
  for (const group of groups)
    print(group.groupId, group.type === '' ? 'Unknown' : group.type, group.state === '' ? 'Unknown' : group.state);
}

/** The table of kafka-groups. */
function printAllTypes(terminal: Terminal, groups: readonly GroupListing[], isJson: boolean): void {
  if (isJson) {
    terminal.line(JSON.stringify(groups));
    return;
  }
  const widest = groups.reduce((most, { groupId }) => Math.max(most, groupId.length), 20);
  const print = (...[groupId, type, protocol]: readonly [string, string, string]): void =>
    terminal.line([groupId.padEnd(widest), type.padEnd(20), protocol.padEnd(20)].join(' '));
  print('GROUP', 'TYPE', 'PROTOCOL');
  for (const { groupId, type, protocolType } of groups) print(groupId, type, protocolType);
}
