import type { Millis } from '../../base/clock.ts';
import type { Environment } from '../../base/environment.ts';
import type { Logger } from '../../base/logger.ts';
import type { TimerQueue } from '../../base/timer-queue.ts';
import type { MetadataDelta } from '../../metadata/metadata-delta.ts';
import type { MetadataImage } from '../../metadata/metadata-image.ts';
import { KafkaError } from '../../protocol/errors.ts';
import { ActiveShard, type EndOfTransaction } from './active-shard.ts';
import type { RecordSerde } from './coordinator-record.ts';
import type { CoordinatorResult, CoordinatorShard, ShardContext } from './coordinator-shard.ts';
import type { CoordinatorLoader, PartitionWriter } from './partition-writer.ts';
import type { TransactionalProducer } from './pending-batch.ts';

/** How long a log is read before others have their turn. */
const TURN_MS: Millis = 10;
const NO_LEADER_EPOCH = -1;

export interface CoordinatorRuntimeOptions<Shard extends CoordinatorShard<Rec>, Rec> {
  /** For the log: `group coordinator`. */
  readonly name: string;
  readonly timers: TimerQueue;
  readonly serde: RecordSerde<Rec>;
  readonly writer: PartitionWriter;
  readonly loader: CoordinatorLoader;
  readonly lingerMs: () => Millis;
  readonly writeTimeoutMs: () => Millis;
  readonly metadata: () => MetadataImage;
  readonly makeShard: (context: ShardContext<Rec>) => Shard;
}

type Served<Shard extends CoordinatorShard<Rec>, Rec> = {
  readonly leaderEpoch: number;
  readonly active: ActiveShard<Shard, Rec>;
  state: 'loading' | 'active' | 'failed';
};

/**
 * The partitions of one coordinator's topic that this broker leads. Each is a shard: loaded from its log when the broker begins to lead, served while it
 * does, and dropped afterwards. Kafka: CoordinatorRuntime.
 */
export class CoordinatorRuntime<Shard extends CoordinatorShard<Rec>, Rec> {
  readonly #environment: Environment;
  readonly #options: CoordinatorRuntimeOptions<Shard, Rec>;
  readonly #log: Logger;
  readonly #served = new Map<number, Served<Shard, Rec>>();
  #isClosed = false;

  constructor(environment: Environment, options: CoordinatorRuntimeOptions<Shard, Rec>) {
    this.#environment = environment;
    this.#options = options;
    this.#log = environment.logger.named(options.name);
  }

  /** Partitions that are served. */
  get activePartitions(): number[] {
    return [...this.#served].flatMap(([partition, { state }]) => (state === 'active' ? [partition] : []));
  }

  /** This broker leads the partition since `leaderEpoch`. Resolves when the shard serves, or is known not to. */
  async becomeLeader(partition: number, leaderEpoch: number): Promise<void> {
    const before = this.#served.get(partition);
    if (this.#isClosed || (before !== undefined && before.leaderEpoch >= leaderEpoch && before.state !== 'failed')) return;
    // One that serves already has everything that the log has.
    if (before?.state === 'active') {
      this.#served.set(partition, { ...before, leaderEpoch });
      return;
    }
    before?.active.close();
    const served: Served<Shard, Rec> = { leaderEpoch, active: this.#newShard(partition), state: 'loading' };
    this.#served.set(partition, served);
    await this.#load(partition, served);
  }

  /** Another broker leads the partition, or nobody. */
  resign(partition: number): void {
    const served = this.#served.get(partition);
    if (served === undefined) return;
    this.#served.delete(partition);
    served.active.close();
    this.#log.debug('A partition is no longer served', { partition });
  }

  /** Does an operation on the shard of a partition; resolves with its response when its records are committed. Rejects with a KafkaError. */
  write<Response>(partition: number, operation: (shard: Shard) => CoordinatorResult<Rec, Response>): Promise<Response> {
    try {
      return this.#activeShard(partition).write(operation);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** The same on every shard that is served; what one of them rejects with does not keep the others from it. */
  writeAll<Response>(operation: (shard: Shard) => CoordinatorResult<Rec, Response>): Promise<PromiseSettledResult<Response>[]> {
    return Promise.allSettled(this.activePartitions.map((partition) => this.write(partition, operation)));
  }

  /** The same for records that belong to a transaction. */
  writeTransactional<Response>(
    partition: number,
    producer: TransactionalProducer,
    operation: (shard: Shard) => CoordinatorResult<Rec, Response>,
  ): Promise<Response> {
    try {
      return this.#activeShard(partition).writeTransactional(producer, operation);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Ends a transaction that wrote to the partition. */
  endTransaction(partition: number, end: EndOfTransaction): Promise<void> {
    try {
      return this.#activeShard(partition).endTransaction(end);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Looks at what is committed. Throws a KafkaError when the partition is not served. */
  read<Response>(partition: number, look: (shard: Shard, committedOffset: number) => Response): Response {
    const active = this.#activeShard(partition);
    return look(active.shard, active.lastCommittedOffset);
  }

  /** The same for every shard that is served. Throws COORDINATOR_LOAD_IN_PROGRESS if one is not there yet. */
  readAll<Response>(look: (shard: Shard, committedOffset: number) => Response): Response[] {
    return [...this.#served].flatMap(([partition, { state }]) => (state === 'failed' ? [] : [this.read(partition, look)]));
  }

  metadataChanged(delta: MetadataDelta, image: MetadataImage): void {
    for (const { active, state } of this.#served.values()) if (state === 'active') active.shard.metadataChanged?.(delta, image);
  }

  /** Writes what has been gathered, and serves nothing any more. */
  close(): void {
    this.#isClosed = true;
    for (const [partition, { active, state }] of this.#served) {
      if (state === 'active') active.flush();
      this.#served.delete(partition);
      active.close();
    }
  }

  #activeShard(partition: number): ActiveShard<Shard, Rec> {
    const served = this.#served.get(partition);
    switch (served?.state) {
      case 'active':
        return served.active;
      case 'loading':
        throw new KafkaError('COORDINATOR_LOAD_IN_PROGRESS');
      default:
        throw new KafkaError('NOT_COORDINATOR');
    }
  }

  #newShard(partition: number): ActiveShard<Shard, Rec> {
    const { timers, serde, writer, lingerMs, writeTimeoutMs, metadata, makeShard } = this.#options;
    const environment = this.#environment;
    return new ActiveShard<Shard, Rec>({
      environment,
      timers,
      partition,
      serde,
      writer,
      lingerMs,
      writeTimeoutMs,
      makeShard: (active) =>
        makeShard({
          environment,
          partition,
          leaderEpoch: () => this.#served.get(partition)?.leaderEpoch ?? NO_LEADER_EPOCH,
          timeline: active.timeline,
          timer: active.timer,
          metadata,
          enqueue: (name, operation) => environment.clock.defer(() => void this.#enqueued(active, name, operation)),
        }),
    });
  }

  async #enqueued(active: ActiveShard<Shard, Rec>, name: string, operation: () => CoordinatorResult<Rec>): Promise<void> {
    try {
      await active.write(operation);
    } catch (error) {
      this.#log.info('Something to do was not done', { what: name, partition: active.partition, error });
    }
  }

  async #load(partition: number, served: Served<Shard, Rec>): Promise<void> {
    const { clock } = this.#environment;
    const start = clock.monotonic();
    const { active } = served;
    try {
      let turnEnds = start + TURN_MS;
      for await (const batch of this.#options.loader.batches(partition)) {
        if (this.#served.get(partition) !== served) return;
        active.replayBatch(batch);
        if (clock.monotonic() < turnEnds) continue;
        await new Promise<void>((resolve) => clock.defer(resolve));
        turnEnds = clock.monotonic() + TURN_MS;
      }
      if (this.#served.get(partition) !== served) return;
      active.activate();
      served.state = 'active';
      active.shard.loaded(this.#options.metadata());
      this.#log.debug('A partition is served', {
        partition,
        leaderEpoch: served.leaderEpoch,
        ms: Math.round(clock.monotonic() - start),
      });
    } catch (error) {
      if (this.#served.get(partition) !== served) return;
      served.state = 'failed';
      active.close();
      this.#log.error('A partition could not be loaded', { partition, error });
    }
  }
}
