import { brokerConfigs } from './broker-configs.ts';
import { clientMetricsConfigs } from './client-metrics-configs.ts';
import type { ConfigEntry, ConfigSource, ConfigSynonym } from './config-entry.ts';
import { type ConfigSpec, defaultText } from './define-configs.ts';
import { type BrokerLayers, clientMetricsTexts, type EffectiveTexts, groupTexts, type Texts, topicTexts } from './effective.ts';
import { groupConfigs } from './group-configs.ts';
import { brokerSynonyms, withoutListener } from './synonyms.ts';
import { throttleConfigs } from './throttle-configs.ts';
import { topicConfigs } from './topic-configs.ts';

/** What a description needs to know of a broker. */
export interface DescribedBroker {
  readonly layers: BrokerLayers;
  readonly texts: EffectiveTexts;
}

/** Every config of one broker: those of the table, except internal ones that nobody set, and whatever else was given. */
export function describeBroker({ layers, texts }: DescribedBroker): ConfigEntry[] {
  const given = new Set([...layers.fromFile.keys(), ...layers.clusterDefault.keys(), ...layers.own.keys()]);
  const shown = [...brokerConfigs.specs].filter(([, spec]) => spec.internal !== true).map(([name]) => name);
  return [...new Set([...shown, ...given])].toSorted().map((name) => {
    const synonyms = layeredSynonyms(name, layers);
    const raw = layers.own.get(name) ?? layers.clusterDefault.get(name) ?? layers.fromFile.get(name) ?? null;
    return brokerEntry(name, texts.has(name) ? (texts.get(name) ?? null) : raw, synonyms);
  });
}

/** What was set for all brokers of the cluster. */
export function describeBrokerDefault({ layers }: DescribedBroker): ConfigEntry[] {
  return [...layers.clusterDefault]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, text]) => {
      const synonyms = layeredSynonyms(name, layers).filter(({ source }) => source === 'DYNAMIC_DEFAULT_BROKER_CONFIG');
      return brokerEntry(name, text, synonyms);
    });
}

/** Every config of a topic; the layers below are those of the broker that is asked. */
export function describeTopic(broker: DescribedBroker, overrides: Texts): ConfigEntry[] {
  return describeOverlay(topicConfigs.specs, topicTexts(broker.texts, overrides), {
    overrides,
    source: 'DYNAMIC_TOPIC_CONFIG',
    below: (_name, spec) => (spec.synonyms?.[0] === undefined ? [] : layeredSynonyms(spec.synonyms[0].name, broker.layers)),
  });
}

/** Every config of a group; the layers below are those of the broker that is asked. */
export function describeGroup(broker: DescribedBroker, overrides: Texts): ConfigEntry[] {
  return describeOverlay(groupConfigs.specs, groupTexts(broker.texts, overrides), {
    overrides,
    source: 'DYNAMIC_GROUP_CONFIG',
    below: (name, spec) => {
      const synonym = spec.synonyms?.[0];
      if (synonym !== undefined) return layeredSynonyms(synonym.name, broker.layers);
      const value = defaultText(spec);
      return value === null ? [] : [{ name, value, source: 'DEFAULT_CONFIG' }];
    },
  });
}

/** Every config of a subscription to client metrics. */
export const describeClientMetrics = (overrides: Texts): ConfigEntry[] =>
  describeOverlay(clientMetricsConfigs.specs, clientMetricsTexts(overrides), {
    overrides,
    source: 'DYNAMIC_CLIENT_METRICS_CONFIG',
    below: () => [],
  });

interface Overlay {
  readonly overrides: Texts;
  readonly source: ConfigSource;
  readonly below: (name: string, spec: ConfigSpec) => ConfigSynonym[];
}

function describeOverlay(specs: ReadonlyMap<string, ConfigSpec>, texts: EffectiveTexts, overlay: Overlay): ConfigEntry[] {
  const { overrides, source, below } = overlay;
  const shown = [...specs].filter(([name, spec]) => spec.internal !== true || overrides.has(name));
  return shown.map(([name, spec]) => {
    const value = texts.get(name) ?? null;
    // Unlike the layers of brokers, this one is shown as it was read, not as it was written.
    const synonyms = [...(overrides.has(name) ? [{ name, value, source }] : []), ...below(name, spec)];
    return {
      name,
      value,
      source: synonyms[0]?.source ?? 'DEFAULT_CONFIG',
      readOnly: false,
      sensitive: false,
      type: spec.type,
      documentation: spec.doc,
      synonyms,
    };
  });
}

/** The values that a broker config has in its layers, the strongest first, and then those of the configs that stand in for it. */
function layeredSynonyms(name: string, { own, clusterDefault, fromFile }: BrokerLayers): ConfigSynonym[] {
  const found = brokerSynonyms(name).flatMap((synonym) => {
    const spec = brokerConfigs.specs.get(synonym);
    const byLayer: readonly (readonly [ConfigSource, string | null | undefined])[] = [
      ['DYNAMIC_BROKER_CONFIG', own.get(synonym)],
      ['DYNAMIC_DEFAULT_BROKER_CONFIG', clusterDefault.get(synonym)],
      ['STATIC_BROKER_CONFIG', fromFile.get(synonym)],
      ['DEFAULT_CONFIG', spec === undefined ? undefined : defaultText(spec)],
    ];
    return byLayer.flatMap(([source, text]) => {
      if (text === undefined || text === null) return [];
      return [{ name: synonym, value: isSensitive(synonym) ? null : text, source }];
    });
  });
  const start = found.findIndex((synonym) => synonym.name === name);
  return start === -1 ? [] : found.slice(start);
}

function brokerEntry(name: string, value: string | null, synonyms: readonly ConfigSynonym[]): ConfigEntry {
  const spec = specOf(name);
  const sensitive = isSensitive(name);
  return {
    name,
    value: sensitive ? null : value,
    source: synonyms[0]?.source ?? 'DEFAULT_CONFIG',
    readOnly: !isDynamic(name),
    sensitive,
    type: spec?.type ?? 'UNKNOWN',
    documentation: spec?.doc ?? null,
    synonyms,
  };
}

/** A config that no table knows may be a password of a plugin: it is not shown. */
const isSensitive = (name: string): boolean => (specOf(name)?.type ?? 'PASSWORD') === 'PASSWORD';

const isDynamic = (name: string): boolean =>
  throttleConfigs.specs.has(name) || (brokerConfigs.specs.get(name)?.update ?? 'read-only') !== 'read-only';

function specOf(name: string): ConfigSpec | undefined {
  const rest = withoutListener(name);
  return (
    brokerConfigs.specs.get(name) ??
    throttleConfigs.specs.get(name) ??
    (rest === null ? undefined : brokerConfigs.specs.get(rest))
  );
}
