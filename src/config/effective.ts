import { type BrokerConfig, brokerConfigs } from './broker-configs.ts';
import { type ClientMetricsConfig, clientMetricsConfigs } from './client-metrics-configs.ts';
import { canonicalText, type ConfigValue } from './config-value.ts';
import { type ConfigSpec, type Configs, defaultText, parseConfig, type Values } from './define-configs.ts';
import { type GroupConfig, groupConfigs } from './group-configs.ts';
import { toMillis } from './synonyms.ts';
import { throttleConfigs } from './throttle-configs.ts';
import { type TopicConfig, topicConfigs } from './topic-configs.ts';
import { withoutRepeatedPolicies } from './topic-rules.ts';

/** Configs as they were given: name → text. */
export type Texts = ReadonlyMap<string, string>;

/** Where the configs of one broker come from; the later wins. */
export interface BrokerLayers {
  readonly fromFile: Texts;
  readonly clusterDefault: Texts;
  readonly own: Texts;
}

/** Effective texts of one resource, as Kafka writes them; null is "not set". */
export type EffectiveTexts = ReadonlyMap<string, string | null>;

export const noTexts: Texts = new Map();

/** The texts that hold for a broker. A dynamic text that cannot be read counts as not given, so that a bad one never stops a node. */
export function brokerTexts({ fromFile, clusterDefault, own }: BrokerLayers): EffectiveTexts {
  const texts = new Map<string, string | null>();
  for (const [name, spec] of [...brokerConfigs.specs, ...throttleConfigs.specs]) {
    const dynamic = readable(name, spec, own.get(name)) ?? readable(name, spec, clusterDefault.get(name));
    const text = dynamic ?? fromFile.get(name);
    texts.set(name, text === undefined ? defaultText(spec) : canonicalText(text, spec.type));
  }
  return texts;
}

/** The texts that hold for a topic on a broker with these texts. */
export const topicTexts = (broker: EffectiveTexts, overrides: Texts): EffectiveTexts =>
  overlay(topicConfigs, broker, withoutRepeatedPolicies(overrides));

/** The texts that hold for a group on a broker with these texts. */
export const groupTexts = (broker: EffectiveTexts, overrides: Texts): EffectiveTexts => overlay(groupConfigs, broker, overrides);

/** The texts that hold for a subscription to client metrics. */
export const clientMetricsTexts = (overrides: Texts): EffectiveTexts => overlay(clientMetricsConfigs, new Map(), overrides);

function overlay(configs: Configs, broker: EffectiveTexts, overrides: Texts): EffectiveTexts {
  const texts = new Map<string, string | null>();
  for (const [name, spec] of configs.specs) {
    const text = readable(name, spec, overrides.get(name));
    texts.set(name, text === undefined ? (inherited(spec, broker) ?? defaultText(spec)) : canonicalText(text, spec.type));
  }
  return texts;
}

/** What the broker's configs say where a topic or group sets nothing. */
function inherited(spec: ConfigSpec, broker: EffectiveTexts): string | null {
  for (const { name, unit } of spec.synonyms ?? []) {
    const text = broker.get(name);
    if (text === undefined || text === null) continue;
    // Any negative retention of a broker means for ever, which topics write as -1.
    if (name.startsWith('log.retention.') && name !== 'log.retention.bytes' && text.startsWith('-')) return '-1';
    // A group has one assignor where a broker has a list: the first of them is the default.
    if (spec.type === 'STRING' && name === 'group.streams.assignors') return text.split(',')[0] ?? null;
    return toMillis(text, unit);
  }
  return null;
}

function readable(name: string, spec: ConfigSpec, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  try {
    parseConfig(name, spec, text);
    return text;
  } catch {
    return undefined;
  }
}

export const brokerValues = (texts: EffectiveTexts): BrokerConfig => valuesOf(brokerConfigs, texts);
export const topicValues = (texts: EffectiveTexts): TopicConfig => valuesOf(topicConfigs, texts);
export const groupValues = (texts: EffectiveTexts): GroupConfig => valuesOf(groupConfigs, texts);
export const clientMetricsValues = (texts: EffectiveTexts): ClientMetricsConfig => valuesOf(clientMetricsConfigs, texts);

/** Texts become values: the one place where the type of a table is taken for granted. */
function valuesOf<C extends Configs>(configs: C, texts: EffectiveTexts): Values<C> {
  const values: Record<string, ConfigValue> = {};
  for (const [name, spec] of configs.specs) {
    const text = texts.get(name) ?? null;
    values[name] = text === null ? null : parseConfig(name, spec, text);
  }
  return values as Values<C>;
}
