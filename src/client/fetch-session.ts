import { ZERO_UUID } from '../base/uuid.ts';
import type { fetch } from '../protocol/messages/01-fetch.ts';
import type { RequestInput } from '../protocol/schema.ts';

/** What is asked of one partition. */
export interface PartitionRequest {
  readonly topic: string;
  readonly topicId: string;
  readonly partition: number;
  readonly fetchOffset: number;
  readonly currentLeaderEpoch: number;
  readonly maxBytes: number;
}

type FetchInput = RequestInput<typeof fetch>;
type SessionPart = Pick<FetchInput, 'sessionId' | 'sessionEpoch' | 'topics' | 'forgottenTopicsData'>;

/** With this epoch a session ends. */
const FINAL_EPOCH = -1;
const keyOf = (request: PartitionRequest): string => `${request.topic}/${request.partition}`;

/**
 * A client's half of a fetch session (KIP-227): the broker remembers what was asked, so that each request names only the partitions that
 * changed. Epoch 0 opens a session with everything in it.
 */
export class FetchSession {
  #id = 0;
  #epoch = 0;
  #sent = new Map<string, PartitionRequest>();

  /** Whether the next request opens a session. */
  get isFull(): boolean {
    return this.#epoch === 0;
  }

  /** The part of the next request that depends on the session, for these wishes. */
  next(wishes: readonly PartitionRequest[]): SessionPart {
    const wanted = new Map(wishes.map((wish) => [keyOf(wish), wish]));
    const named = this.isFull ? wishes : wishes.filter((wish) => !isSame(this.#sent.get(keyOf(wish)), wish));
    const forgotten = this.isFull ? [] : [...this.#sent.values()].filter((old) => mustBeForgotten(old, wanted.get(keyOf(old))));
    this.#sent = wanted;
    return {
      sessionId: this.#id,
      sessionEpoch: this.#epoch,
      topics: [...Map.groupBy(named, topicKey)].map(([, ofTopic]) => ({
        ...topicOf(ofTopic),
        partitions: ofTopic.map(({ partition, currentLeaderEpoch, fetchOffset, maxBytes }) => ({
          partition,
          currentLeaderEpoch,
          fetchOffset,
          partitionMaxBytes: maxBytes,
        })),
      })),
      forgottenTopicsData: [...Map.groupBy(forgotten, topicKey)].map(([, ofTopic]) => ({
        ...topicOf(ofTopic),
        partitions: ofTopic.map(({ partition }) => partition),
      })),
    };
  }

  /** The broker answered without an error. Session 0 means that it keeps none. */
  succeeded(sessionId: number): void {
    if (sessionId === 0) this.reset();
    else {
      this.#epoch = sessionId === this.#id && this.#epoch > 0 ? nextEpoch(this.#epoch) : 1;
      this.#id = sessionId;
    }
  }

  /** Begins again with everything; `keepId` lets the broker close the old session first. */
  reset(keepId = false): void {
    if (!keepId) this.#id = 0;
    this.#epoch = 0;
    this.#sent = new Map();
  }

  /** The request that ends the session; null if there is none. */
  final(): SessionPart | null {
    if (this.#id === 0) return null;
    return { sessionId: this.#id, sessionEpoch: FINAL_EPOCH, topics: [], forgottenTopicsData: [] };
  }
}

/** Epochs go from 1 to 2^31 − 1 and start again at 1. */
const nextEpoch = (epoch: number): number => (epoch === 0x7fff_ffff ? 1 : epoch + 1);

const topicKey = (request: PartitionRequest): string => `${request.topic}/${request.topicId}`;

const topicOf = (requests: readonly PartitionRequest[]): { topic: string; topicId: string } => ({
  topic: requests[0]?.topic ?? '',
  topicId: requests[0]?.topicId ?? ZERO_UUID,
});

const isSame = (old: PartitionRequest | undefined, wish: PartitionRequest): boolean =>
  old !== undefined &&
  old.topicId === wish.topicId &&
  old.fetchOffset === wish.fetchOffset &&
  old.currentLeaderEpoch === wish.currentLeaderEpoch &&
  old.maxBytes === wish.maxBytes;

/** Not wanted any more, or the same name now stands for another topic. */
const mustBeForgotten = (old: PartitionRequest, wish: PartitionRequest | undefined): boolean =>
  wish === undefined || wish.topicId !== old.topicId;
