import type { listGroups as api } from '../../protocol/messages/16-list-groups.ts';
import type { RequestOf, ResponseInput } from '../../protocol/schema.ts';
import type { GroupCoordinator } from './group-coordinator.ts';
import type { GroupCoordinatorShard } from './group-coordinator-shard.ts';

type ListedGroup = ResponseInput<typeof api>['groups'][number];

/**
 * The groups that are kept, of those states and types; none of them named is all of them. Letters may be large or small. Throws COORDINATOR_LOAD_IN_PROGRESS
 * while groups are still being read.
 */
export function listGroups({ runtime }: GroupCoordinator, { statesFilter, typesFilter }: RequestOf<typeof api>): ListedGroup[] {
  const states = new Set(statesFilter.map((state) => state.toLowerCase().trim()));
  const types = new Set(typesFilter.map((type) => type.toLowerCase()));
  const isAsked = ({ groupState, groupType }: ListedGroup): boolean =>
    (states.size === 0 || states.has(groupState.toLowerCase())) && (types.size === 0 || types.has(groupType));
  return runtime.readAll((shard, committedOffset) => groupsOf(shard, committedOffset).filter(isAsked)).flat();
}

const groupsOf = ({ groups }: GroupCoordinatorShard, committedOffset: number): ListedGroup[] =>
  Array.from(groups.valuesAt(committedOffset), (group) => ({
    groupId: group.groupId,
    protocolType: group.protocolTypeAt(committedOffset),
    groupState: group.stateAt(committedOffset),
    groupType: group.type,
  }));
