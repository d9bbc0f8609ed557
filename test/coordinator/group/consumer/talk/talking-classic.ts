import { ByteWriter } from '../../../../../src/protocol/byte-writer.ts';
import { write } from '../../../../../src/protocol/codec.ts';
import { consumerProtocolAssignment } from '../../../../../src/protocol/data/consumer-protocol-assignment.ts';
import { consumerProtocolSubscription } from '../../../../../src/protocol/data/consumer-protocol-subscription.ts';
import { heartbeat } from '../../../../../src/protocol/messages/12-heartbeat.ts';
import { joinGroup } from '../../../../../src/protocol/messages/11-join-group.ts';
import { leaveGroup } from '../../../../../src/protocol/messages/13-leave-group.ts';
import { syncGroup } from '../../../../../src/protocol/messages/14-sync-group.ts';
import type { RequestInput, ResponseOf } from '../../../../../src/protocol/schema.ts';
import type { Talk } from './talk.ts';

type JoinInput = RequestInput<typeof joinGroup>;
type JoinAnswer = ResponseOf<typeof joinGroup>;
type NamedPartitions = readonly { readonly topic: string; readonly partitions: readonly number[] }[];

export interface TalkingClassicOptions {
  readonly topics?: readonly string[];
  readonly protocols?: readonly string[];
  readonly instanceId?: string;
  readonly rackId?: string;
  readonly version?: number;
  readonly subscriptionVersion?: number;
}

/** A member of the classic protocol that does what it is told. */
export class TalkingClassic {
  readonly talk: Talk;
  readonly groupId: string;
  readonly name: string;
  options: TalkingClassicOptions;
  memberId = '';
  generationId = -1;
  owned: NamedPartitions = [];
  joined: JoinAnswer | null = null;

  constructor(talk: Talk, groupId: string, name: string, options: TalkingClassicOptions = {}) {
    this.talk = talk;
    this.groupId = groupId;
    this.name = name;
    this.options = options;
  }

  /** Until it is told to come back with an id, and then with it. */
  async join(changes: Partial<JoinInput> = {}): Promise<JoinAnswer> {
    const first = this.#joined(await this.talk.ask(joinGroup, this.#version, this.request(changes), this.name));
    if (first.errorCode !== MEMBER_ID_REQUIRED) return first;
    return this.#joined(await this.talk.ask(joinGroup, this.#version, this.request(changes), this.name));
  }

  /** A JoinGroup that waits for others. */
  async startJoin(): Promise<void> {
    if (this.memberId === '' && this.options.instanceId === undefined)
      this.#joined(await this.talk.ask(joinGroup, this.#version, this.request(), this.name));
    await this.talk.send(joinGroup, this.#version, this.request(), this.name);
  }

  async finishJoin(): Promise<JoinAnswer> {
    return this.#joined(await this.talk.receive(joinGroup, this.name));
  }

  /** Gives what the member is told to read. A leader says who gets what. */
  async sync(assignments: Readonly<Record<string, NamedPartitions>> = {}, changes: Partial<RequestInput<typeof syncGroup>> = {}) {
    const { groupId, memberId, generationId } = this;
    const request = {
      groupId,
      memberId,
      generationId,
      groupInstanceId: this.options.instanceId ?? null,
      protocolType: 'consumer',
      protocolName: this.joined?.protocolName ?? null,
      assignments: Object.entries(assignments).map(([id, partitions]) => ({
        memberId: id,
        assignment: assignmentBytes(partitions),
      })),
      ...changes,
    };
    return this.talk.ask(syncGroup, 5, request, this.name);
  }

  heartbeat(generationId = this.generationId) {
    const { groupId, memberId } = this;
    const groupInstanceId = this.options.instanceId ?? null;
    return this.talk.ask(heartbeat, 4, { groupId, memberId, generationId, groupInstanceId }, this.name);
  }

  leave() {
    const members = [{ memberId: this.memberId, groupInstanceId: this.options.instanceId ?? null, reason: null }];
    return this.talk.ask(leaveGroup, 5, { groupId: this.groupId, members }, this.name);
  }

  get #version(): number {
    return this.options.version ?? 9;
  }

  request(changes: Partial<JoinInput> = {}): JoinInput {
    const { protocols = ['range'], instanceId = null } = this.options;
    return {
      groupId: this.groupId,
      sessionTimeoutMs: 45_000,
      rebalanceTimeoutMs: 60_000,
      memberId: this.memberId,
      groupInstanceId: instanceId,
      protocolType: 'consumer',
      protocols: protocols.map((name) => ({ name, metadata: this.#subscription() })),
      reason: null,
      ...changes,
    };
  }

  #subscription(): Buffer {
    const { topics = [], rackId = null, subscriptionVersion = 3 } = this.options;
    const { owned: ownedPartitions, generationId } = this;
    const writer = new ByteWriter();
    writer.int16(subscriptionVersion);
    write(
      consumerProtocolSubscription,
      subscriptionVersion,
      { topics, userData: null, ownedPartitions, generationId, rackId },
      writer,
    );
    return writer.toBuffer();
  }

  #joined(answer: JoinAnswer): JoinAnswer {
    this.joined = answer;
    if (answer.memberId !== '') this.memberId = answer.memberId;
    if (answer.errorCode === 0) this.generationId = answer.generationId;
    return answer;
  }
}

const MEMBER_ID_REQUIRED = 79;

export function assignmentBytes(assignedPartitions: NamedPartitions, userData: Buffer | null = null): Buffer {
  const writer = new ByteWriter();
  writer.int16(0);
  write(consumerProtocolAssignment, 0, { assignedPartitions, userData }, writer);
  return writer.toBuffer();
}
