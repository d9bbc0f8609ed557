import { type Timeline, type TimelineEpoch, TimelineMap } from '../../../base/timeline-map.ts';
import { TimelineValue } from '../../../base/timeline-value.ts';
import type { Uuid } from '../../../base/uuid.ts';
import { KafkaError } from '../../../protocol/errors.ts';
import type { MemberPartitions } from '../assignors/partition-assignor.ts';
import type { CommitPartitionCheck, Group, OffsetCommitter, OffsetExpiration } from '../group.ts';
import type { GroupRecord } from '../group-record.ts';
import { type ConsumerGroupMember, isReconciledTo, regexOf, sameSet } from './consumer-group-member.ts';
import { groupTombstones } from './consumer-group-records.ts';
import { membersInOrder } from './hash-order.ts';
import { checkOffsetCommit, checkOffsetFetch } from './offset-checks.ts';
import type { PartitionEpochs } from './partition-epochs.ts';
import type { ResolvedRegularExpression } from './resolved-regular-expression.ts';
import { count, countMatches, countNames, isHomogeneous, type SubscriptionCount } from './subscription-count.ts';

/** How far a group is. */
export interface GroupEpochs {
  /** Grows whenever something changes that an assignment depends on. */
  readonly groupEpoch: number;
  /** Of the topics that the group subscribes to (KIP-1101). */
  readonly metadataHash: bigint;
  /** The group epoch that the target assignment was made for. */
  readonly assignmentEpoch: number;
  /** When it was made; 0 where that is not known. */
  readonly assignmentTimestamp: number;
  /** Whether the log still has the partition metadata that Kafka 4.0 and earlier wrote. */
  readonly hasPartitionMetadataRecord: boolean;
}

/** A new group's. The first assignment is that of epoch 2. */
const INITIAL: GroupEpochs = {
  groupEpoch: 1,
  metadataHash: 0n,
  assignmentEpoch: 1,
  assignmentTimestamp: 0,
  hasPartitionMetadataRecord: false,
};

/** When it has to be looked whether the topics of the group have changed. */
interface MetadataRefresh {
  readonly deadline: number;
  readonly groupEpoch: number;
}

const REFRESH_NOW: MetadataRefresh = { deadline: 0, groupEpoch: 0 };

/** Of a partition that nobody has. */
export const NO_EPOCH = -1;

const NO_PARTITIONS: MemberPartitions = new Map();

/** A group of the consumer protocol (KIP-848): what its records say. Changed by replaying them, and by nothing else. */
export class ConsumerGroup implements Group {
  readonly groupId: string;
  readonly type = 'consumer';
  readonly #epochs: TimelineValue<GroupEpochs>;
  readonly #members: TimelineMap<string, ConsumerGroupMember>;
  /** Instance id → member id. */
  readonly #staticMembers: TimelineMap<string, string>;
  readonly #targets: TimelineMap<string, MemberPartitions>;
  readonly #subscriptions: TimelineMap<string, SubscriptionCount>;
  /** Assignor → members that ask for it. */
  readonly #serverAssignors: TimelineMap<string, number>;
  /** Regular expression → members that subscribe to it. */
  readonly #regexes: TimelineMap<string, number>;
  readonly #resolvedRegexes: TimelineMap<string, ResolvedRegularExpression>;
  /** Partition → the epoch of the member that has it, or gives it back. */
  readonly #partitionEpochs: TimelineMap<string, number>;
  /** Classic protocol → members that speak it. */
  readonly #classicProtocols: TimelineMap<string, number>;
  readonly #classicMembers: TimelineValue<number>;
  /** Not kept: after a reload it is looked again. */
  #refresh = REFRESH_NOW;
  /** The most members that there have been since it was loaded. */
  #largestSize = 0;
  /** The subscription that came last: members with the same one share it. */
  #lastNames: ReadonlySet<string> = new Set();

  constructor(groupId: string, timeline: Timeline) {
    this.groupId = groupId;
    this.#epochs = new TimelineValue(timeline, INITIAL);
    this.#members = new TimelineMap(timeline);
    this.#staticMembers = new TimelineMap(timeline);
    this.#targets = new TimelineMap(timeline);
    this.#subscriptions = new TimelineMap(timeline);
    this.#serverAssignors = new TimelineMap(timeline);
    this.#regexes = new TimelineMap(timeline);
    this.#resolvedRegexes = new TimelineMap(timeline);
    this.#partitionEpochs = new TimelineMap(timeline);
    this.#classicProtocols = new TimelineMap(timeline);
    this.#classicMembers = new TimelineValue(timeline, 0);
  }

  get epochs(): GroupEpochs {
    return this.#epochs.get();
  }

  epochsAt(committedOffset: TimelineEpoch): GroupEpochs {
    return this.#epochs.getAt(committedOffset);
  }

  get size(): number {
    return this.#members.size;
  }

  member(memberId: string): ConsumerGroupMember | undefined {
    return this.#members.get(memberId);
  }

  /** The member itself; throws UNKNOWN_MEMBER_ID. */
  knownMember(memberId: string): ConsumerGroupMember {
    const member = this.#members.get(memberId);
    if (member !== undefined) return member;
    throw new KafkaError('UNKNOWN_MEMBER_ID', `Member ${memberId} is not a member of group ${this.groupId}.`);
  }

  memberAt(memberId: string, committedOffset: TimelineEpoch): ConsumerGroupMember | undefined {
    return this.#members.getAt(memberId, committedOffset);
  }

  /** In the order in which Kafka has them. */
  members(): readonly ConsumerGroupMember[] {
    return membersInOrder(this.#members.values(), this.#largestSize);
  }

  *membersAt(committedOffset: TimelineEpoch): Generator<ConsumerGroupMember> {
    for (const [, member] of this.#members.entriesAt(committedOffset)) yield member;
  }

  staticMember(instanceId: string | null): ConsumerGroupMember | undefined {
    const memberId = instanceId === null ? undefined : this.#staticMembers.get(instanceId);
    return memberId === undefined ? undefined : this.#members.get(memberId);
  }

  hasStaticMember(instanceId: string | null): boolean {
    return instanceId !== null && this.#staticMembers.has(instanceId);
  }

  /** What the member shall have in the end; of the static member that it replaces, if it does. */
  target(memberId: string, instanceId: string | null = null): MemberPartitions {
    const id = instanceId === null ? memberId : this.#staticMembers.get(instanceId);
    return (id === undefined ? undefined : this.#targets.get(id)) ?? NO_PARTITIONS;
  }

  /** Undefined for a member that no assignment has been made for. */
  targetOrNone(memberId: string): MemberPartitions | undefined {
    return this.#targets.get(memberId);
  }

  targetAt(memberId: string, committedOffset: TimelineEpoch): MemberPartitions {
    return this.#targets.getAt(memberId, committedOffset) ?? NO_PARTITIONS;
  }

  /** Topic → who subscribes to it: a copy, which may be changed to see what would be. */
  copyOfSubscriptions(): Map<string, SubscriptionCount> {
    return new Map(this.#subscriptions);
  }

  /** Assignor → members that ask for it: a copy, as above. */
  copyOfServerAssignors(): Map<string, number> {
    return new Map(this.#serverAssignors);
  }

  serverAssignorsAt(committedOffset: TimelineEpoch): ReadonlyMap<string, number> {
    return new Map(this.#serverAssignors.entriesAt(committedOffset));
  }

  /** Regular expression → members that subscribe to it: a copy, as above. */
  copyOfRegexes(): Map<string, number> {
    return new Map(this.#regexes);
  }

  get hasRegexes(): boolean {
    return this.#regexes.size > 0;
  }

  membersWithRegex(regex: string): number {
    return this.#regexes.get(regex) ?? 0;
  }

  resolvedRegex(regex: string): ResolvedRegularExpression | undefined {
    return this.#resolvedRegexes.get(regex);
  }

  get resolvedRegexes(): IterableIterator<[string, ResolvedRegularExpression]> {
    return this.#resolvedRegexes.entries();
  }

  get resolvedRegexCount(): number {
    return this.#resolvedRegexes.size;
  }

  /** The epoch of the member that has the partition, or `NO_EPOCH`. */
  partitionEpoch(topicId: Uuid, partition: number): number {
    return this.#partitionEpochs.get(partitionKey(topicId, partition)) ?? NO_EPOCH;
  }

  /** Classic protocol → how many of the members that speak the classic protocol speak it. */
  membersWithClassicProtocol(name: string): number {
    return this.#classicProtocols.get(name) ?? 0;
  }

  get classicMembers(): number {
    return this.#classicMembers.get();
  }

  isHomogeneous(): boolean {
    return isHomogeneous(this.copyOfRegexes(), this.#subscriptions.values(), this.size);
  }

  isMetadataExpired(now: number): boolean {
    return now >= this.#refresh.deadline || this.epochs.groupEpoch < this.#refresh.groupEpoch;
  }

  /** Not before `deadline` unless the group epoch turns out not to be written. */
  refreshMetadataAt(deadline: number, groupEpoch: number): void {
    this.#refresh = { deadline, groupEpoch };
  }

  /** With the next heartbeat. */
  requestMetadataRefresh(): void {
    this.#refresh = REFRESH_NOW;
  }

  // What records change.

  setEpochs(changes: Partial<GroupEpochs>): void {
    this.#epochs.set({ ...this.epochs, ...changes });
  }

  updateMember(given: ConsumerGroupMember): void {
    const before = this.#members.get(given.memberId) ?? null;
    const after = this.#sharing(given);
    this.#members.set(after.memberId, after);
    this.#largestSize = Math.max(this.#largestSize, this.size);
    this.#count(before, after);
    this.#release(before);
    this.#own(after.assigned, after.memberEpoch);
    this.#own(after.pendingRevocation, after.memberEpoch);
    if (before !== null && before.instanceId !== null) this.#staticMembers.delete(before.instanceId);
    if (after.instanceId !== null) this.#staticMembers.set(after.instanceId, after.memberId);
  }

  removeMember(memberId: string): void {
    const before = this.#members.get(memberId);
    if (before === undefined) return;
    this.#members.delete(memberId);
    this.#count(before, null);
    this.#release(before);
    if (before.instanceId !== null && this.#staticMembers.get(before.instanceId) === memberId)
      this.#staticMembers.delete(before.instanceId);
  }

  setTarget(memberId: string, partitions: MemberPartitions): void {
    this.#targets.set(memberId, partitions);
  }

  removeTarget(memberId: string): void {
    this.#targets.delete(memberId);
  }

  setResolvedRegex(regex: string, resolved: ResolvedRegularExpression | null): void {
    countMatches(this.#subscriptions, this.#resolvedRegexes.get(regex)?.topics, resolved?.topics);
    if (resolved === null) this.#resolvedRegexes.delete(regex);
    else this.#resolvedRegexes.set(regex, resolved);
  }

  // What any group can be asked.

  stateAt(committedOffset: TimelineEpoch): string {
    const { groupEpoch, assignmentEpoch } = this.epochsAt(committedOffset);
    let isEmpty = true;
    let isReconciled = true;
    for (const member of this.membersAt(committedOffset)) {
      isEmpty = false;
      isReconciled &&= isReconciledTo(member, assignmentEpoch);
    }
    if (isEmpty) return 'Empty';
    if (groupEpoch > assignmentEpoch) return 'Assigning';
    return isReconciled ? 'Stable' : 'Reconciling';
  }

  protocolTypeAt(): string {
    return 'consumer';
  }

  isEmpty(): boolean {
    return this.size === 0;
  }

  isMember(memberId: string): boolean {
    return this.#members.has(memberId);
  }

  validateOffsetCommit(committer: OffsetCommitter): CommitPartitionCheck | null {
    return checkOffsetCommit(this, committer);
  }

  validateOffsetFetch(
    reader: { readonly memberId: string | null; readonly memberEpoch: number },
    committedOffset: TimelineEpoch,
  ): void {
    checkOffsetFetch(this, reader, committedOffset);
  }

  /** Offsets of topics to which nobody subscribes may go while there are members. */
  validateOffsetDelete(): void {
    return;
  }

  validateDelete(): void {
    if (!this.isEmpty()) throw new KafkaError('NON_EMPTY_GROUP');
  }

  isSubscribedTo(topic: string): boolean {
    return this.#subscriptions.has(topic);
  }

  offsetExpiration(): OffsetExpiration {
    return { baseTimestamp: ({ commitTimestamp }) => commitTimestamp };
  }

  tombstones(): GroupRecord[] {
    const memberIds = this.members().map(({ memberId }) => memberId);
    return groupTombstones(this.groupId, memberIds, this.#resolvedRegexes.keys());
  }

  #sharing(member: ConsumerGroupMember): ConsumerGroupMember {
    if (member.subscribedTopicNames === this.#lastNames) return member;
    if (sameSet(member.subscribedTopicNames, this.#lastNames)) return { ...member, subscribedTopicNames: this.#lastNames };
    this.#lastNames = member.subscribedTopicNames;
    return member;
  }

  #count(before: ConsumerGroupMember | null, after: ConsumerGroupMember | null): void {
    countNames(this.#subscriptions, before, after);
    for (const [member, by] of [
      [before, -1],
      [after, 1],
    ] as const) {
      if (member === null) continue;
      const regex = regexOf(member);
      if (regex !== null) count(this.#regexes, regex, by);
      if (member.serverAssignor !== null) count(this.#serverAssignors, member.serverAssignor, by);
      if (member.classic === null) continue;
      this.#classicMembers.set(this.classicMembers + by);
      for (const { name } of member.classic.supportedProtocols) count(this.#classicProtocols, name, by);
    }
  }

  /** A partition that somebody else has got meanwhile is left alone. */
  #release(member: ConsumerGroupMember | null): void {
    if (member === null) return;
    for (const partitions of [member.assigned, member.pendingRevocation]) {
      for (const key of keysOf(partitions)) {
        if (this.#partitionEpochs.get(key) === member.memberEpoch) this.#partitionEpochs.delete(key);
      }
    }
  }

  #own(partitions: PartitionEpochs, memberEpoch: number): void {
    for (const key of keysOf(partitions)) {
      const epoch = this.#partitionEpochs.get(key);
      if (epoch === undefined || epoch < memberEpoch) this.#partitionEpochs.set(key, memberEpoch);
    }
  }
}

const partitionKey = (topicId: Uuid, partition: number): string => `${topicId}${partition}`;

function* keysOf(partitions: PartitionEpochs): Generator<string> {
  for (const [topicId, indexes] of partitions) for (const partition of indexes.keys()) yield partitionKey(topicId, partition);
}
