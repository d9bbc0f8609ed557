import { codeOf, type ErrorName, KafkaError } from '../../../protocol/errors.ts';
import { type GroupClient, type JoinAnswer, joinRefusal, type JoinRequest } from '../classic-protocol.ts';
import { coordinatorError } from '../../runtime/coordinator-errors.ts';
import type { GroupShardContext } from '../group-shard-context.ts';
import { ClassicGroup } from './classic-group.ts';
import { groupMetadataRecord } from './classic-group-records.ts';
import { type Answer, ClassicMember, type MemberProtocol } from './classic-member.ts';
import { type Effects, NOTHING } from './effects.ts';
import { generationAnswer } from './generation-answer.ts';
import { newMemberId } from './member-id.ts';
import type { Rebalances } from './rebalances.ts';

/** A JoinGroup, and how it is answered. */
export interface Join {
  readonly client: GroupClient;
  readonly request: JoinRequest;
  readonly answer: Answer<JoinAnswer>;
}

/** New members come back with the id that they were given, from this version on (KIP-394). */
const KNOWN_MEMBER_ID_VERSION = 4;
/** A leader that need not assign is told so, from this version on (KIP-814). */
const SKIP_ASSIGNMENT_VERSION = 9;
/** How long a member that does not know its id waits for the group, before it is given up: it cannot send heartbeats. */
const NEW_MEMBER_JOIN_MS = 300_000;
const REASON_CHARACTERS_MAX = 255;

/** Whoever says more for its protocols joins only where there is room: ordinary members say a few hundred bytes, and 1 MiB for all of a group is all that a record can keep. */
const MUCH_METADATA_BYTES = 65_536;
/** What the members of a partition of __consumer_offsets may say for their protocols altogether, for those who say much to join. */
const METADATA_BYTES_MAX = 16_777_216;

const bytesOf = (protocols: readonly MemberProtocol[]): number =>
  protocols.reduce((sum, { name, metadata }) => sum + name.length + metadata.length, 0);

/** JoinGroup of classic groups. */
export class ClassicJoins {
  readonly #context: GroupShardContext;
  readonly #rebalances: Rebalances;

  constructor(context: GroupShardContext, rebalances: Rebalances) {
    this.#context = context;
    this.#rebalances = rebalances;
  }

  join(group: ClassicGroup, join: Join): Effects {
    const { request } = join;
    if (!this.#hasRoomFor(group, request.memberId)) {
      group.remove(request.memberId);
      refuse(join, 'GROUP_MAX_SIZE_REACHED', '');
      // It may have been the last that the others waited for.
      return this.#rebalances.completeIfAllJoined(group);
    }
    if (group.state === 'Dead') return refuse(join, 'COORDINATOR_NOT_AVAILABLE');
    if (!this.#hasMemoryFor(request)) return refuse(join, 'COORDINATOR_NOT_AVAILABLE');
    if (!group.supports(request.protocolType, request.protocols)) return refuse(join, 'INCONSISTENT_GROUP_PROTOCOL');
    return request.memberId === '' ? this.#joinAsNew(group, join) : this.#joinAs(group, join);
  }

  #hasRoomFor(group: ClassicGroup, memberId: string): boolean {
    const max = this.#context.config()['group.max.size'];
    const member = group.member(memberId);
    switch (group.state) {
      case 'Empty':
      case 'Dead':
        return true;
      case 'PreparingRebalance':
        // A group that is larger than is allowed now keeps those who come first.
        return (member !== undefined && member.answerJoin !== null) || group.joinsWaiting < max;
      default:
        return member !== undefined || group.size < max;
    }
  }

  /** What members say is kept as long as they are members, so that a few of them could fill the memory of the node. */
  #hasMemoryFor({ protocols }: JoinRequest): boolean {
    let bytes = bytesOf(protocols);
    if (bytes <= MUCH_METADATA_BYTES) return true;
    for (const group of this.#context.groups.values())
      if (group instanceof ClassicGroup) for (const member of group.members()) bytes += bytesOf(member.protocols);
    return bytes <= METADATA_BYTES_MAX;
  }

  #joinAsNew(group: ClassicGroup, join: Join): Effects {
    const { client, request } = join;
    const { groupInstanceId } = request;
    const memberId = newMemberId(this.#context.environment.random, groupInstanceId ?? client.clientId);
    if (groupInstanceId !== null) {
      const known = group.staticMemberId(groupInstanceId);
      return known === undefined
        ? this.#add(group, memberId, join)
        : this.#replace(group, { join, known, memberId, groupInstanceId });
    }
    if (client.apiVersion < KNOWN_MEMBER_ID_VERSION) return this.#add(group, memberId, join);
    group.pendingJoins.add(memberId);
    this.#rebalances.timers.startSession(group, memberId, request.sessionTimeoutMs);
    return refuse(join, 'MEMBER_ID_REQUIRED', memberId);
  }

  #add(group: ClassicGroup, memberId: string, { client, request, answer }: Join): Effects {
    const member = new ClassicMember({ ...request, ...client, memberId });
    member.isNew = true;
    member.answerJoin = answer;
    if (group.state === 'PreparingRebalance' && group.previousState === 'Empty') group.hasNewMember = true;
    group.add(member);
    this.#rebalances.timers.startSession(group, memberId, NEW_MEMBER_JOIN_MS);
    return this.#rebalances.prepareOrComplete(group, `Adding new member ${memberId}: ${reasonOf(request)}`);
  }

  #joinAs(group: ClassicGroup, join: Join): Effects {
    const { request } = join;
    const { memberId, groupInstanceId, protocols } = request;
    if (group.pendingJoins.has(memberId)) {
      // Static members are given no id to come back with.
      if (groupInstanceId !== null) throw new KafkaError('UNKNOWN_SERVER_ERROR');
      return this.#add(group, memberId, join);
    }
    const member = validMember(group, request);
    if (!(member instanceof ClassicMember)) return refuse(join, member);
    switch (group.state) {
      case 'PreparingRebalance':
        return this.#update(group, member, join);
      case 'CompletingRebalance':
        // The answer to its first JoinGroup may be lost.
        return member.matches(protocols) ? tell(group, join) : this.#update(group, member, join);
      case 'Stable':
        // A leader joins again to share out anew, as when topics have changed.
        return member.matches(protocols) && !group.isLeader(memberId) ? tell(group, join) : this.#update(group, member, join);
      default:
        return refuse(join, 'UNKNOWN_MEMBER_ID');
    }
  }

  #update(group: ClassicGroup, member: ClassicMember, { request, answer }: Join): Effects {
    const { state } = group;
    group.update(member, { ...request, answerJoin: answer });
    return this.#rebalances.prepareOrComplete(
      group,
      `Member ${member.memberId} joins again while ${state}: ${reasonOf(request)}`,
    );
  }

  /** A static member has started again without its id: it takes the place of what it was. */
  #replace(group: ClassicGroup, replacement: Replacement): Effects {
    const { join, known, memberId, groupInstanceId } = replacement;
    const oldLeader = group.leaderId;
    const before = group.member(known);
    const member = group.replaceStaticMember(groupInstanceId, known, memberId);
    this.#rebalances.keepAlive(group, member);
    group.update(member, { ...join.request, answerJoin: join.answer });
    const reason = `Static member ${groupInstanceId} started again: ${reasonOf(join.request)}`;
    switch (group.state) {
      case 'Stable':
        if (group.selectProtocol() !== group.protocolName) return this.#rebalances.prepareOrComplete(group, reason);
        return this.#keepReplacement(group, { ...replacement, member, before, oldLeader });
      case 'CompletingRebalance':
        // The leader may be sharing out to the old id by now.
        return this.#rebalances.prepare(group, reason);
      default:
        return this.#rebalances.completeIfAllJoined(group);
    }
  }

  /** Nothing changes for the others: the new id is written, and has the assignment of the old one. */
  #keepReplacement(group: ClassicGroup, replaced: Replaced): Effects {
    const assignments = new Map(Array.from(group.members(), ({ memberId, assignment }) => [memberId, assignment]));
    return {
      records: [groupMetadataRecord(group, assignments)],
      settled: (error) => {
        if (group.member(replaced.memberId) !== replaced.member) return;
        if (error === null) group.answerJoin(replaced.member, replacedAnswer(group, replaced));
        else if (error.errorName !== 'REQUEST_TIMED_OUT') this.#takeReplacementBack(group, replaced);
        // It is written, and may be committed yet: whoever reads the log will know the new id only.
        else group.answerJoin(replaced.member, joinRefusal('', coordinatorError(error).code));
      },
    };
  }

  #takeReplacementBack(group: ClassicGroup, { member, before, groupInstanceId, known, memberId }: Replaced): void {
    if (before === undefined) return;
    const { protocols, rebalanceTimeoutMs, sessionTimeoutMs } = before;
    group.update(member, { protocols, rebalanceTimeoutMs, sessionTimeoutMs, answerJoin: null });
    this.#rebalances.keepAlive(group, group.replaceStaticMember(groupInstanceId, memberId, known));
  }
}

interface Replacement {
  readonly join: Join;
  readonly groupInstanceId: string;
  /** The id that the member had. */
  readonly known: string;
  /** The id that it has now. */
  readonly memberId: string;
}

interface Replaced extends Replacement {
  readonly member: ClassicMember;
  /** As it was. */
  readonly before: ClassicMember | undefined;
  readonly oldLeader: string | null;
}

/** A leader that cannot be told to skip the assignment is not told that it leads: it would share out anew. */
const replacedAnswer = (group: ClassicGroup, { join, memberId, oldLeader }: Replaced): JoinAnswer => {
  const answer = generationAnswer(group, memberId);
  return join.client.apiVersion >= SKIP_ASSIGNMENT_VERSION
    ? { ...answer, skipAssignment: group.isLeader(memberId) }
    : { ...answer, leader: oldLeader ?? '', members: [] };
};

const tell = (group: ClassicGroup, { request, answer }: Join): Effects => {
  const told = generationAnswer(group, request.memberId);
  answer(told);
  return NOTHING;
};

const refuse = ({ request, answer }: Join, error: ErrorName, memberId = request.memberId): Effects => {
  answer(joinRefusal(memberId, codeOf(error)));
  return NOTHING;
};

const validMember = (group: ClassicGroup, { memberId, groupInstanceId }: JoinRequest): ClassicMember | ErrorName => {
  try {
    return group.validateMember(memberId, groupInstanceId);
  } catch (error) {
    if (!(error instanceof KafkaError)) throw error;
    return error.errorName;
  }
};

const reasonOf = ({ reason }: JoinRequest): string =>
  reason === null || reason === '' ? 'not provided' : reason.slice(0, REASON_CHARACTERS_MAX);
