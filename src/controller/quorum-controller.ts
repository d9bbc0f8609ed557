import { assert } from '../base/assert.ts';
import type { Millis, Timer } from '../base/clock.ts';
import type { Environment } from '../base/environment.ts';
import type { Logger } from '../base/logger.ts';
import { mapInTurns } from '../base/turns.ts';
import { MetadataDelta } from '../metadata/metadata-delta.ts';
import type { MetadataImage } from '../metadata/metadata-image.ts';
import type { MetadataLoader } from '../metadata/metadata-loader.ts';
import type { MetadataRecord } from '../metadata/metadata-record.ts';
import { metadataRecord } from '../metadata/metadata-record.ts';
import { KafkaError } from '../protocol/errors.ts';
import type { Api, RequestOf, ResponseInput } from '../protocol/schema.ts';
import type { RaftClient } from '../raft/raft-client.ts';
import type { CommittedBatch, LeaderAndEpoch, RaftListener } from '../raft/raft-record.ts';
import { activationRecords } from './activation.ts';
import { BrokerSessions } from './broker-sessions.ts';
import type { ControllerConfigs } from './controller-configs.ts';
import { registerControllerGauges } from './controller-gauges.ts';
import { type Operation, operationOf } from './controller-operations.ts';
import { type ControllerResult, MAX_RECORDS_PER_OPERATION } from './controller-result.ts';
import type { ControllerSettings, ControllerView } from './controller-view.ts';
import { DeferredAnswers } from './deferred-answers.ts';
import { bootstrapRecords } from './storage-formatter.ts';
import { expirationRecords, type HeartbeatResult } from './heartbeat-control.ts';
import { brokerHeartbeat } from '../protocol/messages/63-broker-heartbeat.ts';

export interface QuorumControllerOptions {
  readonly settings: ControllerSettings;
  readonly configs: ControllerConfigs;
  readonly raft: RaftClient<MetadataRecord>;
  /** Follows the same log and is told of everything before this controller: its image is what is committed. */
  readonly loader: MetadataLoader;
  /** A decision could not be replayed: the node must stop. */
  readonly fatal: (error: unknown) => void;
}

/**
 * Decides everything about the cluster while it leads the metadata quorum. A request (or a part of one that names very much) is decided at once, on the state after all
 * decisions before it; its records are appended and replayed, and its answer waits until they are committed. When the leadership is lost, what was not committed is
 * forgotten by going back to the image that is.
 */
export class QuorumController implements RaftListener<MetadataRecord> {
  readonly #environment: Environment;
  readonly #options: QuorumControllerOptions;
  readonly #logger: Logger;
  readonly #sessions: BrokerSessions;
  readonly #answers = new DeferredAnswers();
  readonly #registrationOffsets = new Map<number, number>();
  readonly #activeWaiters: ActiveWaiter[] = [];
  /** Everything that was decided; of a controller that does not lead, everything that is committed. */
  #image: MetadataImage;
  /** The epoch in which it is active; null while it is not. */
  #activeEpoch: number | null = null;
  #committedOffset = -1;
  #lastAppendAt: Millis = 0;
  #sessionTimer: Timer | null = null;
  #idleTimer: Timer | null = null;
  #isClosed = false;

  constructor(environment: Environment, options: QuorumControllerOptions) {
    this.#environment = environment;
    this.#options = options;
    this.#logger = environment.logger.named('controller');
    this.#sessions = new BrokerSessions(options.settings.sessionTimeoutMs);
    this.#image = options.loader.image;
    registerControllerGauges(environment.metrics, this);
  }

  get isActive(): boolean {
    return this.#activeEpoch !== null;
  }

  /** The node whose controller decides; null while there is none. */
  get leaderId(): number | null {
    return this.#options.raft.leaderAndEpoch.leaderId;
  }

  /** Everything that was decided so far, committed or not. */
  get image(): MetadataImage {
    return this.#image;
  }

  /** The last offset that this controller knows to be committed; -1 for none. */
  get committedOffset(): number {
    return this.#committedOffset;
  }

  /** Resolves when this controller is active; rejects when it is closed before. */
  whenActive(): Promise<void> {
    if (this.isActive) return Promise.resolve();
    if (this.#isClosed) return Promise.reject(this.#notController());
    return new Promise((resolve, reject) => this.#activeWaiters.push({ resolve, reject }));
  }

  /** Answers a request when what it decided is committed. Rejects with NOT_CONTROLLER if that may never be. */
  async handle<A extends Api>(api: A, request: RequestOf<A>, version: number): Promise<ResponseInput<A>> {
    const operation = operationOf(api);
    if (operation === undefined) throw new KafkaError('UNSUPPORTED_VERSION', `The controller does not serve ${api.name}.`);
    if (!this.isActive) throw this.#notController();
    const parts = this.#partsOf(operation, request);
    if ('refused' in parts) return parts.refused as ResponseInput<A>;
    const [first, ...others] = parts.requests;
    const decision = this.#decide(operation, first ?? request, version);
    const later = others.length === 0 ? [] : await this.#decideInTurns(operation, others, version);
    const { lastOffset } = later.at(-1) ?? decision;
    if (lastOffset > this.#committedOffset) await this.#answers.until(lastOffset);
    if (later.length === 0) return decision.response as ResponseInput<A>;
    return operation.inParts?.join([decision, ...later].map(({ response }) => response)) as ResponseInput<A>;
  }

  /** A request that names very many things is decided part by part, and others have their turn in between. */
  #partsOf(operation: Operation, request: RequestOf<Api>): { readonly requests: readonly RequestOf<Api>[] } | Refused {
    if (operation.inParts === undefined) return { requests: [request] };
    try {
      return { requests: operation.inParts.split(this.#view(), request) };
    } catch (error) {
      return { refused: operation.refused(request, this.#toldError(operation.api, error)) };
    }
  }

  async #decideInTurns(operation: Operation, parts: readonly RequestOf<Api>[], version: number): Promise<readonly Decision[]> {
    const epoch = this.#activeEpoch;
    const decisions = await mapInTurns<RequestOf<Api>, Decision>(this.#environment.clock, parts, (part) => {
      if (this.#activeEpoch !== epoch) throw this.#notController();
      return this.#decide(operation, part, version);
    });
    // What was decided in another epoch may be forgotten.
    if (this.#activeEpoch !== epoch) throw this.#notController();
    return decisions;
  }

  /** Decides, and appends what was decided. */
  #decide(operation: Operation, request: RequestOf<Api>, version: number): Decision {
    const { api } = operation;
    const now = this.#environment.clock.monotonic();
    let result: ControllerResult<ResponseInput<Api>>;
    try {
      result = operation.decide(this.#view(), request, { version, now });
    } catch (error) {
      return { response: operation.refused(request, this.#toldError(api, error)), lastOffset: -1 };
    }
    const lastOffset = this.#append(result);
    if (api.key === brokerHeartbeat.key) this.#heard(request as RequestOf<typeof brokerHeartbeat>, result, now);
    return { response: result.response, lastOffset };
  }

  handleCommit(batches: readonly CommittedBatch<MetadataRecord>[]): void {
    const last = batches.at(-1);
    if (last === undefined) return;
    this.#committedOffset = last.lastOffset;
    if (this.isActive) this.#answers.committedUpTo(last.lastOffset);
    else this.#image = this.#options.loader.image;
  }

  handleLoadSnapshot(snapshot: { readonly offset: number }): void {
    assert(!this.isActive, 'an active controller has the log that a snapshot would replace');
    this.#committedOffset = snapshot.offset - 1;
    this.#image = this.#options.loader.image;
  }

  handleLeaderChange({ leaderId, epoch }: LeaderAndEpoch): void {
    const leads = leaderId === this.#options.settings.nodeId;
    if (this.isActive && this.#activeEpoch !== epoch) this.#renounce();
    if (leads && !this.isActive) this.#activate(epoch);
  }

  close(): void {
    this.#isClosed = true;
    this.#renounce();
    for (const { reject } of this.#activeWaiters.splice(0)) reject(this.#notController());
  }

  #activate(epoch: number): void {
    const { loader, settings, raft } = this.#options;
    this.#image = loader.image;
    this.#activeEpoch = epoch;
    this.#registrationOffsets.clear();
    this.#sessions.reset(this.#image.cluster, this.#environment.clock.monotonic());
    this.#logger.info('this controller is active', { epoch, committedOffset: this.#committedOffset });
    const isLogEmpty = this.#image.features.finalized.size === 0;
    const records = activationRecords(this.#image, {
      settings,
      bootstrapRecords: isLogEmpty ? (raft.bootstrapRecords() ?? bootstrapRecords({ voters: null })) : [],
      isLogEmpty,
      isInTransaction: loader.isInTransaction,
    });
    for (const batch of records) this.#append({ records: batch, response: null, isAtomic: true });
    this.#scheduleExpiry();
    this.#scheduleIdle();
    for (const { resolve } of this.#activeWaiters.splice(0)) resolve();
  }

  #renounce(): void {
    if (!this.isActive) return;
    this.#logger.info('this controller is not active any more', { epoch: this.#activeEpoch });
    this.#activeEpoch = null;
    this.#image = this.#options.loader.image;
    this.#sessionTimer?.cancel();
    this.#idleTimer?.cancel();
    this.#answers.rejectAll(this.#notController());
  }

  /** Appends and replays; gives the offset whose commit the answer has to wait for. A decision without records rests on those before it. */
  #append({ records, isAtomic = false }: ControllerResult<unknown>): number {
    if (records.length === 0) return this.#options.raft.nextOffset - 1;
    const size = isAtomic ? records.length : MAX_RECORDS_PER_OPERATION;
    for (let from = 0; from < records.length; from += size) this.#appendBatch(records.slice(from, from + size));
    return this.#options.raft.nextOffset - 1;
  }

  #appendBatch(records: readonly MetadataRecord[]): void {
    const epoch = this.#activeEpoch;
    assert(epoch !== null, 'only the active controller decides');
    const baseOffset = this.#options.raft.nextOffset;
    const offset = this.#options.raft.scheduleAppend(epoch, records);
    try {
      const delta = new MetadataDelta(this.#image);
      for (const [at, record] of records.entries()) {
        delta.replay(record);
        if (record.type === 'RegisterBrokerRecord') this.#registrationOffsets.set(record.value.brokerId, baseOffset + at);
      }
      this.#image = delta.apply({ offset, epoch, timestamp: this.#environment.clock.now() });
    } catch (error) {
      this.#options.fatal(error);
      throw error;
    }
    this.#lastAppendAt = this.#environment.clock.monotonic();
  }

  #view(): ControllerView {
    const { settings, configs, raft } = this.#options;
    const image = this.#image;
    return {
      image,
      settings,
      configs,
      sessions: this.#sessions,
      random: this.#environment.random,
      quorum: raft.describe(),
      nextOffset: raft.nextOffset,
      registrationOffset: (brokerId) =>
        this.#registrationOffsets.get(brokerId) ?? image.cluster.brokers.get(brokerId)?.epoch ?? 0,
    };
  }

  /** A heartbeat that was accepted keeps its session alive. */
  #heard(request: RequestOf<typeof brokerHeartbeat>, result: ControllerResult<unknown>, now: Millis): void {
    const { brokerId, brokerEpoch, currentMetadataOffset: metadataOffset } = request;
    this.#sessions.touched(brokerId, { brokerEpoch, metadataOffset, now });
    const { isInControlledShutdown } = result as HeartbeatResult;
    if (isInControlledShutdown) this.#sessions.controlledShutdownBegan(brokerId, this.#options.raft.nextOffset - 1);
    if (this.#sessionTimer === null) this.#scheduleExpiry();
  }

  #scheduleExpiry(): void {
    const { clock } = this.#environment;
    const expiry = this.#sessions.nextExpiry(this.#image.cluster);
    this.#sessionTimer?.cancel();
    this.#sessionTimer = null;
    if (expiry === null || this.#isClosed) return;
    const dueAt = Math.max(expiry, clock.monotonic());
    this.#sessionTimer = clock.schedule(dueAt - clock.monotonic(), () => this.#fenceExpired(dueAt));
  }

  /** Time in which this process did not run itself counts against nobody's session. */
  #fenceExpired(dueAt: Millis): void {
    this.#sessionTimer = null;
    if (!this.isActive) return;
    const now = this.#environment.clock.monotonic();
    if (now - dueAt > this.#options.settings.sessionTimeoutMs / 2) this.#sessions.excuse(now - dueAt);
    for (;;) {
      const brokerId = this.#sessions.nextExpired(this.#image.cluster, now);
      const broker = brokerId === null ? undefined : this.#image.cluster.brokers.get(brokerId);
      if (broker === undefined) break;
      this.#logger.info('fencing a broker whose session has ended', { brokerId: broker.id, brokerEpoch: broker.epoch });
      this.#append({ records: expirationRecords(this.#view(), broker), response: null });
    }
    this.#scheduleExpiry();
  }

  /** A log that nothing is written to would not show that its quorum lives (KIP-835). */
  #scheduleIdle(): void {
    const { clock } = this.#environment;
    const { maxIdleIntervalMs } = this.#options.settings;
    if (maxIdleIntervalMs <= 0) return;
    const dueInMs = Math.max(1, this.#lastAppendAt + maxIdleIntervalMs - clock.monotonic());
    this.#idleTimer = clock.schedule(dueInMs, () => {
      if (!this.isActive) return;
      if (clock.monotonic() - this.#lastAppendAt >= maxIdleIntervalMs) {
        this.#append({ records: [metadataRecord('NoOpRecord', 0, {})], response: null });
      }
      this.#scheduleIdle();
    });
  }

  #toldError(api: Api, error: unknown): KafkaError {
    if (error instanceof KafkaError) return error;
    this.#logger.error('the controller failed at a request', { api: api.name, error });
    return new KafkaError('UNKNOWN_SERVER_ERROR');
  }

  #notController(): KafkaError {
    const { leaderId } = this.#options.raft.leaderAndEpoch;
    const text =
      leaderId === null ? 'No controller appears to be active.' : `The active controller appears to be node ${leaderId}.`;
    return new KafkaError('NOT_CONTROLLER', text);
  }
}

/** An answer, which may go out when the log is committed up to the offset. */
interface Decision {
  readonly response: ResponseInput<Api>;
  readonly lastOffset: number;
}

interface Refused {
  readonly refused: ResponseInput<Api>;
}

interface ActiveWaiter {
  readonly resolve: () => void;
  readonly reject: (error: KafkaError) => void;
}
