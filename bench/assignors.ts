import { parseArgs } from 'node:util';
import { SimulatedRandom } from '../simulation/simulated-random.ts';
import { randomUuid } from '../src/base/uuid.ts';
import { consumerAssignors } from '../src/coordinator/group/assignors/consumer-assignors.ts';
import type { AssignorMember, MemberPartitions } from '../src/coordinator/group/assignors/partition-assignor.ts';

/**
 * Milliseconds of an assignment: for a group that has none, for the same again, and after every tenth member has left.
 * `node bench/assignors.ts [--members 1000] [--topics 10] [--partitions 100]`
 */
const { values: options } = parseArgs({
  options: {
    members: { type: 'string', default: '1000' },
    topics: { type: 'string', default: '10' },
    partitions: { type: 'string', default: '100' },
  },
});

const ROUNDS = 30;
const random = new SimulatedRandom(1);
const topicIds = Array.from({ length: Number(options.topics) }, () => randomUuid(random));
const topics = { partitionCount: (): number => Number(options.partitions) };

const members = (isHomogeneous: boolean): readonly AssignorMember[] =>
  Array.from({ length: Number(options.members) }, () => ({
    memberId: randomUuid(random),
    instanceId: null,
    rackId: null,
    subscribedTopicIds: new Set(isHomogeneous ? topicIds : topicIds.filter((_, index) => index === 0 || random.oneIn(2))),
    current: new Map(),
  }));

const withTargets = (
  group: readonly AssignorMember[],
  targets: ReadonlyMap<string, MemberPartitions>,
): readonly AssignorMember[] => group.map((member) => ({ ...member, current: targets.get(member.memberId) ?? new Map() }));

const median = (run: () => unknown): number => {
  const times = Array.from({ length: ROUNDS }, () => {
    const start = performance.now();
    run();
    return performance.now() - start;
  });
  return times.toSorted((left, right) => left - right)[ROUNDS / 2] ?? 0;
};

process.stdout.write(`${options.members} members, ${options.topics} topics of ${options.partitions} partitions\n`);
for (const [name, assignor] of consumerAssignors) {
  for (const isHomogeneous of [true, false]) {
    const fresh = members(isHomogeneous);
    const assign = (group: readonly AssignorMember[]): ReadonlyMap<string, MemberPartitions> =>
      assignor.assign({ members: group, isHomogeneous }, topics);
    const settled = withTargets(fresh, assign(fresh));
    const left = settled.filter((_, index) => index % 10 !== 0);
    const times = [fresh, settled, left].map((group) =>
      median(() => assign(group))
        .toFixed(1)
        .padStart(8),
    );
    process.stdout.write(`${name.padEnd(8)} ${isHomogeneous ? 'alike  ' : 'unlike '} ${times.join(' ')}\n`);
  }
}
