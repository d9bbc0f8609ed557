import { assert } from '../base/assert.ts';
import type { Timer } from '../base/clock.ts';
import type { Environment } from '../base/environment.ts';
import type { Logger } from '../base/logger.ts';
import { randomUuid } from '../base/uuid.ts';
import type { ControllerChannel } from '../broker/forwarding.ts';
import type { BrokerConfig } from '../config/broker-configs.ts';
import { type ListenerSetting, securityProtocols } from '../config/listeners.ts';
import { SUPPORTED_FEATURES } from '../metadata/supported-features.ts';
import { errorNameOf, KafkaError, textOf } from '../protocol/errors.ts';
import { brokerHeartbeat } from '../protocol/messages/63-broker-heartbeat.ts';
import { brokerRegistration } from '../protocol/messages/62-broker-registration.ts';

const REGISTRATION_VERSION = 4;
const HEARTBEAT_VERSION = 2;
/** Between tries to register, while no controller can be asked. */
const RETRY_MS = 50;

export interface BrokerLifecycleOptions {
  readonly channel: ControllerChannel;
  readonly brokerId: number;
  readonly clusterId: string;
  readonly config: () => BrokerConfig;
  /** Ids of the log directories that are online. */
  readonly directoryIds: readonly string[];
  /** Ids of those that take no new replicas. */
  readonly cordonedDirectoryIds: () => readonly string[];
  /** The epoch at the last orderly stop; −1 if there was none. */
  readonly previousBrokerEpoch: number;
  /** The offset of the last metadata record that this broker acts on. */
  readonly metadataOffset: () => number;
  /** The controller could not be told of a failed log directory in time: this broker has to stop, for it would lead what it cannot serve. */
  readonly fatal: (error: unknown) => void;
}

/** What the controller said last. */
interface Standing {
  readonly isFenced: boolean;
  readonly shouldShutDown: boolean;
}

/**
 * The broker's side of being a member of the cluster (KIP-631): registers, heartbeats, is unfenced once it has caught up with the
 * metadata, and asks to be relieved of its leaderships before it stops.
 */
export class BrokerLifecycle {
  readonly #environment: Environment;
  readonly #options: BrokerLifecycleOptions;
  readonly #logger: Logger;
  /** Another one at each start, so that the controller tells this process from the one before. */
  readonly #incarnationId: string;
  readonly #offlineDirectoryIds = new Set<string>();
  /** Those of them that the controller does not know of yet, and when this broker gives up telling it. */
  readonly #untold = new Map<string, Timer>();
  #epoch = -1;
  #wantsShutDown = false;
  #isClosed = false;
  #timer: Timer | null = null;

  constructor(environment: Environment, options: BrokerLifecycleOptions) {
    this.#environment = environment;
    this.#options = options;
    this.#logger = environment.logger.named('lifecycle');
    this.#incarnationId = randomUuid(environment.random);
  }

  /** −1 until the broker is registered. */
  get epoch(): number {
    return this.#epoch;
  }

  /** Registers with the addresses that clients are told, tried until a controller takes or refuses it. Rejects with a KafkaError. */
  async register(advertised: readonly ListenerSetting[]): Promise<void> {
    const { channel, brokerId, clusterId, config, directoryIds, previousBrokerEpoch } = this.#options;
    const request = {
      brokerId,
      clusterId,
      incarnationId: this.#incarnationId,
      listeners: advertised.map(({ name, host, port, protocol }) => ({
        name,
        host,
        port,
        securityProtocol: securityProtocols.indexOf(protocol),
      })),
      features: [...SUPPORTED_FEATURES].map(([name, { min, max }]) => ({
        name,
        minSupportedVersion: min,
        maxSupportedVersion: max,
      })),
      rack: config()['broker.rack'],
      isMigratingZkBroker: false,
      logDirs: [...directoryIds],
      previousBrokerEpoch,
    };
    const response = await this.#untilAnswered(() =>
      channel.send(brokerRegistration, request, { version: REGISTRATION_VERSION }),
    );
    if (response.errorCode !== 0) {
      const name = errorNameOf(response.errorCode);
      throw new KafkaError(name, `The controller refused to register broker ${brokerId}: ${textOf(name)}`);
    }
    this.#epoch = response.brokerEpoch;
    this.#logger.info('registered', { brokerId, epoch: this.#epoch });
  }

  /** Heartbeats until the controller lets clients see this broker, and goes on in the background. */
  async unfence(): Promise<void> {
    await this.#heartbeatUntil((standing) => !standing.isFenced);
    this.#scheduleHeartbeat();
  }

  /** A log directory failed; the next heartbeat, sent now, tells the controller. */
  directoryFailed(directoryId: string): void {
    if (this.#isClosed || this.#offlineDirectoryIds.has(directoryId)) return;
    this.#offlineDirectoryIds.add(directoryId);
    const timeoutMs = this.#options.config()['log.dir.failure.timeout.ms'];
    const late = (): void => this.#options.fatal(notTold(directoryId, timeoutMs));
    this.#untold.set(directoryId, this.#environment.clock.schedule(timeoutMs, late));
    if (this.#epoch !== -1) this.#heartbeatInBackground();
  }

  /** Waits until the controller has moved what can be moved away, but not longer than `timeoutMs`, and ends the heartbeats. */
  async shutDown(timeoutMs: number): Promise<void> {
    this.#wantsShutDown = true;
    this.#timer?.cancel();
    if (this.#epoch !== -1) {
      let timer: Timer | null = null;
      const timedOut = new Promise<void>((resolve) => {
        timer = this.#environment.clock.schedule(timeoutMs, resolve);
      });
      await Promise.race([this.#untilReleased(), timedOut]).finally(() => timer?.cancel());
    }
    this.close();
  }

  /** A controller that does not know this broker any more, because somebody unregistered it, has nothing to move away. */
  async #untilReleased(): Promise<void> {
    try {
      await this.#heartbeatUntil((standing) => standing.shouldShutDown);
    } catch (error) {
      if (!(error instanceof KafkaError)) throw error;
      this.#logger.warn('the controller does not let go of this broker, which stops all the same', { error: error.message });
    }
  }

  /** Ends the heartbeats; the controller will notice. */
  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#told([...this.#untold.keys()]);
  }

  async #heartbeatUntil(isReached: (standing: Standing) => boolean): Promise<void> {
    while (!this.#isClosed) {
      const standing = await this.#untilAnswered(() => this.#heartbeat());
      if (isReached(standing)) return;
      await this.#pause(RETRY_MS);
    }
  }

  #scheduleHeartbeat(): void {
    if (this.#isClosed || this.#wantsShutDown) return;
    this.#timer?.cancel();
    const delayMs = this.#options.config()['broker.heartbeat.interval.ms'];
    this.#timer = this.#environment.clock.schedule(delayMs, () => this.#heartbeatInBackground());
  }

  #heartbeatInBackground(): void {
    void this.#heartbeat()
      .catch((error: unknown) => this.#logger.warn('a heartbeat failed', { error }))
      .then(() => this.#scheduleHeartbeat());
  }

  async #heartbeat(): Promise<Standing> {
    const { channel, brokerId, metadataOffset, cordonedDirectoryIds } = this.#options;
    assert(this.#epoch !== -1, 'only a registered broker heartbeats');
    const request = {
      brokerId,
      brokerEpoch: this.#epoch,
      currentMetadataOffset: metadataOffset(),
      wantFence: false,
      wantShutDown: this.#wantsShutDown,
      offlineLogDirs: [...this.#offlineDirectoryIds],
      cordonedLogDirs: [...cordonedDirectoryIds()],
    };
    const response = await channel.send(brokerHeartbeat, request, { version: HEARTBEAT_VERSION });
    if (response.errorCode !== 0) throw new KafkaError(errorNameOf(response.errorCode));
    this.#told(request.offlineLogDirs);
    return { isFenced: response.isFenced, shouldShutDown: response.shouldShutDown };
  }

  /** Retries what a controller that is away or new may answer later. */
  async #untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof KafkaError) || !error.retriable || this.#isClosed) throw error;
        this.#logger.debug('the controller is not available yet', { error: error.message });
      }
      await this.#pause(RETRY_MS);
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#environment.clock.schedule(ms, resolve);
    });
  }

  #told(directoryIds: readonly string[]): void {
    for (const directoryId of directoryIds) {
      this.#untold.get(directoryId)?.cancel();
      this.#untold.delete(directoryId);
    }
  }
}

const notTold = (directoryId: string, timeoutMs: number): Error =>
  new Error(
    `The controller could not be told within ${timeoutMs} ms (log.dir.failure.timeout.ms) that the log directory ${directoryId} has failed.`,
  );
