import { assert, unreachable } from '../base/assert.ts';
import type { BrokerConfig } from './broker-configs.ts';
import type { ClientMetricsConfig } from './client-metrics-configs.ts';
import type { ConfigEntry, ConfigResource } from './config-entry.ts';
import { parseConfig } from './define-configs.ts';
import { brokerConfigs } from './broker-configs.ts';
import { describeBroker, describeBrokerDefault, describeClientMetrics, describeGroup, describeTopic } from './describe.ts';
import {
  type BrokerLayers,
  brokerTexts,
  brokerValues,
  clientMetricsTexts,
  clientMetricsValues,
  type EffectiveTexts,
  groupTexts,
  groupValues,
  noTexts,
  type Texts,
  topicTexts,
  topicValues,
} from './effective.ts';
import type { GroupConfig } from './group-configs.ts';
import type { TopicConfig } from './topic-configs.ts';

/**
 * The configs that hold on one node, out of four layers: its file, what is set for all brokers, what is set for this broker, and
 * what is set for a topic, group or metrics subscription. The layers above the file come from the metadata log: whoever follows
 * it calls `replace`.
 */
export class ConfigStore {
  readonly nodeId: number;
  /** A quorum of one without a listener for controllers. */
  readonly isEmbedded: boolean;
  readonly #fromFile: Texts;
  readonly #overrides = new Map<string, Texts>();
  #broker: { layers: BrokerLayers; texts: EffectiveTexts; values: BrokerConfig };
  readonly #topics = new Map<string, TopicConfig>();
  readonly #groups = new Map<string, GroupConfig>();

  /** Throws INVALID_CONFIG for a text of the file that cannot be read. */
  constructor({
    nodeId,
    fromFile,
    isEmbedded = false,
  }: { readonly nodeId: number; readonly fromFile: Texts; readonly isEmbedded?: boolean }) {
    this.nodeId = nodeId;
    this.isEmbedded = isEmbedded;
    this.#fromFile = fromFile;
    for (const [name, text] of fromFile) {
      const spec = brokerConfigs.specs.get(name);
      if (spec !== undefined) parseConfig(name, spec, text);
    }
    this.#broker = this.#readBroker();
  }

  /** The whole of what is set for a resource, from now on. */
  replace(resource: ConfigResource, texts: Texts): void {
    const key = keyOf(resource);
    if (texts.size === 0) this.#overrides.delete(key);
    else this.#overrides.set(key, new Map(texts));
    if (resource.type === 'topic') this.#topics.delete(resource.name);
    else if (resource.type === 'group') this.#groups.delete(resource.name);
    else if (resource.type === 'broker') this.#brokerChanged();
  }

  /** What is set for a resource and for nothing else. */
  overrides(resource: ConfigResource): Texts {
    return this.#overrides.get(keyOf(resource)) ?? noTexts;
  }

  /** The configs of this broker. */
  broker(): BrokerConfig {
    return this.#broker.values;
  }

  /** The same as texts, as DescribeConfigs shows them. */
  texts(): EffectiveTexts {
    return this.#broker.texts;
  }

  layers(): BrokerLayers {
    return this.#broker.layers;
  }

  topic(name: string): TopicConfig {
    const overrides = this.overrides({ type: 'topic', name });
    return cached(this.#topics, overrides.size === 0 ? UNSET : name, () =>
      topicValues(topicTexts(this.#broker.texts, overrides)),
    );
  }

  group(name: string): GroupConfig {
    const overrides = this.overrides({ type: 'group', name });
    return cached(this.#groups, overrides.size === 0 ? UNSET : name, () =>
      groupValues(groupTexts(this.#broker.texts, overrides)),
    );
  }

  clientMetrics(name: string): ClientMetricsConfig {
    return clientMetricsValues(clientMetricsTexts(this.overrides({ type: 'client-metrics', name })));
  }

  /** The configs of this broker for one listener: `listener.name.NAME.` in front of a config sets it for that listener only. */
  listener(listenerName: string): BrokerConfig {
    const prefix = `listener.name.${listenerName.toLowerCase()}.`;
    const strip = (texts: Texts): Texts =>
      new Map([
        ...texts,
        ...[...texts].flatMap(([name, text]) => (name.startsWith(prefix) ? [[name.slice(prefix.length), text] as const] : [])),
      ]);
    const { fromFile, clusterDefault, own } = this.#broker.layers;
    return brokerValues(brokerTexts({ fromFile: strip(fromFile), clusterDefault: strip(clusterDefault), own: strip(own) }));
  }

  /** All entries of DescribeConfigs for a resource. Of brokers this node knows only itself and the default of all. */
  describe({ type, name }: ConfigResource): ConfigEntry[] {
    const overrides = this.overrides({ type, name });
    switch (type) {
      case 'broker':
        assert(name === '' || name === String(this.nodeId), 'a broker describes itself');
        return name === '' ? describeBrokerDefault(this.#broker) : describeBroker(this.#broker);
      case 'topic':
        return describeTopic(this.#broker, overrides);
      case 'group':
        return describeGroup(this.#broker, overrides);
      case 'client-metrics':
        return describeClientMetrics(overrides);
      default:
        return unreachable(type);
    }
  }

  #brokerChanged(): void {
    this.#broker = this.#readBroker();
    this.#topics.clear();
    this.#groups.clear();
  }

  #readBroker(): { layers: BrokerLayers; texts: EffectiveTexts; values: BrokerConfig } {
    const layers: BrokerLayers = {
      fromFile: this.#fromFile,
      clusterDefault: this.overrides({ type: 'broker', name: '' }),
      own: this.overrides({ type: 'broker', name: String(this.nodeId) }),
    };
    const texts = brokerTexts(layers);
    return { layers, texts, values: brokerValues(texts) };
  }
}

/** All topics, and all groups, for which nothing is set share one object. No name is empty. */
const UNSET = '';

const keyOf = ({ type, name }: ConfigResource): string => `${type}/${name}`;

function cached<V>(cache: Map<string, V>, key: string, compute: () => V): V {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const value = compute();
  cache.set(key, value);
  return value;
}
