import type { Environment } from '../base/environment.ts';
import type { Timer } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { TimerQueue } from '../base/timer-queue.ts';
import { FewAtOnce } from '../base/few-at-once.ts';
import { mapInTurns, whenThere } from '../base/turns.ts';
import type { MetadataDelta } from '../metadata/metadata-delta.ts';
import type { MetadataImage } from '../metadata/metadata-image.ts';
import { codeOf, errorNameOf, KafkaError } from '../protocol/errors.ts';
import { LargeBatch, lookAhead } from '../storage/append-ahead.ts';
import { type LargeSearch, searchAhead, type TimestampedOffset } from '../storage/large-search.ts';
import type { LogConfig } from '../storage/log-configs.ts';
import type { LogManager } from '../storage/log-manager.ts';
import { StorageError } from '../storage/storage-error.ts';
import {
  type AppendEntry,
  type AppendOptions,
  type AppendOutcome,
  appendToPartition,
  areValidAcks,
  failedAppend,
  INVALID_ACKS,
} from './append.ts';
import { CompletionQueue } from './completion-queue.ts';
import { DelayedDeleteRecords, type DeleteRecordsOutcome } from './delayed-delete-records.ts';
import { DelayedFetch, type Fetcher } from './delayed-fetch.ts';
import { DelayedProduce, type Durability, isDurable } from './delayed-produce.ts';
import type { IsrChanger } from './isr.ts';
import type { Partition, PartitionContext } from './partition.ts';
import { Purgatory } from './purgatory.ts';
import { readAll, type ReadParams, type ReadRequest, type ReadResult, releaseRecords } from './read.ts';
import { ReplicaChanges } from './replica-changes.ts';
import { ReplicaRegistry } from './replica-registry.ts';
import { registerReplicaGauges } from './replica-gauges.ts';
import { TopicMetrics } from './topic-metrics.ts';

/** Large batches that are decompressed at the same time; the others of the node wait. Each takes a few hundred KiB, and a thread of the pool. */
const LOOKED_AT_AHEAD_MAX = 2;

export interface ReplicaManagerOptions {
  readonly brokerId: number;
  readonly logManager: LogManager;
  readonly metadata: () => MetadataImage;
  /** How the logs of a topic behave, as things stand. */
  readonly logConfig: (topic: string) => LogConfig;
  /** One queue for all deadlines of the node; made here if absent. */
  readonly timers?: TimerQueue;
  readonly isrChanger: IsrChanger;
  readonly replicaLagTimeMaxMs: () => number;
  /** A replica was put into a directory that the controller does not know of yet (KIP-858). */
  readonly directoryChosen?: (replica: {
    readonly topicId: string;
    readonly partition: number;
    readonly directoryId: string;
  }) => void;
  /** A log directory failed, told once: the controller has to know. */
  readonly directoryFailed?: (directory: string) => void;
}

/** All replicas of this broker: what is appended to them, read from them, and what waits for them. */
export class ReplicaManager {
  readonly topicMetrics: TopicMetrics;
  readonly #environment: Environment;
  readonly #options: ReplicaManagerOptions;
  readonly #log: Logger;
  readonly #timers: TimerQueue;
  readonly #registry: ReplicaRegistry;
  readonly #changes: ReplicaChanges;
  readonly #produces: Purgatory<Partition, DelayedProduce>;
  readonly #fetches: Purgatory<Partition, DelayedFetch>;
  readonly #deletes: Purgatory<Partition, DelayedDeleteRecords>;
  readonly #completions: CompletionQueue<Partition>;
  readonly #lookingAhead = new FewAtOnce(LOOKED_AT_AHEAD_MAX);
  readonly #watchers = new Map<Partition, Set<() => void>>();
  #isrTimer: Timer | null = null;
  #hasMetadata = false;
  #isShutDown = false;
  readonly #failedDirectories = new Set<string>();

  constructor(environment: Environment, options: ReplicaManagerOptions) {
    this.#environment = environment;
    this.#options = options;
    this.#log = environment.logger.named('replica manager');
    this.#timers = options.timers ?? new TimerQueue(environment.clock);
    this.#registry = new ReplicaRegistry(options.metadata);
    this.topicMetrics = new TopicMetrics(environment.metrics);
    const { metrics } = environment;
    const timers = this.#timers;
    this.#produces = new Purgatory({ name: 'Produce', timers, metrics });
    this.#fetches = new Purgatory({ name: 'Fetch', timers, metrics });
    this.#deletes = new Purgatory({ name: 'DeleteRecords', timers, metrics });
    this.#completions = new CompletionQueue((partition) => this.#completeWaiting(partition));
    this.#changes = new ReplicaChanges({
      environment,
      brokerId: options.brokerId,
      logManager: options.logManager,
      registry: this.#registry,
      partitionContext: this.#partitionContext(),
      logConfig: options.logConfig,
      changed: (partition) => this.#completions.add(partition),
      topicGone: (topic) => this.topicMetrics.forget(topic),
      directoryChosen: (replica) => options.directoryChosen?.(replica),
      storageFailed: (error) => this.directoryFailed(error.logDirectory),
    });
    registerReplicaGauges(metrics, this.#registry);
  }

  /** Begins to watch for followers that fall behind. */
  start(): void {
    this.#isrTimer = this.#timers.schedule(this.#options.replicaLagTimeMaxMs() / 2, () => {
      for (const partition of this.#registry) partition.maybeShrinkIsr();
      this.start();
    });
  }

  /** Answers what waits and stops the timers. The logs are the log manager's to close. */
  shutdown(): void {
    this.#isShutDown = true;
    this.#isrTimer?.cancel();
    this.#produces.completeAll();
    this.#fetches.completeAll();
    this.#deletes.completeAll();
  }

  get replicas(): Iterable<Partition> {
    return this.#registry;
  }

  /** Throws what a client is told that asks the wrong broker, or for what does not exist. */
  byName(topic: string, index: number): Partition {
    return this.#registry.byName(topic, index);
  }

  byId(topicId: string, index: number): Partition {
    return this.#registry.byId(topicId, index);
  }

  replica(topicId: string, index: number): Partition | undefined {
    return this.#registry.get(topicId, index);
  }

  replicaOf(topic: string, index: number): Partition | undefined {
    return this.#registry.getByName(topic, index);
  }

  /** Whether this broker has done what the cluster decided about the partition: if it is the leader's, it leads here. */
  isSettled(topicId: string, index: number): boolean {
    const registration = this.#options.metadata().topics.byId.get(topicId)?.partitions[index];
    if (registration === undefined) return false;
    return registration.leader !== this.#options.brokerId || this.#registry.get(topicId, index)?.isLeader === true;
  }

  /**
   * Leads, follows, makes and deletes what the controller decided, in turns with requests where it is much. Logs are on disk when it is done, and not before is this called
   * again.
   */
  applyDelta(delta: MetadataDelta): void | Promise<void> {
    if (!this.#hasMetadata) this.#changes.putAsideStrays(this.#options.metadata());
    this.#hasMetadata = true;
    const done = mapInTurns<() => void, void>(this.#environment.clock, this.#changes.stepsOf(delta), (step) => {
      if (!this.#isShutDown) this.#completions.during(step);
    });
    return done instanceof Promise ? done.then(() => undefined) : undefined;
  }

  /** Appends to partitions that this broker leads. The answer waits as `acks` says; what is told of each partition is in order of the entries. */
  append(
    entries: readonly AppendEntry[],
    options: AppendOptions & { readonly timeoutMs: number },
  ): AppendOutcome[] | Promise<AppendOutcome[]> {
    if (!areValidAcks(options.acks)) return entries.map(({ partition }) => failedAppend(partition.index, INVALID_ACKS));
    // A batch may be decompressed, and compressed anew: large or many ones must not keep everybody else waiting.
    const outcomes = mapInTurns<AppendEntry, AppendOutcome>(this.#environment.clock, entries, (entry) =>
      this.#completions.during(() => this.#appendInTurns(entry, options)),
    );
    return whenThere(outcomes, (all) => (options.acks === 0 ? all : this.#waitForDurability(entries, all, options)));
  }

  /**
   * Appends a batch of a coordinator to a partition that this broker leads, and gives the offset behind it. Whoever wants to know when it is committed
   * watches the partition. Throws a KafkaError when nothing was written.
   */
  appendNow(partition: Partition, records: Buffer, transactional?: AppendEntry['transactional']): number {
    const { errorCode, errorMessage, requiredOffset } = this.#completions.during(() =>
      this.#appendOne({ partition, records, transactional }, { acks: -1, origin: 'coordinator' }),
    );
    if (errorCode !== 0) throw new KafkaError(errorNameOf(errorCode), errorMessage ?? undefined);
    return requiredOffset;
  }

  /** Calls back whenever the partition's high watermark, or its leader, may be another one. Gives the way to withdraw that. */
  watch(partition: Partition, watcher: () => void): () => void {
    const watchers = this.#watchers.get(partition) ?? new Set();
    this.#watchers.set(partition, watchers.add(watcher));
    return () => {
      if (watchers.delete(watcher) && watchers.size === 0) this.#watchers.delete(partition);
    };
  }

  /** Reads now, and again later if there is too little and the fetcher is willing to wait. */
  fetch<Request extends ReadRequest>(
    requests: readonly Request[],
    params: ReadParams & { readonly usesTopicIds: boolean },
    fetcher: Fetcher = {},
  ): ReadResult<Request>[] | Promise<ReadResult<Request>[]> {
    const find = params.usesTopicIds
      ? (request: Request) => this.#registry.byId(request.topicId, request.partition, request.topic)
      : (request: Request) => this.#registry.byName(request.topic, request.partition);
    const read = (countsAsFetch: boolean) =>
      this.#completions.during(() =>
        readAll(find, requests, params, { countsAsFetch, storageFailed: (_partition, error) => this.#storageFailed(error) }),
      );
    const results = read(true);
    if (isAnswer(results, params)) return results;
    for (const result of results) releaseRecords(result);
    const starts = results.map(({ request, startMetadata }) => ({ partition: find(request), request, start: startMetadata }));
    return new Promise((resolve, reject) => {
      const withdrawals: ((() => void) | undefined)[] = [];
      const operation = new DelayedFetch({
        params,
        starts,
        readAgain: () => {
          for (const withdraw of withdrawals) withdraw?.();
          // A failure is this fetcher's, not that of whoever completed the wait.
          try {
            resolve(read(false));
          } catch (error) {
            reject(error);
          }
        },
        abandoned: () => reject(new KafkaError('NETWORK_EXCEPTION', 'The fetcher is gone')),
      });
      const partitions = starts.map(({ partition }) => partition);
      if (this.#fetches.tryCompleteElseWatch(operation, partitions)) return;
      withdrawals.push(fetcher.onDisconnected?.(() => operation.abandon()));
      withdrawals.push(fetcher.onEnded?.(() => void operation.forceComplete()));
    });
  }

  /** Makes a search that is too large for one turn. Throws a KafkaError for records that cannot be read. */
  searchAhead(search: LargeSearch): Promise<TimestampedOffset | null> {
    return this.#lookingAhead.run(() => searchAhead(search, this.#environment));
  }

  /** Moves log starts up to the given offsets (−1: the high watermark), and waits until all live replicas have followed. */
  deleteRecords(
    requests: readonly { readonly partition: Partition; readonly offset: number }[],
    timeoutMs: number,
  ): DeleteRecordsOutcome[] | Promise<DeleteRecordsOutcome[]> {
    const outcomes: DeleteRecordsOutcome[] = [];
    const pending: { partition: Partition; offset: number; outcome: DeleteRecordsOutcome }[] = [];
    this.#completions.during(() => {
      for (const { partition, offset } of requests) {
        const outcome: DeleteRecordsOutcome = { partitionIndex: partition.index, lowWatermark: -1, errorCode: 0 };
        outcomes.push(outcome);
        const deletedUpTo = this.#deleteOne(partition, offset, outcome);
        if (deletedUpTo !== null && outcome.lowWatermark < deletedUpTo) pending.push({ partition, offset: deletedUpTo, outcome });
      }
    });
    if (pending.length === 0) return outcomes;
    return new Promise((resolve) => {
      const operation = new DelayedDeleteRecords({ delayMs: timeoutMs, pending, respond: () => resolve(outcomes) });
      const partitions = pending.map(({ partition }) => partition);
      this.#deletes.tryCompleteElseWatch(operation, partitions);
    });
  }

  /** A log directory is gone: its partitions answer KAFKA_STORAGE_ERROR, and what waits for them is told. */
  directoryFailed(directory: string): void {
    if (this.#failedDirectories.has(directory)) return;
    this.#failedDirectories.add(directory);
    this.#completions.during(() => {
      for (const partition of this.#registry) {
        if (partition.log?.logDirectory !== directory) continue;
        partition.goOffline();
        this.#completions.add(partition);
      }
    });
    this.#options.directoryFailed?.(directory);
  }

  #partitionContext(): PartitionContext {
    return {
      environment: { clock: this.#environment.clock, logger: this.#environment.logger.named('partition') },
      brokerId: this.#options.brokerId,
      replicaLagTimeMaxMs: this.#options.replicaLagTimeMaxMs,
      eligibleBrokerEpoch: (brokerId) => {
        const broker = this.#options.metadata().cluster.brokers.get(brokerId);
        return broker === undefined || broker.fenced || broker.inControlledShutdown ? null : broker.epoch;
      },
      isrChanger: this.#options.isrChanger,
      advanced: (partition) => this.#completions.add(partition),
      storageFailed: (_partition, error) => this.#storageFailed(error),
    };
  }

  /** A large batch's records are looked at first, while others are served; then the partition is asked again, as it is by then. */
  #appendInTurns(entry: AppendEntry, options: AppendOptions): AppendOutcome | Promise<AppendOutcome> {
    try {
      return this.#appendOne(entry, { ...options, ahead: 'possible' });
    } catch (error) {
      if (!(error instanceof LargeBatch)) throw error;
      const { batch, rules } = error;
      const findings = this.#lookingAhead.run(() => lookAhead(batch, rules, this.#environment));
      return findings.then((ahead) => this.#completions.during(() => this.#appendOne(entry, { ...options, ahead })));
    }
  }

  #appendOne(entry: AppendEntry, options: AppendOptions): AppendOutcome {
    const { partition, records } = entry;
    try {
      const outcome = appendToPartition(entry, options);
      if (outcome.errorCode === 0) this.#appended(partition, records, outcome);
      else this.topicMetrics.count('bytesRejected', partition.topic, records.length);
      if (this.#log.isTraceEnabled) {
        const { topic, index } = partition;
        const { errorCode, baseOffset } = outcome;
        this.#log.trace('Appended', { topic, partition: index, acks: options.acks, baseOffset, errorCode });
      }
      return outcome;
    } catch (error) {
      if (error instanceof LargeBatch) throw error;
      this.topicMetrics.count('failedProduceRequests', partition.topic);
      this.#storageFailed(error);
      return failedAppend(partition.index, codeOf('KAFKA_STORAGE_ERROR'));
    }
  }

  #appended(partition: Partition, records: Buffer, outcome: AppendOutcome): void {
    this.topicMetrics.count('bytesIn', partition.topic, records.length);
    this.topicMetrics.count('messagesIn', partition.topic, outcome.requiredOffset - outcome.baseOffset);
    // Followers may read what consumers may not yet.
    this.#completions.add(partition);
  }

  #waitForDurability(
    entries: readonly AppendEntry[],
    outcomes: AppendOutcome[],
    options: { readonly acks: number; readonly timeoutMs: number },
  ): AppendOutcome[] | Promise<AppendOutcome[]> {
    const durability: Durability = options.acks === -1 ? 'replicated' : 'flushed';
    const pending: { partition: Partition; outcome: AppendOutcome }[] = [];
    for (const [index, outcome] of outcomes.entries()) {
      const partition = entries[index]?.partition;
      if (partition === undefined || outcome.errorCode !== 0) continue;
      if (isWaiting(partition, outcome, durability)) pending.push({ partition, outcome });
    }
    if (pending.length === 0) return outcomes;
    return new Promise((resolve) => {
      const operation = new DelayedProduce({ delayMs: options.timeoutMs, durability, pending, respond: () => resolve(outcomes) });
      const partitions = pending.map(({ partition }) => partition);
      this.#produces.tryCompleteElseWatch(operation, partitions);
    });
  }

  #deleteOne(partition: Partition, offset: number, outcome: DeleteRecordsOutcome): number | null {
    try {
      const deletedUpTo = partition.deleteRecords(offset);
      outcome.lowWatermark = partition.lowWatermark;
      this.#completions.add(partition);
      return deletedUpTo;
    } catch (error) {
      if (error instanceof KafkaError) {
        outcome.errorCode = error.code;
        return null;
      }
      this.#storageFailed(error);
      outcome.errorCode = codeOf('KAFKA_STORAGE_ERROR');
      return null;
    }
  }

  #completeWaiting(partition: Partition): void {
    this.#produces.checkAndComplete(partition);
    this.#fetches.checkAndComplete(partition);
    this.#deletes.checkAndComplete(partition);
    for (const watcher of this.#watchers.get(partition) ?? []) watcher();
  }

  /** The log and the log manager have dealt with a failure of the disk; anything else is a bug and goes up. */
  #storageFailed(error: unknown): void {
    if (!(error instanceof StorageError)) throw error;
    this.directoryFailed(error.logDirectory);
  }
}

const isWaiting = (partition: Partition, outcome: AppendOutcome, durability: Durability): boolean => {
  try {
    return !isDurable(partition, outcome.requiredOffset, durability);
  } catch (error) {
    if (!(error instanceof KafkaError)) throw error;
    outcome.errorCode = error.code;
    return false;
  }
};

/** Whether what was read is to be told at once. */
const isAnswer = (results: readonly ReadResult[], params: ReadParams): boolean => {
  if (params.maxWaitMs <= 0 || results.length === 0) return true;
  let bytes = 0;
  for (const result of results) {
    if (result.errorCode !== 0 || result.isDiverging || result.preferredReadReplica !== -1) return true;
    bytes += result.recordsBytes;
  }
  return bytes >= params.minBytes;
};
