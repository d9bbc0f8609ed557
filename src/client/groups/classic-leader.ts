import { KafkaError } from '../../protocol/errors.ts';
import { type ClassicAssignorName, classicAssignorNames, classicAssignors } from './assignors/index.ts';
import { decodeSubscription, encodeAssignment } from './classic-data.ts';
import type { JoinAnswer } from './classic-requests.ts';
import type { SubscribedTopics } from './subscribed-topics.ts';

interface LeaderWork {
  /** The partitions of each topic as they were divided; another division is due when they change. */
  readonly counts: ReadonlyMap<string, number>;
  readonly assignments: { memberId: string; assignment: Buffer }[];
}

/** What the member does whom the coordinator has made the leader: it divides the partitions among all. */
export class ClassicLeader {
  readonly #topics: SubscribedTopics;

  constructor(topics: SubscribedTopics) {
    this.#topics = topics;
  }

  async assign(answer: JoinAnswer): Promise<LeaderWork> {
    const members = answer.members.map(({ memberId, groupInstanceId, metadata }) =>
      decodeSubscription(memberId, groupInstanceId, metadata),
    );
    const counts = await this.#topics.counts(new Set(members.flatMap((member) => member.topics)));
    // A static leader that came back leaves everything as it was, but goes on watching the topics (KIP-814).
    if (answer.skipAssignment) return { counts, assignments: [] };
    const assignments = assignorNamed(answer.protocolName).assign(members, counts);
    return {
      counts,
      assignments: [...assignments].map(([memberId, places]) => ({ memberId, assignment: encodeAssignment(places) })),
    };
  }
}

function assignorNamed(name: string | null): (typeof classicAssignors)[ClassicAssignorName] {
  const known = classicAssignorNames.find((one) => one === name);
  if (known === undefined)
    throw new KafkaError('INCONSISTENT_GROUP_PROTOCOL', `The group chose the assignor "${name}", which nobody here knows`);
  return classicAssignors[known];
}
