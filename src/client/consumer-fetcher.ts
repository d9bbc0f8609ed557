import type { Millis, Timer } from '../base/clock.ts';
import { ZERO_UUID } from '../base/uuid.ts';
import { errorNameOf, KafkaError } from '../protocol/errors.ts';
import { fetch } from '../protocol/messages/01-fetch.ts';
import type { ResponseOf } from '../protocol/schema.ts';
import type { Client } from './client.ts';
import { ClientError } from './client-error.ts';
import type { Connection } from './connection.ts';
import { Connections } from './connections.ts';
import type { ConsumerSettings } from './consumer-options.ts';
import { FetchedChunk } from './fetched-chunk.ts';
import { FetchSession, type PartitionRequest } from './fetch-session.ts';
import { isolationId } from './list-offsets.ts';
import type { PartitionState } from './partition-state.ts';

/** The last version that names topics; later ones need their ids. */
const LAST_VERSION_WITH_NAMES = 12;
/** How long beyond the long poll an answer may take. */
const ANSWER_GRACE_MS = 30_000;

type FetchAnswer = ResponseOf<typeof fetch>;
type PartitionAnswer = FetchAnswer['responses'][number]['partitions'][number];

/** What the fetcher tells the consumer. */
export interface FetcherListener {
  arrived(state: PartitionState, chunk: FetchedChunk): void;
  /** The position is outside of the log. */
  outOfRange(state: PartitionState): void;
  failed(error: Error): void;
}

/** What the fetcher keeps for a broker. */
interface NodeState {
  readonly session: FetchSession;
  isFetching: boolean;
  /** Chunks that came from it and were not read yet. */
  unreadChunks: Set<FetchedChunk>;
  answersUnread: number;
}

/** Keeps one fetch under way to each broker that leads a wanted partition, as long as what came is read. */
export class ConsumerFetcher {
  readonly #client: Client;
  /** Of its own: a broker answers a connection's requests in order, so that a waiting fetch would hold up everything else. */
  readonly #connections: Connections;
  readonly #settings: ConsumerSettings;
  readonly #listener: FetcherListener;
  readonly #partitions: () => Iterable<PartitionState>;
  readonly #nodes = new Map<number, NodeState>();
  readonly #chunkNode = new WeakMap<FetchedChunk, number>();
  #timer: Timer | null = null;
  #refreshing = false;
  #isClosed = false;

  constructor(client: Client, settings: ConsumerSettings, partitions: () => Iterable<PartitionState>, listener: FetcherListener) {
    this.#client = client;
    this.#connections = new Connections(client.environment, client.settings);
    this.#settings = settings;
    this.#partitions = partitions;
    this.#listener = listener;
  }

  /** Sends what can be sent now. */
  pump(): void {
    if (this.#isClosed) return;
    const now = this.#client.environment.clock.monotonic();
    const byNode = new Map<number, PartitionState[]>();
    let waitMs = Infinity;
    for (const state of this.#partitions()) {
      if (state.fetchOffset === null || state.isPaused) continue;
      if (state.notBefore > now) {
        waitMs = Math.min(waitMs, state.notBefore - now);
        continue;
      }
      const node = this.#nodeFor(state, now);
      if (node < 0 || this.#client.metadata.broker(node) === null) {
        this.#refreshMetadata();
        continue;
      }
      const ofNode = byNode.get(node);
      if (ofNode === undefined) byNode.set(node, [state]);
      else ofNode.push(state);
    }
    for (const [node, states] of byNode) this.#fetchFrom(node, states);
    if (waitMs < Infinity) this.#pumpIn(waitMs);
    if (this.#client.metadata.isStale) this.#refreshMetadata();
  }

  /** The chunk was read or dropped: there is room for more. */
  consumed(chunk: FetchedChunk): void {
    const node = this.#nodes.get(this.#chunkNode.get(chunk) ?? -1);
    if (node === undefined || !node.unreadChunks.delete(chunk)) return;
    if (node.unreadChunks.size === 0) node.answersUnread = 0;
    this.pump();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    await Promise.all(
      [...this.#nodes].map(async ([node, { session }]) => {
        const final = session.final();
        const broker = this.#client.metadata.broker(node);
        const connection = broker === null ? null : this.#connections.current(broker);
        // A broker forgets sessions by itself; telling it is a courtesy that must not hold anybody up.
        if (final === null || connection === null || connection.pendingCount > 0) return;
        await connection.request(fetch, { ...this.#frame(), ...final, maxWaitMs: 0 }).catch(() => undefined);
      }),
    );
    this.#connections.close();
  }

  #frame(): { maxWaitMs: number; minBytes: number; maxBytes: number; isolationLevel: number; rackId: string } {
    const { fetchMaxWaitMs, fetchMinBytes, fetchMaxBytes, isolationLevel, clientRack } = this.#settings;
    return {
      maxWaitMs: fetchMaxWaitMs,
      minBytes: fetchMinBytes,
      maxBytes: fetchMaxBytes,
      isolationLevel: isolationId(isolationLevel),
      rackId: clientRack,
    };
  }

  #nodeFor(state: PartitionState, now: Millis): number {
    if (state.preferredReplica !== null && state.preferredReplica.until > now) return state.preferredReplica.node;
    return this.#client.metadata.partition(state.topic, state.partition)?.leader ?? -1;
  }

  #nodeState(node: number): NodeState {
    let state = this.#nodes.get(node);
    if (state === undefined) {
      state = { session: new FetchSession(), isFetching: false, unreadChunks: new Set(), answersUnread: 0 };
      this.#nodes.set(node, state);
    }
    return state;
  }

  #fetchFrom(node: number, states: readonly PartitionState[]): void {
    const nodeState = this.#nodeState(node);
    if (nodeState.isFetching || nodeState.answersUnread >= this.#settings.prefetchAnswers) return;
    nodeState.isFetching = true;
    this.#fetch(node, nodeState, states)
      .catch((error: unknown) => {
        nodeState.session.reset();
        for (const state of states) this.#backOff(state);
        this.#client.environment.logger.debug('a fetch failed', { node, error });
        this.#refreshMetadata();
      })
      .finally(() => {
        nodeState.isFetching = false;
        this.pump();
      });
  }

  async #fetch(node: number, nodeState: NodeState, states: readonly PartitionState[]): Promise<void> {
    const broker = this.#client.metadata.broker(node);
    if (broker === null) throw new ClientError('unreachable', `The cluster has no broker ${node} at the moment`);
    const connection = await this.#connections.get(broker);
    const asked = new Map<PartitionState, PartitionRequest>();
    for (const state of states) {
      const request = this.#requestFor(state);
      if (request !== null) asked.set(state, request);
    }
    const answer = await this.#exchange(connection, nodeState.session, [...asked.values()]);
    if (this.#isClosed) return;
    const error = errorNameOf(answer.errorCode);
    if (error === 'NONE') nodeState.session.succeeded(answer.sessionId);
    else {
      // Only with FETCH_SESSION_ID_NOT_FOUND there is nothing left to close.
      nodeState.session.reset(error !== 'FETCH_SESSION_ID_NOT_FOUND');
      if (!SESSION_ERRORS.has(error)) throw new KafkaError(error);
      return;
    }
    this.#distribute(answer, node, nodeState, asked);
  }

  #requestFor(state: PartitionState): PartitionRequest | null {
    const facts = this.#client.metadata.partition(state.topic, state.partition);
    if (state.fetchOffset === null || facts === null) return null;
    return {
      topic: state.topic,
      topicId: this.#client.metadata.topic(state.topic)?.id ?? ZERO_UUID,
      partition: state.partition,
      fetchOffset: state.fetchOffset,
      currentLeaderEpoch: facts.leaderEpoch,
      maxBytes: this.#settings.maxPartitionFetchBytes,
    };
  }

  async #exchange(connection: Connection, session: FetchSession, wishes: readonly PartitionRequest[]): Promise<FetchAnswer> {
    const maxVersion = wishes.some((wish) => wish.topicId === ZERO_UUID) ? LAST_VERSION_WITH_NAMES : fetch.maxVersion;
    const input = { ...this.#frame(), ...session.next(wishes) };
    return await connection.request(fetch, input, { maxVersion, timeoutMs: this.#settings.fetchMaxWaitMs + ANSWER_GRACE_MS });
  }

  #distribute(
    answer: FetchAnswer,
    node: number,
    nodeState: NodeState,
    asked: ReadonlyMap<PartitionState, PartitionRequest>,
  ): void {
    const stateOf = new Map([...asked.keys()].map((state) => [`${state.topic}/${state.partition}`, state]));
    const nodes = answer.nodeEndpoints.map(({ nodeId, host, port, rack }) => ({ id: nodeId, host, port, rack }));
    const unreadBefore = nodeState.unreadChunks.size;
    for (const topic of answer.responses) {
      const name = topic.topic === '' ? this.#client.metadata.nameOf(topic.topicId) : topic.topic;
      for (const partition of topic.partitions) {
        const state = stateOf.get(`${name}/${partition.partitionIndex}`);
        const request = state === undefined ? undefined : asked.get(state);
        // The consumer has gone elsewhere in the meantime.
        if (state === undefined || request === undefined || state.fetchOffset !== request.fetchOffset) continue;
        this.#partitionAnswered(state, partition, nodes);
        this.#takeRecords(state, partition, node);
      }
    }
    if (nodeState.unreadChunks.size > unreadBefore) nodeState.answersUnread++;
  }

  #takeRecords(state: PartitionState, partition: PartitionAnswer, node: number): void {
    const { records } = partition;
    if (partition.errorCode !== 0 || records === null || records.length === 0 || state.fetchOffset === null) return;
    const chunk = new FetchedChunk({
      topic: state.topic,
      partition: state.partition,
      fetchOffset: state.fetchOffset,
      bytes: records,
      abortedTransactions: this.#settings.isolationLevel === 'read_committed' ? (partition.abortedTransactions ?? []) : null,
      highWatermark: partition.highWatermark,
      logStartOffset: partition.logStartOffset,
      checkCrcs: this.#settings.checkCrcs,
    });
    if (chunk.nextOffset === state.fetchOffset) return;
    state.fetchOffset = chunk.nextOffset;
    this.#chunkNode.set(chunk, node);
    this.#nodeState(node).unreadChunks.add(chunk);
    this.#listener.arrived(state, chunk);
  }

  #partitionAnswered(
    state: PartitionState,
    answer: PartitionAnswer,
    nodes: readonly { id: number; host: string; port: number; rack: string | null }[],
  ): void {
    const error = errorNameOf(answer.errorCode);
    if (error === 'NONE') {
      state.highWatermark = answer.highWatermark;
      state.lastStableOffset = answer.lastStableOffset;
      state.logStartOffset = answer.logStartOffset;
      if (answer.preferredReadReplica >= 0) {
        const until = this.#client.environment.clock.monotonic() + this.#client.settings.metadataMaxAgeMs;
        state.preferredReplica = { node: answer.preferredReadReplica, until };
      }
      return;
    }
    const wasPreferred = state.preferredReplica !== null;
    state.preferredReplica = null;
    if (error === 'OFFSET_OUT_OF_RANGE') {
      // A follower may lag behind; only the leader knows.
      if (!wasPreferred) this.#listener.outOfRange(state);
      return;
    }
    if (new KafkaError(error).retriable || MOVED.has(error)) {
      const learned = this.#client.metadata.leaderChanged(state.topic, state.partition, answer.currentLeader, nodes);
      if (learned) return;
      this.#backOff(state);
      this.#refreshMetadata();
      return;
    }
    this.#backOff(state);
    this.#listener.failed(new KafkaError(error, `${state.topic}-${state.partition}: ${new KafkaError(error).message}`));
  }

  #backOff(state: PartitionState): void {
    state.notBefore = this.#client.environment.clock.monotonic() + this.#client.settings.retryBackoffMs;
  }

  #pumpIn(delay: Millis): void {
    if (this.#timer !== null) return;
    this.#timer = this.#client.environment.clock.schedule(Math.max(1, delay), () => {
      this.#timer = null;
      this.pump();
    });
  }

  #refreshMetadata(): void {
    if (this.#refreshing) return;
    this.#refreshing = true;
    void this.#client.refreshQuietly().finally(() => {
      this.#client.environment.clock.schedule(this.#client.settings.retryBackoffMs, () => {
        this.#refreshing = false;
        this.pump();
      });
    });
  }
}

/** The session is gone or out of step: the next request opens another. */
const SESSION_ERRORS: ReadonlySet<string> = new Set([
  'FETCH_SESSION_ID_NOT_FOUND',
  'INVALID_FETCH_SESSION_EPOCH',
  'FETCH_SESSION_TOPIC_ID_ERROR',
]);

/** Errors that are not retriable by the table but that newer metadata mends. */
const MOVED: ReadonlySet<string> = new Set([
  'FENCED_LEADER_EPOCH',
  'UNKNOWN_LEADER_EPOCH',
  'UNKNOWN_TOPIC_ID',
  'INCONSISTENT_TOPIC_ID',
]);
