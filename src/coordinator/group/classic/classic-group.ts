import { assert } from '../../../base/assert.ts';
import type { Millis } from '../../../base/clock.ts';
import { codeOf, KafkaError } from '../../../protocol/errors.ts';
import { type JoinAnswer, joinRefusal, type SyncAnswer, syncRefusal } from '../classic-protocol.ts';
import type { Group, OffsetCommitter, OffsetExpiration } from '../group.ts';
import { type GroupRecord, groupTombstone } from '../group-record.ts';
import { offsetExpiration, validateAlive, validateOffsetCommit } from './classic-group-rules.ts';
import { type ClassicGroupState, mayFollow } from './classic-group-state.ts';
import type { Answer, ClassicMember, MemberProtocol } from './classic-member.ts';
import { CONSUMER_PROTOCOL_TYPE, subscribedTopics } from './subscribed-topics.ts';
import { selectProtocol, SupportedProtocols } from './supported-protocols.ts';

/** What a group needs of the shard that has it. */
export interface ClassicGroupHost {
  now(): Millis;
  /** The member's session begins anew. */
  keepAlive(group: ClassicGroup, member: ClassicMember): void;
}

export interface ClassicGroupOptions {
  readonly groupId: string;
  readonly host: ClassicGroupHost;
  readonly state?: ClassicGroupState;
  readonly generationId?: number;
  readonly protocolType?: string | null;
  readonly protocolName?: string | null;
  readonly leaderId?: string | null;
  /** Null where a record of old does not tell. */
  readonly stateTimestamp?: Millis | null;
}

/** What a member says anew when it joins again. */
export interface MemberUpdate {
  readonly protocols: readonly MemberProtocol[];
  readonly rebalanceTimeoutMs: Millis;
  readonly sessionTimeoutMs: Millis;
  /** Null where nobody waits for the group to be complete. */
  readonly answerJoin: Answer<JoinAnswer> | null;
}

/**
 * A group whose members share partitions out themselves. What a record keeps of it is written once a generation is complete; members that come and go meanwhile,
 * and their requests that wait, are in this object only. Kafka: ClassicGroup.
 */
export class ClassicGroup implements Group {
  readonly groupId: string;
  readonly type = 'classic';
  readonly #host: ClassicGroupHost;
  #state: ClassicGroupState;
  #previousState: ClassicGroupState = 'Dead';
  #stateTimestamp: Millis | null;
  #generationId: number;
  #protocolType: string | null;
  #protocolName: string | null;
  #leaderId: string | null;
  readonly #members = new Map<string, ClassicMember>();
  /** Member ids by instance. */
  readonly #staticMembers = new Map<string, string>();
  readonly #supported = new SupportedProtocols();
  #subscribedTopics: ReadonlySet<string> | null = null;
  #joinsWaiting = 0;
  /** Members that were given an id and have to come back with it (KIP-394). */
  readonly pendingJoins = new Set<string>();
  /** Members of this generation that have not asked for their assignment. */
  readonly pendingSyncs = new Set<string>();
  /** A member has come while the first rebalance was put off, so that it may be put off further. */
  hasNewMember = false;

  constructor(options: ClassicGroupOptions) {
    const { groupId, host, state = 'Empty', stateTimestamp = host.now() } = options;
    this.groupId = groupId;
    this.#host = host;
    this.#state = state;
    this.#stateTimestamp = stateTimestamp;
    this.#generationId = options.generationId ?? 0;
    this.#protocolType = options.protocolType ?? null;
    this.#protocolName = options.protocolName ?? null;
    this.#leaderId = options.leaderId ?? null;
  }

  get state(): ClassicGroupState {
    return this.#state;
  }

  get previousState(): ClassicGroupState {
    return this.#previousState;
  }

  get stateTimestamp(): Millis | null {
    return this.#stateTimestamp;
  }

  get generationId(): number {
    return this.#generationId;
  }

  get protocolType(): string | null {
    return this.#protocolType;
  }

  get protocolName(): string | null {
    return this.#protocolName;
  }

  get leaderId(): string | null {
    return this.#leaderId;
  }

  get size(): number {
    return this.#members.size;
  }

  /** JoinGroup requests that wait. */
  get joinsWaiting(): number {
    return this.#joinsWaiting;
  }

  /** Null where it is not known. */
  get subscribedTopics(): ReadonlySet<string> | null {
    return this.#subscribedTopics;
  }

  get isOfConsumers(): boolean {
    return this.#protocolType === CONSUMER_PROTOCOL_TYPE;
  }

  get hasEverybodyJoined(): boolean {
    return this.#members.size === this.#joinsWaiting && this.pendingJoins.size === 0;
  }

  /** The longest that a member takes to join again. */
  get rebalanceTimeoutMs(): Millis {
    let longest = 0;
    for (const { rebalanceTimeoutMs } of this.#members.values()) longest = Math.max(longest, rebalanceTimeoutMs);
    return longest;
  }

  member(memberId: string): ClassicMember | undefined {
    return this.#members.get(memberId);
  }

  members(): IterableIterator<ClassicMember> {
    return this.#members.values();
  }

  staticMemberId(groupInstanceId: string): string | undefined {
    return this.#staticMembers.get(groupInstanceId);
  }

  isLeader(memberId: string): boolean {
    return this.#leaderId === memberId;
  }

  /** Throws what somebody gets who is not the member that it says it is. */
  validateMember(memberId: string, groupInstanceId: string | null): ClassicMember {
    if (groupInstanceId !== null) {
      const known = this.#staticMembers.get(groupInstanceId);
      if (known === undefined) throw new KafkaError('UNKNOWN_MEMBER_ID');
      if (known !== memberId) throw new KafkaError('FENCED_INSTANCE_ID');
    }
    const member = this.#members.get(memberId);
    if (member === undefined) throw new KafkaError('UNKNOWN_MEMBER_ID');
    return member;
  }

  /** Whether a member with these protocols could share partitions with the others. */
  supports(protocolType: string, protocols: readonly MemberProtocol[]): boolean {
    if (this.#state === 'Empty') return protocolType !== '' && protocols.length > 0;
    return this.#protocolType === protocolType && protocols.some(({ name }) => this.#isKnownToAll(name));
  }

  transitionTo(state: ClassicGroupState): void {
    assert(mayFollow(this.#state, state), `a classic group becomes ${state} after ${this.#state}`);
    this.#previousState = this.#state;
    this.#state = state;
    this.#stateTimestamp = this.#host.now();
  }

  /** Takes a member in. The first one decides what kind of protocol it is, and leads. */
  add(member: ClassicMember): void {
    const { memberId, groupInstanceId, protocolType, protocols } = member;
    if (groupInstanceId !== null) {
      assert(!this.#staticMembers.has(groupInstanceId), 'an instance is one member');
      this.#staticMembers.set(groupInstanceId, memberId);
    }
    if (this.#members.size === 0) this.#protocolType = protocolType;
    this.#leaderId ??= memberId;
    this.#members.set(memberId, member);
    this.#supported.add(protocols);
    if (member.answerJoin !== null) this.#joinsWaiting++;
    this.pendingJoins.delete(memberId);
  }

  /** Lets a member go, or somebody who was to become one. Whatever it waits for is answered: it is unknown from now on. */
  remove(memberId: string): void {
    const member = this.#members.get(memberId);
    if (member !== undefined) {
      this.answerJoin(member, joinRefusal('', codeOf('UNKNOWN_MEMBER_ID')));
      this.answerSync(member, syncRefusal(codeOf('UNKNOWN_MEMBER_ID')));
      this.#members.delete(memberId);
      this.#supported.remove(member.protocols);
      if (member.groupInstanceId !== null) this.#staticMembers.delete(member.groupInstanceId);
    }
    if (this.isLeader(memberId)) this.#leaderId = this.#members.keys().next().value ?? null;
    this.pendingJoins.delete(memberId);
    this.pendingSyncs.delete(memberId);
  }

  /** A new member takes the place of an old one that has the same instance. Whatever the old one waits for is answered: it is fenced. */
  replaceStaticMember(groupInstanceId: string, oldMemberId: string, newMemberId: string): ClassicMember {
    const old = this.#members.get(oldMemberId);
    assert(old !== undefined, 'the member that is replaced is there');
    this.answerJoin(old, joinRefusal(oldMemberId, codeOf('FENCED_INSTANCE_ID')));
    this.answerSync(old, syncRefusal(codeOf('FENCED_INSTANCE_ID')));
    const member = old.as(newMemberId);
    this.#members.delete(oldMemberId);
    this.#members.set(newMemberId, member);
    if (this.isLeader(oldMemberId)) this.#leaderId = newMemberId;
    this.#staticMembers.set(groupInstanceId, newMemberId);
    if (this.pendingSyncs.delete(oldMemberId)) this.pendingSyncs.add(newMemberId);
    return member;
  }

  update(member: ClassicMember, update: MemberUpdate): void {
    this.#supported.remove(member.protocols);
    member.protocols = update.protocols;
    this.#supported.add(member.protocols);
    member.rebalanceTimeoutMs = update.rebalanceTimeoutMs;
    member.sessionTimeoutMs = update.sessionTimeoutMs;
    // Whoever asks again has given the first answer up.
    this.answerJoin(member, joinRefusal(member.memberId, codeOf('REBALANCE_IN_PROGRESS')));
    member.answerJoin = update.answerJoin;
    if (update.answerJoin !== null) this.#joinsWaiting++;
  }

  /** Gives whether somebody waited for it. */
  answerJoin(member: ClassicMember, answer: JoinAnswer): boolean {
    const { answerJoin } = member;
    if (answerJoin === null) return false;
    member.answerJoin = null;
    this.#joinsWaiting--;
    answerJoin(answer);
    return true;
  }

  /** The same for a SyncGroup. */
  answerSync(member: ClassicMember, answer: SyncAnswer): boolean {
    const { answerSync } = member;
    if (answerSync === null) return false;
    member.answerSync = null;
    answerSync(answer);
    return true;
  }

  awaitSync(member: ClassicMember, answer: Answer<SyncAnswer>): void {
    this.answerSync(member, syncRefusal(codeOf('REBALANCE_IN_PROGRESS')));
    member.answerSync = answer;
  }

  /** A leader that has not joined again loses its office to somebody who has. False when nobody has. */
  electJoinedLeader(): boolean {
    if (this.#leaderId === null) return false;
    if (this.#isJoining(this.#leaderId)) return true;
    for (const { memberId, answerJoin } of this.#members.values()) {
      if (answerJoin === null) continue;
      this.#leaderId = memberId;
      return true;
    }
    return false;
  }

  #isJoining(memberId: string): boolean {
    return (this.#members.get(memberId)?.answerJoin ?? null) !== null;
  }

  /** All who are to be members have joined: they have a protocol now, and wait for their leader's assignment. */
  startGeneration(): void {
    // Numbers are int32, which begin again as negative ones.
    this.#generationId = (this.#generationId + 1) | 0;
    this.chooseProtocol();
    this.transitionTo(this.#members.size > 0 ? 'CompletingRebalance' : 'Empty');
    this.pendingSyncs.clear();
  }

  /** What the members agree on, and which topics they want. */
  chooseProtocol(): void {
    this.#protocolName = this.#members.size > 0 ? this.selectProtocol() : null;
    this.learnSubscribedTopics();
  }

  selectProtocol(): string {
    return selectProtocol(this.#members.values(), (name) => this.#isKnownToAll(name));
  }

  learnSubscribedTopics(): void {
    this.#subscribedTopics = this.isOfConsumers ? this.#topicsOfMembers() : null;
  }

  #topicsOfMembers(): ReadonlySet<string> | null {
    const topics = new Set<string>();
    if (this.#members.size > 0 && this.#protocolName === null) return null;
    for (const member of this.#members.values()) {
      const own = subscribedTopics(member.metadata(this.#protocolName));
      if (own === null) return null;
      for (const topic of own) topics.add(topic);
    }
    return topics;
  }

  #isKnownToAll(name: string): boolean {
    return this.#supported.countOf(name) === this.#members.size;
  }

  stateAt(): string {
    return this.#state;
  }

  protocolTypeAt(): string {
    return this.#protocolType ?? '';
  }

  isEmpty(): boolean {
    return this.#state === 'Empty';
  }

  isMember(memberId: string): boolean {
    return this.#members.has(memberId);
  }

  validateOffsetCommit(committer: OffsetCommitter): null {
    validateOffsetCommit(this, committer);
    return null;
  }

  validateOffsetFetch(): void {
    validateAlive(this);
  }

  validateOffsetDelete(): void {
    validateAlive(this);
    if (!this.isEmpty() && !this.isOfConsumers) throw new KafkaError('NON_EMPTY_GROUP');
  }

  validateDelete(): void {
    validateAlive(this);
    if (!this.isEmpty()) throw new KafkaError('NON_EMPTY_GROUP');
  }

  isSubscribedTo(topic: string): boolean {
    return this.#subscribedTopics?.has(topic) ?? this.isOfConsumers;
  }

  offsetExpiration(): OffsetExpiration | null {
    return offsetExpiration(this);
  }

  tombstones(): GroupRecord[] {
    return [groupTombstone('GroupMetadata', { group: this.groupId })];
  }

  committed(memberId: string): void {
    const member = this.#members.get(memberId);
    const isAlive = this.#state === 'Stable' || this.#state === 'PreparingRebalance';
    if (isAlive && member !== undefined) this.#host.keepAlive(this, member);
  }
}
