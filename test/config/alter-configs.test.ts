import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AlterOperation, alterTexts } from '../../src/config/alter-configs.ts';
import { checkBrokerTexts, checkResource } from '../../src/config/check-resource.ts';
import type { ConfigResource } from '../../src/config/config-entry.ts';
import type { ConfigStore } from '../../src/config/config-store.ts';
import { configureNode } from '../../src/config/server-properties.ts';
import { KafkaError } from '../../src/protocol/errors.ts';
import { readGolden } from '../golden.ts';

type GoldenTexts = Readonly<Record<string, string | null>>;

/** What the controller of Kafka 4.4 said of all that is to be set for a resource. */
interface Check {
  readonly type: 'TOPIC' | 'BROKER' | 'GROUP' | 'CLIENT_METRICS' | 'BROKER_LOGGER' | 'UNKNOWN';
  readonly name: string;
  readonly existing: GoldenTexts;
  readonly new: GoldenTexts;
  readonly given: Readonly<Record<string, string>>;
  readonly outcome: string;
  readonly error: string | null;
}

/** One IncrementalAlterConfigs request to a running Kafka 4.4, and what was set afterwards. */
interface Step {
  readonly type: 'TOPIC' | 'BROKER' | 'GROUP' | 'CLIENT_METRICS';
  readonly name: string;
  readonly ops: readonly (readonly [AlterOperation, string, string | null])[];
  readonly validateOnly: boolean;
  readonly error: string | null;
  readonly message: string | null;
  readonly after: GoldenTexts | null;
}

const checks = readGolden('config-alterations.json.gz') as readonly Check[];
const steps = readGolden('config-alterations-live.json.gz') as readonly Step[];

const types = { TOPIC: 'topic', BROKER: 'broker', GROUP: 'group', CLIENT_METRICS: 'client-metrics' } as const;

const errorNames: Readonly<Record<string, string>> = {
  ConfigException: 'INVALID_CONFIG',
  InvalidConfigurationException: 'INVALID_CONFIG',
  InvalidRequestException: 'INVALID_REQUEST',
  InvalidTopicException: 'INVALID_TOPIC_EXCEPTION',
};

const mapOf = (texts: GoldenTexts): Map<string, string> =>
  new Map(Object.entries(texts).flatMap(([name, text]) => (text === null ? [] : [[name, text] as const])));

const errorOf = (run: () => void): { error: string; message: string } | null => {
  try {
    run();
    return null;
  } catch (error) {
    assert.ok(error instanceof KafkaError, String(error));
    return { error: error.errorName, message: error.message };
  }
};

const isResource = (type: Check['type']): type is Step['type'] => type in types;

test('what may be set for topics, groups, brokers and metrics subscriptions is what the controller of Kafka 4.4 takes', () => {
  const asked = checks.filter(({ new: texts }) => !Object.values(texts).includes(null));
  assert.ok(asked.length > 100);
  for (const check of asked) {
    // Two unknown names: which one is told first is an accident of hashing.
    if (!isResource(check.type) || 'nada' in check.new) continue;
    const { store } = configureNode(new Map(Object.entries(check.given)), { dataDirectory: 'd' });
    const resource: ConfigResource = { type: types[check.type], name: check.name };
    const expected = check.error === null ? null : { error: errorNames[check.error], message: check.outcome };
    const ours = errorOf(() => checkResource(store, resource, mapOf(check.new), mapOf(check.existing)));
    assert.deepEqual(ours, expected, JSON.stringify(check.new));
  }
});

/** The node that was asked, except that it had a cluster-wide min.insync.replicas, which only the controller guards. */
const peer = new Map([
  ['process.roles', 'broker,controller'],
  ['node.id', '1'],
  ['controller.quorum.voters', '1@127.0.0.1:31210'],
  ['listeners', 'PLAINTEXT://127.0.0.1:21210,CONTROLLER://127.0.0.1:31210'],
  ['controller.listener.names', 'CONTROLLER'],
  ['group.consumer.min.session.timeout.ms', '6000'],
]);

/** Threads are nothing to Ottla, and eligible leader replicas are the controller's matter. */
const isElsewhere = ({ ops, message }: Step): boolean =>
  ops.some(([, name]) => name === 'min.insync.replicas') || (message ?? '').includes('Invalid dynamic configuration');

function take(store: ConfigStore, { type, name, ops, validateOnly }: Step): void {
  const resource: ConfigResource = { type: types[type], name };
  const existing = store.overrides(resource);
  const texts = alterTexts(
    resource,
    existing,
    ops.map(([operation, config, value]) => ({ name: config, operation, value })),
  );
  if (type === 'BROKER') checkBrokerTexts(store, resource, texts);
  checkResource(store, resource, texts, existing);
  if (!validateOnly) store.replace(resource, texts);
}

test('alterations leave behind what they leave behind in Kafka 4.4, or are refused in its words', () => {
  const { store } = configureNode(peer, { dataDirectory: 'd' });
  const initial = new Map([
    ['cleanup.policy', 'compact, delete'],
    ['retention.ms', ' 5 '],
  ]);
  store.replace({ type: 'topic', name: 't3' }, initial);
  for (const step of steps) {
    // Only the controller knows which topics there are.
    if (isElsewhere(step) || step.name === 'missing') continue;
    const what = JSON.stringify(step);
    const ours = errorOf(() => take(store, step));
    const message = (step.message ?? '').replace('requirement failed: ', '');
    assert.equal(ours?.error ?? null, step.error === null ? null : errorNames[step.error], what);
    if (ours !== null && !message.includes('begin 0')) assert.equal(ours.message, message, what);
    if (step.after !== null) assert.deepEqual(shown(store, step), known(step.after), what);
  }
});

/** What is set for a resource, as it is described. */
const shown = (store: ConfigStore, { type, name }: Step): GoldenTexts => {
  const resource: ConfigResource = { type: types[type], name };
  const set = store.overrides(resource);
  const entries = store.describe(resource).filter((entry) => set.has(entry.name));
  return known(Object.fromEntries(entries.map((entry) => [entry.name, entry.value])));
};

const known = (texts: GoldenTexts): GoldenTexts =>
  Object.fromEntries(Object.entries(texts).filter(([name]) => name !== 'min.insync.replicas' && name !== 'num.io.threads'));

test('a broker takes no dynamic value that would have kept it from starting', () => {
  const { store } = configureNode(peer, { dataDirectory: 'd' });
  const refused = errorOf(() => checkBrokerTexts(store, { type: 'broker', name: '1' }, new Map([['log.roll.ms', '0']])));
  assert.deepEqual(refused, { error: 'INVALID_REQUEST', message: 'log.roll.ms must be greater than or equal to 1' });
});
