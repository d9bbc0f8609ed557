import type { Millis } from '../base/clock.ts';
import { KafkaError } from '../protocol/errors.ts';
import type { Client } from './client.ts';
import { ClientError } from './client-error.ts';
import { ConsumerFetcher } from './consumer-fetcher.ts';
import { type ConsumerOptions, type ConsumerSettings, consumerSettings } from './consumer-options.ts';
import type { ConsumerRecord, FetchedChunk } from './fetched-chunk.ts';
import { listOffsets, offsetSpecs } from './list-offsets.ts';
import { PartitionState } from './partition-state.ts';
import { keyOf, type TopicPartition } from './topic-partition.ts';

/** Where to start reading a partition: an offset, an end of the log, or the first record of a time. */
export type StartPosition = number | 'earliest' | 'latest' | { readonly timestamp: Millis };

export interface Assignment {
  readonly topic: string;
  readonly partition: number;
  /** The reset policy decides if absent. */
  readonly start?: StartPosition;
}

/** Reads partitions that it is told to read. What comes is handed out in chunks, one partition at a time, in order. */
export class Consumer {
  readonly #client: Client;
  readonly #settings: ConsumerSettings;
  readonly #fetcher: ConsumerFetcher;
  readonly #states = new Map<string, PartitionState>();
  #ready: { readonly state: PartitionState; readonly chunk: FetchedChunk }[] = [];
  #failure: Error | null = null;
  #wake: (() => void) | null = null;
  #isClosed = false;

  constructor(client: Client, options: ConsumerOptions = {}) {
    this.#client = client;
    this.#settings = consumerSettings(options);
    this.#fetcher = new ConsumerFetcher(client, this.#settings, () => this.#states.values(), {
      arrived: (state, chunk) => {
        this.#ready.push({ state, chunk });
        this.#wakeUp();
      },
      outOfRange: (state) => this.#outOfRange(state),
      failed: (error) => this.#fail(error),
    });
  }

  /** Reads these partitions and no others. Resolves when all positions are known. */
  async assign(assignments: readonly Assignment[]): Promise<void> {
    await this.#ensureExist(assignments);
    this.remove(this.assignment);
    await this.#start(assignments);
  }

  /** Reads these partitions as well. Resolves when all positions are known. */
  async add(assignments: readonly Assignment[]): Promise<void> {
    await this.#ensureExist(assignments);
    await this.#start(assignments);
  }

  /** Reads these partitions no more; what was fetched of them but not handed out is dropped. */
  remove(places: readonly TopicPartition[]): void {
    for (const place of places) {
      const state = this.#states.get(keyOf(place));
      if (state === undefined) continue;
      this.#states.delete(keyOf(place));
      // An answer that is still on its way finds that nobody waits for it.
      state.moveTo(null);
      this.#drop(state);
    }
  }

  get assignment(): readonly TopicPartition[] {
    return [...this.#states.values()].map(({ topic, partition }) => ({ topic, partition }));
  }

  has(place: TopicPartition): boolean {
    return this.#states.has(keyOf(place));
  }

  /** Goes on at an offset; what was fetched but not handed out is dropped. */
  seek({ topic, partition }: TopicPartition, offset: number): void {
    const state = this.#stateOf({ topic, partition });
    this.#drop(state);
    state.moveTo(offset);
    this.#fetcher.pump();
  }

  /** The next offset to be handed out; null while it is not known. */
  position(place: TopicPartition): number | null {
    return this.#stateOf(place).position;
  }

  /** The leader epoch of the record before the position, as commits have it; −1 if it is not known. */
  positionEpoch(place: TopicPartition): number {
    return this.#stateOf(place).positionEpoch;
  }

  /** The end that the broker last told: high watermark, or last stable offset when reading committed records; −1 before any answer. */
  endOffset(place: TopicPartition): number {
    const state = this.#stateOf(place);
    return this.#settings.isolationLevel === 'read_committed' ? state.lastStableOffset : state.highWatermark;
  }

  pause(places: readonly TopicPartition[]): void {
    for (const place of places) this.#stateOf(place).isPaused = true;
  }

  resume(places: readonly TopicPartition[]): void {
    for (const place of places) this.#stateOf(place).isPaused = false;
    this.#fetcher.pump();
  }

  /** All chunks that are there, waiting up to `timeoutMs` for the first. Throws what stops the reading. */
  async poll(timeoutMs: Millis): Promise<FetchedChunk[]> {
    if (this.#ready.length === 0 && this.#failure === null && !this.#isClosed) await this.#waitForChunk(timeoutMs);
    if (this.#failure !== null) {
      const failure = this.#failure;
      this.#failure = null;
      throw failure;
    }
    if (this.#isClosed) throw new ClientError('closed', 'The consumer is closed');
    const taken = this.#ready.filter(({ state }) => !state.isPaused);
    this.#ready = this.#ready.filter(({ state }) => state.isPaused);
    for (const { state, chunk } of taken) {
      state.position = chunk.nextOffset;
      state.positionEpoch = chunk.leaderEpoch;
      this.#fetcher.consumed(chunk);
    }
    return taken.map(({ chunk }) => chunk);
  }

  /** Records for ever, or until the loop is left. */
  async *[Symbol.asyncIterator](): AsyncGenerator<ConsumerRecord, void> {
    while (!this.#isClosed) {
      for (const chunk of await this.poll(this.#settings.fetchMaxWaitMs)) yield* chunk.records();
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#wakeUp();
    await this.#fetcher.close();
  }

  /** Ends a poll that waits, without records: something else has to be looked at. */
  wakeUp(): void {
    this.#wakeUp();
  }

  async #ensureExist(places: readonly TopicPartition[]): Promise<void> {
    for (const topic of new Set(places.map((place) => place.topic))) await this.#client.loadTopic(topic);
    const isUnknown = ({ topic, partition }: TopicPartition): boolean =>
      this.#client.metadata.partition(topic, partition) === null;
    // The topic may have grown since it was asked about.
    if (places.some(isUnknown)) await this.#client.refreshQuietly();
    for (const { topic, partition } of places) {
      if (isUnknown({ topic, partition })) {
        throw new ClientError('invalid', `Topic "${topic}" has no partition ${partition}`);
      }
    }
  }

  async #start(assignments: readonly Assignment[]): Promise<void> {
    for (const place of assignments) this.#states.set(keyOf(place), new PartitionState(place.topic, place.partition));
    await this.#locate(assignments);
    this.#fetcher.pump();
  }

  #stateOf(place: TopicPartition): PartitionState {
    const state = this.#states.get(keyOf(place));
    if (state === undefined) throw new ClientError('invalid', `${place.topic}-${place.partition} is not assigned`);
    return state;
  }

  #waitForChunk(timeoutMs: Millis): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#client.environment.clock.schedule(timeoutMs, () => this.#wakeUp());
      this.#wake = () => {
        timer.cancel();
        resolve();
      };
    });
  }

  #wakeUp(): void {
    const wake = this.#wake;
    this.#wake = null;
    wake?.();
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#wakeUp();
  }

  #drop(state: PartitionState): void {
    const dropped = this.#ready.filter((entry) => entry.state === state);
    this.#ready = this.#ready.filter((entry) => entry.state !== state);
    for (const { chunk } of dropped) this.#fetcher.consumed(chunk);
  }

  #outOfRange(state: PartitionState): void {
    const offset = state.fetchOffset;
    if (this.#settings.autoOffsetReset === 'none') {
      const text = `Offset ${offset} of ${state.topic}-${state.partition} is outside of what the broker holds`;
      state.moveTo(null);
      this.#fail(new KafkaError('OFFSET_OUT_OF_RANGE', text));
      return;
    }
    state.moveTo(null);
    this.#locate([{ topic: state.topic, partition: state.partition }]).then(
      () => this.#fetcher.pump(),
      (error: unknown) => this.#fail(error instanceof Error ? error : new Error(String(error))),
    );
  }

  /** Turns starts into offsets. */
  async #locate(assignments: readonly Assignment[]): Promise<void> {
    const queries = assignments.flatMap((assignment) => {
      const start = assignment.start ?? this.#resetStart(assignment);
      if (typeof start === 'number') {
        this.#states.get(keyOf(assignment))?.moveTo(start);
        return [];
      }
      const timestamp = typeof start === 'string' ? offsetSpecs[start] : start.timestamp;
      return [{ topic: assignment.topic, partition: assignment.partition, timestamp }];
    });
    if (queries.length === 0) return;
    const asked = new Map(queries.map((query) => [keyOf(query), this.#states.get(keyOf(query))]));
    const all = await listOffsets(this.#client, queries, this.#settings.isolationLevel);
    // Partitions may have been taken away meanwhile, or moved by a seek.
    const answers = all.filter((answer) => {
      const state = this.#states.get(keyOf(answer));
      return state !== undefined && state === asked.get(keyOf(answer)) && state.fetchOffset === null;
    });
    const beyond = answers.filter((answer) => answer.error === 'NONE' && answer.offset < 0);
    for (const answer of answers) {
      if (answer.error !== 'NONE') {
        throw new KafkaError(answer.error, `${answer.topic}-${answer.partition}: ${new KafkaError(answer.error).message}`);
      }
      if (answer.offset >= 0) this.#states.get(keyOf(answer))?.moveTo(answer.offset);
    }
    // No record is that young: reading starts with what comes.
    if (beyond.length > 0)
      await this.#locate(beyond.map(({ topic, partition }) => ({ topic, partition, start: 'latest' as const })));
  }

  #resetStart({ topic, partition }: TopicPartition): StartPosition {
    if (this.#settings.autoOffsetReset !== 'none') return this.#settings.autoOffsetReset;
    throw new ClientError('invalid', `Nobody said where to start reading ${topic}-${partition}`);
  }
}
