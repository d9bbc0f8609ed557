import assert from 'node:assert/strict';
import { consumerAssignors } from '../../../../src/coordinator/group/assignors/consumer-assignors.ts';
import {
  type AssignorMember,
  type MemberPartitions,
  PartitionAssignorError,
} from '../../../../src/coordinator/group/assignors/partition-assignor.ts';

/** One group of test/peer/java/AssignmentCases.java, with what Kafka's assignors made of it round after round. */
export interface AssignmentCase {
  readonly assignor: string;
  readonly topicIds: readonly string[];
  readonly rounds: readonly AssignmentRound[];
}

interface AssignmentRound {
  readonly isHomogeneous: boolean;
  /** Partitions of each topic; −1 for one that does not exist. */
  readonly counts: readonly number[];
  readonly members: readonly (readonly [string, string | null, string | null, readonly number[], string | null])[];
  readonly records?: readonly TargetRecord[];
  readonly error?: string;
}

/** A member, and its topics with their partitions as runs: `0-3,7`. */
type TargetRecord = readonly [string, readonly (readonly [number, string])[]];

/** Has our assignor make the assignments of a group, and compares each with Kafka's. */
export function assertSameAssignments({ assignor: name, topicIds, rounds }: AssignmentCase, where: string): void {
  const assignor = consumerAssignors.get(name);
  assert.ok(assignor !== undefined, name);
  const targets = new GroupTargets(topicIds);
  for (const [index, round] of rounds.entries()) {
    const members = targets.membersOf(round);
    const topics = { partitionCount: (topicId: string): number => round.counts[topicIds.indexOf(topicId)] ?? -1 };
    const assign = (): ReturnType<typeof assignor.assign> =>
      assignor.assign({ members, isHomogeneous: round.isHomogeneous }, topics);
    const { error, records } = round;
    if (error === undefined) assert.deepEqual(targets.update(assign()), records, `${where}, round ${index}`);
    else assert.throws(assign, (thrown) => thrown instanceof PartitionAssignorError && thrown.message === error, where);
  }
}

/** The target assignment of a group, as its records change it. */
class GroupTargets {
  readonly #topicIds: readonly string[];
  #targets: ReadonlyMap<string, MemberPartitions> = new Map();

  constructor(topicIds: readonly string[]) {
    this.#topicIds = topicIds;
  }

  /** The members of a round with what they have; those that left are forgotten. */
  membersOf({ members }: AssignmentRound): readonly AssignorMember[] {
    const targets = new Map<string, MemberPartitions>();
    const described = members.map(([memberId, instanceId, rackId, topics, replaces]): AssignorMember => {
      const current = this.#targets.get(replaces ?? memberId);
      if (current !== undefined) targets.set(memberId, current);
      const subscribedTopicIds = new Set(topics.map((topic) => this.#topicIds[topic] ?? ''));
      return { memberId, instanceId, rackId, subscribedTopicIds, current: current ?? new Map() };
    });
    this.#targets = targets;
    return described;
  }

  /** Takes a result over, and gives the records that say what is new. */
  update(result: ReadonlyMap<string, MemberPartitions>): readonly TargetRecord[] {
    const targets = new Map(this.#targets);
    const records: TargetRecord[] = [];
    for (const [memberId, next] of result) {
      const last = targets.get(memberId);
      if (last !== undefined && areEqual(last, next)) continue;
      targets.set(memberId, next);
      records.push([memberId, [...next].map(([topicId, partitions]) => [this.#topicIds.indexOf(topicId), runsOf(partitions)])]);
    }
    this.#targets = targets;
    return records;
  }
}

function areEqual(left: MemberPartitions, right: MemberPartitions): boolean {
  if (left === right) return true;
  if (left.size !== right.size) return false;
  for (const [topicId, partitions] of left) {
    const others = new Set(right.get(topicId));
    if (others.size !== partitions.length || !partitions.every((partition) => others.has(partition))) return false;
  }
  return true;
}

function runsOf(partitions: readonly number[]): string {
  const runs: { start: number; end: number }[] = [];
  for (const partition of partitions) {
    const last = runs.at(-1);
    if (last !== undefined && partition === last.end + 1) last.end = partition;
    else runs.push({ start: partition, end: partition });
  }
  return runs.map(({ start, end }) => (start === end ? String(start) : `${start}-${end}`)).join(',');
}
