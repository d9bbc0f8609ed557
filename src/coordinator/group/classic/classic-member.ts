import type { Millis } from '../../../base/clock.ts';
import type { JoinAnswer, SyncAnswer } from '../classic-protocol.ts';

/** A way of sharing partitions that a member knows, and what it has to say for it. */
export interface MemberProtocol {
  readonly name: string;
  readonly metadata: Uint8Array;
}

export interface ClassicMemberOptions {
  readonly memberId: string;
  /** Null for a dynamic member (KIP-345). */
  readonly groupInstanceId: string | null;
  readonly clientId: string;
  readonly clientHost: string;
  readonly rebalanceTimeoutMs: Millis;
  readonly sessionTimeoutMs: Millis;
  readonly protocolType: string;
  readonly protocols: readonly MemberProtocol[];
  readonly assignment?: Uint8Array;
}

export const NO_ASSIGNMENT: Uint8Array = Buffer.alloc(0);

/** Answers a request that waits. */
export type Answer<Response> = (response: Response) => void;

/** A member of a classic group. Only the group changes it. Kafka: ClassicGroupMember. */
export class ClassicMember {
  readonly memberId: string;
  readonly groupInstanceId: string | null;
  readonly clientId: string;
  readonly clientHost: string;
  readonly protocolType: string;
  rebalanceTimeoutMs: Millis;
  sessionTimeoutMs: Millis;
  /** The preferred first. */
  protocols: readonly MemberProtocol[];
  assignment: Uint8Array;
  /** It has not been told its id by the answer that it waits for, so it cannot send heartbeats. */
  isNew = false;
  /** Present while its JoinGroup waits. */
  answerJoin: Answer<JoinAnswer> | null = null;
  /** Present while its SyncGroup waits. */
  answerSync: Answer<SyncAnswer> | null = null;

  constructor(options: ClassicMemberOptions) {
    this.memberId = options.memberId;
    this.groupInstanceId = options.groupInstanceId;
    this.clientId = options.clientId;
    this.clientHost = options.clientHost;
    this.protocolType = options.protocolType;
    this.rebalanceTimeoutMs = options.rebalanceTimeoutMs;
    this.sessionTimeoutMs = options.sessionTimeoutMs;
    this.protocols = options.protocols;
    this.assignment = options.assignment ?? NO_ASSIGNMENT;
  }

  /** The same under another id. */
  as(memberId: string): ClassicMember {
    const { groupInstanceId, clientId, clientHost, rebalanceTimeoutMs, sessionTimeoutMs, protocolType, protocols, assignment } =
      this;
    return new ClassicMember({
      memberId,
      groupInstanceId,
      clientId,
      clientHost,
      rebalanceTimeoutMs,
      sessionTimeoutMs,
      protocolType,
      protocols,
      assignment,
    });
  }

  get isStatic(): boolean {
    return this.groupInstanceId !== null;
  }

  /** Whether it need not send heartbeats at the moment: its own request waits here. */
  get isKnownToLive(): boolean {
    return !this.isNew && (this.answerJoin !== null || this.answerSync !== null);
  }

  /** What it has to say for a protocol; nothing for one that it does not know. */
  metadata(protocolName: string | null): Uint8Array {
    return this.protocols.find(({ name }) => name === protocolName)?.metadata ?? NO_ASSIGNMENT;
  }

  /** Whether it would say the same again. */
  matches(protocols: readonly MemberProtocol[]): boolean {
    return (
      protocols.length === this.protocols.length &&
      protocols.every(({ name, metadata }, index) => {
        const own = this.protocols[index];
        return own !== undefined && own.name === name && Buffer.compare(own.metadata, metadata) === 0;
      })
    );
  }
}
