import { type Assignor, compareMembers, emptyAssignments } from './assignor.ts';

/** Topic by topic, each member gets neighbouring partitions: equal numbers of two topics go to the same member. */
export const rangeAssignor: Assignor = {
  name: 'range',
  isCooperative: false,
  assign(members, partitionCounts) {
    const assignments = emptyAssignments(members);
    const sorted = members.toSorted(compareMembers);
    for (const topic of new Set(members.flatMap((member) => member.topics))) {
      const takers = sorted.filter((member) => member.topics.includes(topic));
      const count = partitionCounts.get(topic) ?? 0;
      const share = Math.floor(count / takers.length);
      const larger = count % takers.length;
      let partition = 0;
      for (const [index, { memberId }] of takers.entries()) {
        const end = partition + share + (index < larger ? 1 : 0);
        for (; partition < end; partition++) assignments.get(memberId)?.push({ topic, partition });
      }
    }
    return assignments;
  },
};
