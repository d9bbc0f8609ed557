import type { Environment } from '../base/environment.ts';
import type { Handler } from '../broker/handler.ts';
import type { ConfigStore } from '../config/config-store.ts';
import type { ListenerSetting } from '../config/listeners.ts';
import { Acceptor } from '../network/acceptor.ts';
import type { Serve } from '../network/connection.ts';
import { ConnectionLimits } from '../network/connection-limits.ts';
import { ConnectionRates } from '../network/connection-rates.ts';
import { connectionLimitSettings, connectionRateSettings } from './connection-settings.ts';
import { SecuredListeners } from './secured-listeners.ts';
import { RequestPipeline } from './request-pipeline.ts';

/**
 * Connections that the system completes while this process does something else. Kafka's 50 are few where a thousand clients come back at once: the rest of them
 * try again after a second, and then after three.
 */
const LISTEN_BACKLOG_MIN = 1024;
const MILLIS_PER_SECOND = 1000;

/**
 * What may be on its way to a client inside the system, at least. A short way is the fast one, as the client reads from the processor's cache while more is sent;
 * Kafka's 100 KiB are as fast, but waiting for room costs more here, and there is less of it with 200 (decision 5).
 */
const SEND_BUFFER_BYTES_MIN = 200 * 1024;

export interface ListenerAcceptorOptions {
  readonly listeners: readonly ListenerSetting[];
  readonly handlers: readonly Handler[];
  readonly configs: ConfigStore;
  /** The listener between nodes, which is held back by its own limit only. */
  readonly privilegedListenerName: string;
  /** What stands between the connections and the pipeline. */
  readonly guard?: (serve: Serve) => Serve;
}

/** The listeners of one role of a node: each with its pipeline, all of them within the limits that the configs set at the moment. */
export class ListenerAcceptor extends Acceptor {
  /** Takes over the limits that the configs set now. */
  readonly #adopt: () => void;
  readonly #secured: SecuredListeners;

  constructor(environment: Environment, options: ListenerAcceptorOptions) {
    const { listeners, handlers, configs, privilegedListenerName, guard = (serve) => serve } = options;
    const config = configs.broker();
    const limitsNow = () => connectionLimitSettings(configs, listeners, privilegedListenerName);
    const ratesNow = () => connectionRateSettings(configs, listeners, privilegedListenerName);
    const sampleMs = config['quota.window.size.seconds'] * MILLIS_PER_SECOND;
    const rates = new ConnectionRates(ratesNow(), { samples: config['quota.window.num'], sampleMs });
    const secured = new SecuredListeners(environment, configs, listeners);
    super(environment, {
      listeners: listeners.map(({ name, host, port }) => ({
        name,
        endpoint: { host, port },
        ...secured.of(name),
        backlog: Math.max(config['socket.listen.backlog.size'], LISTEN_BACKLOG_MIN),
        ...sendBuffer(config['socket.send.buffer.bytes']),
        serve: guard(
          new RequestPipeline(environment, {
            handlers,
            servesUnstableVersions: config['unstable.api.versions.enable'],
            isPrivilegedListener: name === privilegedListenerName,
          }).serve,
        ),
      })),
      maxIdleMs: config['connections.max.idle.ms'],
      maxRequestBytes: config['socket.request.max.bytes'],
      maxQueuedRequestBytes: config['queued.max.request.bytes'],
      limits: new ConnectionLimits(limitsNow()),
      admissionRate: (name) => rates.record(name, environment.clock.monotonic()),
      ...(environment.network.socketsMax === undefined ? {} : { socketsMax: environment.network.socketsMax }),
    });
    this.#adopt = () => {
      this.limits.settings = limitsNow();
      rates.settings = ratesNow();
    };
    this.#secured = secured;
  }

  /** The configs of this broker have changed: their limits hold from now on. */
  configsChanged(): void {
    this.#adopt();
    this.limitsChanged();
    this.#secured.renew((name, tls) => this.renewTls(name, tls));
  }
}

/** -1 leaves it to the system. */
function sendBuffer(bytes: number): { readonly sendBufferBytes?: number } {
  return bytes === -1 ? {} : { sendBufferBytes: Math.max(bytes, SEND_BUFFER_BYTES_MIN) };
}
