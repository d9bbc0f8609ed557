import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brokerConfigs } from '../../src/config/broker-configs.ts';
import { clientMetricsConfigs } from '../../src/config/client-metrics-configs.ts';
import { clientQuotaConfigs } from '../../src/config/client-quota-configs.ts';
import { type ConfigSpec, defaultText } from '../../src/config/define-configs.ts';
import { groupConfigs } from '../../src/config/group-configs.ts';
import { ipQuotaConfigs } from '../../src/config/ip-quota-configs.ts';
import { throttleConfigs } from '../../src/config/throttle-configs.ts';
import { topicConfigs } from '../../src/config/topic-configs.ts';
import { readGolden } from '../golden.ts';

interface GoldenConfig {
  readonly type: string;
  readonly default?: string | null;
  readonly importance: string;
  readonly update?: string;
  readonly internal?: boolean;
  readonly sensitive?: boolean;
  readonly validator?: { readonly kind: string; readonly min?: number; readonly max?: number };
  readonly brokerSynonyms?: readonly { readonly name: string; readonly convert?: string }[];
  readonly brokerSynonym?: string | null;
}
type Section = Readonly<Record<string, GoldenConfig>>;

const golden = readGolden('configs.json.gz') as Readonly<Record<string, Section>>;

const tables = {
  broker: brokerConfigs,
  topic: topicConfigs,
  group: groupConfigs,
  clientMetrics: clientMetricsConfigs,
  brokerDynamicOnly: throttleConfigs,
  quotaUserAndClientId: clientQuotaConfigs,
  quotaIp: ipQuotaConfigs,
};

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) => (a < b ? -1 : 1);

const ours = (specs: ReadonlyMap<string, ConfigSpec>, section: string) =>
  [...specs].sort(byName).map(([name, spec]) => [
    name,
    {
      type: spec.type,
      required: !('default' in spec),
      default: defaultText(spec),
      importance: spec.importance,
      update: section === 'broker' ? (spec.update ?? 'read-only') : undefined,
      internal: spec.internal === true,
      sensitive: spec.type === 'PASSWORD',
      min: spec.min,
      max: spec.max,
      synonyms: (spec.synonyms ?? []).map((synonym) => ({ ...synonym })),
    },
  ]);

const theirs = (configs: Section, section: string) =>
  Object.entries(configs)
    .sort(byName)
    .map(([name, config]) => [
      name,
      {
        type: config.type,
        required: !('default' in config),
        default: config.default ?? null,
        importance: config.importance.toLowerCase(),
        update: section === 'broker' ? config.update : undefined,
        internal: config.internal === true,
        sensitive: config.sensitive === true,
        min: config.validator?.min,
        max: config.validator?.max,
        synonyms: synonymsOf(config),
      },
    ]);

const synonymsOf = (config: GoldenConfig) => [
  ...(config.brokerSynonyms ?? []).map(({ name, convert }) =>
    convert === undefined ? { name } : { name, unit: convert === 'hoursToMs' ? 'hours' : 'minutes' },
  ),
  ...(typeof config.brokerSynonym === 'string' ? [{ name: config.brokerSynonym }] : []),
];

for (const [section, { specs }] of Object.entries(tables)) {
  test(`the ${section} configs are those of Kafka 4.4: names, types, defaults, ranges, importance, flags and synonyms`, () => {
    assert.deepEqual(ours(specs, section), theirs(golden[section] ?? {}, section));
  });

  test(`every config of ${section} is explained in a line`, () => {
    for (const [name, spec] of specs) assert.match(spec.doc, /^[A-Z-].*\.$/, name);
  });
}
