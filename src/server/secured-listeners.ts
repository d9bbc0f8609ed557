import type { Environment } from '../base/environment.ts';
import type { TlsOptions } from '../base/network.ts';
import type { ConfigStore } from '../config/config-store.ts';
import type { ListenerSetting } from '../config/listeners.ts';
import { listenerTls } from './listener-tls.ts';

/** The listeners of a node that speak TLS, and the certificates that they speak it with. */
export class SecuredListeners {
  readonly #environment: Environment;
  readonly #configs: ConfigStore;
  readonly #listeners: readonly ListenerSetting[];
  readonly #options = new Map<string, TlsOptions>();

  /** Throws INVALID_CONFIG. */
  constructor(environment: Environment, configs: ConfigStore, listeners: readonly ListenerSetting[]) {
    this.#environment = environment;
    this.#configs = configs;
    this.#listeners = listeners;
    for (const listener of listeners) {
      const tls = listenerTls(configs, listener, environment.disk);
      if (tls !== null) this.#options.set(listener.name, tls);
    }
  }

  of(name: string): { readonly tls?: TlsOptions } {
    const tls = this.#options.get(name);
    return tls === undefined ? {} : { tls };
  }

  /**
   * Configs have changed, or the files that they name: what is different now is handed over. What cannot be used is said and left, so that a mistake does not lock
   * clients out that come in now.
   */
  renew(handOver: (name: string, tls: TlsOptions) => Promise<void>): void {
    const { disk, logger } = this.#environment;
    const log = logger.named('network');
    for (const listener of this.#listeners) {
      const { name } = listener;
      const failed = (error: unknown): void =>
        log.error('The new TLS configs of a listener cannot be used: it goes on with those before', { listener: name, error });
      const before = this.#options.get(name);
      if (before === undefined) continue;
      try {
        const tls = listenerTls(this.#configs, listener, disk);
        if (tls === null || isSame(tls, before)) continue;
        this.#options.set(name, tls);
        handOver(name, tls).then(() => log.info('A listener has new TLS configs', { listener: name }), failed);
      } catch (error) {
        failed(error);
      }
    }
  }
}

const isSame = (one: TlsOptions, other: TlsOptions): boolean => JSON.stringify(one) === JSON.stringify(other);
