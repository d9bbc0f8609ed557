import { KafkaError } from '../../../protocol/errors.ts';
import { coordinatorError } from '../../runtime/coordinator-errors.ts';
import type { GroupCoordinator } from '../group-coordinator.ts';
import type { GroupCoordinatorShard } from '../group-coordinator-shard.ts';
import type { GroupRecord } from '../group-record.ts';

/** How it went with one group; null when it is gone. */
export interface DeletedGroup {
  readonly groupId: string;
  readonly error: KafkaError | null;
}

/** Deletion of groups, wherever on this broker they are kept. */
export class GroupAdmin {
  readonly #coordinator: GroupCoordinator;

  constructor(coordinator: GroupCoordinator) {
    this.#coordinator = coordinator;
  }

  /** Deletes groups without members, and their offsets. */
  async delete(groupIds: readonly string[]): Promise<DeletedGroup[]> {
    const byPartition = Map.groupBy(groupIds, (groupId) => this.#coordinator.partitionOf(groupId));
    const deleted = Array.from(byPartition, ([partition, ids]) => this.#deleteIn(partition, ids));
    return (await Promise.all(deleted)).flat();
  }

  async #deleteIn(partition: number, groupIds: readonly string[]): Promise<DeletedGroup[]> {
    try {
      return await this.#coordinator.runtime.write(partition, (shard) => {
        const deletions = groupIds.map((groupId) => deletionOf(shard, groupId));
        return {
          records: deletions.flatMap(({ records }) => records),
          response: deletions.map(({ groupId, error }) => ({ groupId, error })),
          // Whoever deletes a group with a hundred thousand offsets wants them gone, and asks again if some of them are still there.
          isAtomic: false,
        };
      });
    } catch (thrown) {
      const error = coordinatorError(thrown);
      return groupIds.map((groupId) => ({ groupId, error }));
    }
  }
}

interface Deletion extends DeletedGroup {
  readonly records: readonly GroupRecord[];
}

const deletionOf = ({ groups, offsets }: GroupCoordinatorShard, groupId: string): Deletion => {
  try {
    const group = groups.get(groupId);
    if (group === undefined) throw new KafkaError('GROUP_ID_NOT_FOUND');
    group.validateDelete();
    return { groupId, error: null, records: [...offsets.tombstonesOf(groupId), ...group.tombstones()] };
  } catch (error) {
    if (!(error instanceof KafkaError)) throw error;
    return { groupId, error, records: [] };
  }
};
