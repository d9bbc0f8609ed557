import type { TopicPartition } from '../topic-partition.ts';

/** Which topics a group reads: by name, or all whose name matches. */
export type Subscription =
  | { readonly kind: 'names'; readonly topics: readonly string[] }
  /** With the classic protocol a JavaScript regular expression over whole names; with the consumer protocol the broker's (RE2). */
  | { readonly kind: 'pattern'; readonly pattern: string };

/** Who a member is at the moment, as its commits say it. */
export interface MemberIdentity {
  readonly memberId: string;
  /** Generation or member epoch; −1 outside of the group. */
  readonly epoch: number;
  readonly instanceId: string | null;
}

/** Nobody in particular: commits with it are those of a simple consumer. */
export const noMember: MemberIdentity = { memberId: '', epoch: -1, instanceId: null };

/** What a membership tells the consumer that it is for. */
export interface MembershipListener {
  /** These partitions have to be given up. Resolves when the consumer has let go of them and has committed what it wanted to. */
  revoking(places: readonly TopicPartition[]): Promise<void>;
  /** These belong to the member from now on, until they are revoked or lost. */
  assigned(places: readonly TopicPartition[]): void;
  /** The group has given these to others already: there is nothing to commit any more. */
  lost(places: readonly TopicPartition[]): void;
  /** The member cannot go on. */
  failed(error: Error): void;
}

/**
 * A member of a group, by either protocol. It joins by itself, comes back by itself when it was thrown out, and follows the
 * coordinator.
 */
export interface Membership {
  /** Joins, and stays until `leave`. */
  start(): void;
  readonly identity: MemberIdentity;
  readonly owned: readonly TopicPartition[];
  /** Whether partitions may still come or go before anything else happens. */
  readonly isSettled: boolean;
  /** The application is alive. */
  polled(): void;
  /** Joins again with the next chance, so that others hear about it too. */
  rejoin(reason: string): void;
  /** Leaves in order, after `revoking` has been called for what it owns. A static member may stay in the group for its return. */
  leave(): Promise<void>;
}
