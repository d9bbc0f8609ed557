import type { Logger } from '../../base/logger.ts';
import { ProtocolError } from '../../protocol/codec.ts';
import { KafkaError } from '../../protocol/errors.ts';
import type { MemberSubscription } from './assignors/assignor.ts';
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
  readonly #logger: Logger;

  constructor(topics: SubscribedTopics, logger: Logger) {
    this.#topics = topics;
    this.#logger = logger;
  }

  async assign(answer: JoinAnswer): Promise<LeaderWork> {
    const members = answer.members.map(({ memberId, groupInstanceId, metadata }) =>
      this.#subscriptionOf(memberId, groupInstanceId, metadata),
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

  /** The coordinator passes on whatever a member sends. One that makes no sense gets nothing, and holds nobody else up. */
  #subscriptionOf(memberId: string, instanceId: string | null, metadata: Buffer): MemberSubscription {
    try {
      return decodeSubscription(memberId, instanceId, metadata);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.#logger.warn('a member of the group has a subscription that cannot be read', { memberId, error });
      return { memberId, instanceId, topics: [], owned: [], generation: -1 };
    }
  }
}

function assignorNamed(name: string | null): (typeof classicAssignors)[ClassicAssignorName] {
  const known = classicAssignorNames.find((one) => one === name);
  if (known === undefined)
    throw new KafkaError('INCONSISTENT_GROUP_PROTOCOL', `The group chose the assignor "${name}", which nobody here knows`);
  return classicAssignors[known];
}
