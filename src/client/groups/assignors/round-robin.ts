import { type Assignor, compareMembers, emptyAssignments, wantedPartitions } from './assignor.ts';

/** All partitions of all topics are dealt out one by one, round and round. */
export const roundRobinAssignor: Assignor = {
  name: 'roundrobin',
  isCooperative: false,
  assign(members, partitionCounts) {
    const assignments = emptyAssignments(members);
    const circle = members.toSorted(compareMembers).map(({ memberId, topics }) => ({ memberId, topics: new Set(topics) }));
    let next = 0;
    for (const place of wantedPartitions(members, partitionCounts)) {
      for (let tried = 0; tried < circle.length; tried++) {
        const taker = circle[next++ % circle.length];
        if (taker?.topics.has(place.topic) !== true) continue;
        assignments.get(taker.memberId)?.push(place);
        break;
      }
    }
    return assignments;
  },
};
