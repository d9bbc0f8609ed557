import { checkResource } from '../config/check-resource.ts';
import type { ConfigEntry, ConfigResource } from '../config/config-entry.ts';
import { ConfigStore } from '../config/config-store.ts';
import { describeTopic } from '../config/describe.ts';
import type { Texts } from '../config/effective.ts';
import { parseConfig } from '../config/define-configs.ts';
import { topicConfigs } from '../config/topic-configs.ts';
import type { ConfigsImage } from '../metadata/image/configs-image.ts';
import { configsOf } from '../metadata/image/configs-image.ts';

/**
 * The configs that the controller decides by: those of its own node, with the dynamic ones of the image it is looking at on top, and those
 * of topics.
 */
export class ControllerConfigs {
  readonly #store: ConfigStore;
  readonly #nodeId: string;
  #clusterDefault: Texts | null = null;
  #own: Texts | null = null;

  /** `fromFile` are the node's static configs. */
  constructor(nodeId: number, fromFile: Texts) {
    this.#nodeId = String(nodeId);
    this.#store = new ConfigStore({ nodeId, fromFile });
  }

  minInsyncReplicas(configs: ConfigsImage, topic: string): number {
    return Number(this.#effective(configs, topic, 'min.insync.replicas'));
  }

  isUncleanElectionEnabled(configs: ConfigsImage, topic: string): boolean {
    return this.#effective(configs, topic, 'unclean.leader.election.enable') === true;
  }

  /** What a topic with these configs of its own would have in all, by name. */
  describeTopic(configs: ConfigsImage, overrides: Texts): ConfigEntry[] {
    const store = this.#storeAt(configs);
    return describeTopic({ layers: store.layers(), texts: store.texts() }, overrides);
  }

  /** Throws what is to be told if `texts` may not be all that is set for the resource. */
  check(configs: ConfigsImage, resource: ConfigResource, texts: Texts): void {
    checkResource(this.#storeAt(configs), resource, texts, configsOf(configs, resource));
  }

  #effective(configs: ConfigsImage, topic: string, name: 'min.insync.replicas' | 'unclean.leader.election.enable'): unknown {
    const text = configsOf(configs, { type: 'topic', name: topic }).get(name);
    const spec = topicConfigs.specs.get(name);
    if (text !== undefined && spec !== undefined) return parseConfig(name, spec, text);
    return this.#storeAt(configs).broker()[name];
  }

  /** Maps in images are never changed, so that the same map means the same configs. */
  #storeAt(configs: ConfigsImage): ConfigStore {
    const clusterDefault = configsOf(configs, { type: 'broker', name: '' });
    const own = configsOf(configs, { type: 'broker', name: this.#nodeId });
    if (clusterDefault !== this.#clusterDefault) this.#store.replace({ type: 'broker', name: '' }, clusterDefault);
    if (own !== this.#own) this.#store.replace({ type: 'broker', name: this.#nodeId }, own);
    this.#clusterDefault = clusterDefault;
    this.#own = own;
    return this.#store;
  }
}
