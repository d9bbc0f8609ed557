import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brokerConfigs } from '../../src/config/broker-configs.ts';
import { clientMetricsConfigs } from '../../src/config/client-metrics-configs.ts';
import { clientQuotaConfigs } from '../../src/config/client-quota-configs.ts';
import { canonicalText, formatDouble } from '../../src/config/config-value.ts';
import { type Configs, parseConfig } from '../../src/config/define-configs.ts';
import { groupConfigs } from '../../src/config/group-configs.ts';
import { ipQuotaConfigs } from '../../src/config/ip-quota-configs.ts';
import { throttleConfigs } from '../../src/config/throttle-configs.ts';
import { topicConfigs } from '../../src/config/topic-configs.ts';
import { KafkaError } from '../../src/protocol/errors.ts';
import { readGolden } from '../golden.ts';

/** What Kafka 4.4 makes of a text: the value as it writes it, or its complaint. */
type Probe = readonly [scope: string, name: string, text: string, outcome: string | { readonly error: string }];

const probes = readGolden('config-values.json.gz') as readonly Probe[];

const scopes: Readonly<Record<string, Configs>> = {
  broker: brokerConfigs,
  topic: topicConfigs,
  group: groupConfigs,
  clientMetrics: clientMetricsConfigs,
  brokerDynamicOnly: throttleConfigs,
  quotaUser: clientQuotaConfigs,
  quotaIp: ipQuotaConfigs,
};

const outcomeOf = (scope: string, name: string, text: string): Probe[3] => {
  const spec = scopes[scope]?.specs.get(name);
  assert.ok(spec !== undefined, name);
  try {
    parseConfig(name, spec, text);
  } catch (error) {
    assert.ok(error instanceof KafkaError && error.errorName === 'INVALID_CONFIG', String(error));
    return { error: error.message };
  }
  return spec.type === 'PASSWORD' ? '[hidden]' : canonicalText(text, spec.type);
};

test('every config takes and refuses the texts that Kafka 4.4 takes and refuses, in the same words', () => {
  assert.ok(probes.length > 7000);
  // A text that Java reads and that nobody writes in a config: a hexadecimal floating point number.
  const known = probes.filter(([, , text]) => text !== '0x1p3');
  const different = known.filter(([scope, name, text, outcome]) => {
    const mine = outcomeOf(scope, name, text);
    return typeof mine === 'string' || typeof outcome === 'string' ? mine !== outcome : mine.error !== outcome.error;
  });
  assert.deepEqual(
    different.map((probe) => ({ probe, ours: outcomeOf(probe[0], probe[1], probe[2]) })),
    [],
  );
});

test('a double is written as Java writes it', () => {
  const written: readonly (readonly [number, string])[] = [
    [0, '0.0'],
    [-0, '-0.0'],
    [1, '1.0'],
    [0.001, '0.001'],
    [0.0001, '1.0E-4'],
    [9_999_999, '9999999.0'],
    [12_345_678.9, '1.23456789E7'],
    [Number.MAX_VALUE, '1.7976931348623157E308'],
    [-1.5e-7, '-1.5E-7'],
  ];
  for (const [value, text] of written) assert.equal(formatDouble(value), text);
});

test('the longest texts are read in no more time than others of their length, whatever is in them', () => {
  const long = 32_000;
  const texts: readonly (readonly [name: string, text: string])[] = [
    ['cleanup.policy', `compact${' '.repeat(long)}delete`],
    ['cleanup.policy', `${' ,'.repeat(long / 2)}x`],
    ['min.cleanable.dirty.ratio', `${'9'.repeat(long)}x`],
    ['min.cleanable.dirty.ratio', `${'.'.repeat(long)}x`],
    ['retention.ms', `${'9'.repeat(long)}x`],
    ['leader.replication.throttled.replicas', `${'1:1,'.repeat(long / 4)}x`],
  ];
  const start = performance.now();
  for (const [name, text] of texts) for (let time = 0; time < 5; time++) outcomeOf('topic', name, text);
  // One that takes a square of the time needs half a second by itself.
  assert.ok(performance.now() - start < 2500, `${performance.now() - start} ms`);
});
