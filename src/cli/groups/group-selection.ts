import type { Command } from 'commander';
import { listGroups } from '../../client/admin-groups.ts';
import type { Client } from '../../client/client.ts';
import { usageError } from '../cli-error.ts';
import { repeated } from '../option-values.ts';

/** Which groups a command is about. */
export interface GroupSelection {
  readonly group?: readonly string[];
  readonly allGroups?: boolean;
}

export const addGroupSelection = (command: Command): Command =>
  command
    .argument('[groups...]', 'ids of groups')
    .option('--group <id>', 'the same; may be repeated', repeated)
    .option('--all-groups', 'every consumer group');

/** The ids in order of asking. */
export async function selectedGroups(client: Client, named: readonly string[], selection: GroupSelection): Promise<string[]> {
  const ids = selectedNames(named, selection);
  return ids ?? (await consumerGroups(client)).map(({ groupId }) => groupId);
}

/** Null for all. */
export function selectedNames(named: readonly string[], { group = [], allGroups }: GroupSelection): string[] | null {
  const ids = [...new Set([...named, ...group])];
  if (allGroups === true && ids.length > 0) throw usageError('Groups by name and --all-groups exclude each other');
  if (allGroups !== true && ids.length === 0) {
    throw usageError('No group is named', 'Name one with --group, or say --all-groups.');
  }
  return allGroups === true ? null : ids;
}

/** What kafka-consumer-groups calls consumer groups: of both protocols, also those that only have offsets. */
export async function consumerGroups(
  client: Client,
  filter: { readonly states?: readonly string[]; readonly types?: readonly string[] } = {},
): ReturnType<typeof listGroups> {
  const types = filter.types === undefined || filter.types.length === 0 ? ['classic', 'consumer'] : filter.types;
  const groups = await listGroups(client, { states: filter.states ?? [], types });
  return groups.filter(({ protocolType }) => protocolType === 'consumer' || protocolType === '');
}
