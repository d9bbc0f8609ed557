import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ListenerSetting } from '../../src/config/listeners.ts';
import { configureNode, parseProperties } from '../../src/config/server-properties.ts';
import { KafkaError } from '../../src/protocol/errors.ts';
import { readGolden } from '../golden.ts';

/** A node that Kafka 4.4 was asked to configure: what it read, or what it said. */
interface Node {
  readonly given: Readonly<Record<string, string>>;
  readonly error?: string;
  readonly listeners?: readonly string[];
  readonly advertised?: readonly string[];
  readonly advertisedController?: readonly string[];
  readonly interBroker?: string;
  readonly logDirs?: readonly string[];
  readonly metadataLogDir?: string;
}

const nodes = readGolden('config-nodes.json.gz') as readonly Node[];

const embedded = { dataDirectory: 'd' };

const told = (listeners: readonly ListenerSetting[]) =>
  listeners.map(({ name, protocol, host, port }) => `${name} ${protocol} ${host} ${port}`);

function configured({ given }: Node): Omit<Node, 'given'> {
  try {
    const { settings } = configureNode(new Map(Object.entries(given)), embedded);
    return {
      listeners: told([...settings.listeners, ...settings.controllerListeners]),
      advertised: told(settings.advertised),
      advertisedController: told(settings.advertisedController),
      interBroker: settings.interBrokerListenerName,
      logDirs: settings.logDirectories,
      metadataLogDir: settings.metadataLogDirectory,
    };
  } catch (error) {
    assert.ok(error instanceof KafkaError && error.errorName === 'INVALID_CONFIG', String(error));
    return { error: error.message };
  }
}

/** What differs on purpose, by what was given. */
const better: Readonly<Record<string, string>> = {
  'node.id=abc': 'the name that was given is the name that is told',
  'node.id=2147483648': 'the name that was given is the name that is told',
  'listeners=PLAINTEXT://localhost:70000,CONTROLLER://:9093': 'a port that cannot be is refused at once',
  'listeners=PLAINTEXT://localhost:-1,CONTROLLER://:9093': 'a port that cannot be is refused at once',
  'listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER': 'words instead of indexes',
  'max.connections.per.ip.overrides=localhost': 'words instead of indexes',
  'max.connections.per.ip.overrides=localhost:x': 'the config is named',
  'log.cleaner.threads=0': 'words instead of a division by zero',
  'principal.builder.class=nope': 'classes of Java cannot be looked up',
  'group.streams.rack.aware.assignment.tags=a,a': 'said as of any other list',
};

const isBetter = ({ given }: Node): boolean => Object.entries(given).some(([name, text]) => `${name}=${text}` in better);

const needsRoles = ({ given }: Node): boolean => 'process.roles' in given;

test('nodes are read or refused as Kafka 4.4 does, in its words', () => {
  const asked = nodes.filter((node) => needsRoles(node) && !isBetter(node));
  assert.ok(asked.length > 250);
  for (const { given, ...expected } of asked) {
    const error = expected.error?.replace('requirement failed: ', '');
    assert.deepEqual(configured({ given }), error === undefined ? expected : { error }, JSON.stringify(given));
  }
});

test('where Kafka 4.4 is obscure, what is wrong is said with the name of the config', () => {
  for (const node of nodes.filter((each) => needsRoles(each) && isBetter(each))) {
    const differs = Object.entries(node.given).find(([name, text]) => `${name}=${text}` in better)?.[0] ?? '';
    const { error } = configured(node);
    if (differs === 'principal.builder.class') assert.equal(error, undefined);
    else assert.ok(error?.includes(differs === 'listeners' ? 'The port of' : differs) === true, String(error));
  }
});

test('a node that is told nothing is a cluster of one for this machine, with Kafka defaults but for internal topics', () => {
  const { settings, store, warnings } = configureNode(new Map(), embedded);
  assert.deepEqual(warnings, []);
  assert.equal(settings.isEmbedded, true);
  assert.deepEqual([settings.nodeId, settings.isBroker, settings.isController], [1, true, true]);
  assert.deepEqual(told(settings.listeners), ['PLAINTEXT PLAINTEXT localhost 9092']);
  assert.deepEqual(told(settings.advertised), ['PLAINTEXT PLAINTEXT localhost 9092']);
  assert.deepEqual([settings.controllerListeners, settings.voters], [[], []]);
  assert.deepEqual(settings.logDirectories, ['d']);
  const config = store.broker();
  assert.equal(config['offsets.topic.replication.factor'], 1);
  assert.equal(config['num.partitions'], 1);
  assert.equal(config['group.initial.rebalance.delay.ms'], 3000);
});

test('what is given wins over the profile of a cluster of one', () => {
  const given = new Map([
    ['node.id', '7'],
    ['listeners', 'PLAINTEXT://127.0.0.1:0'],
    ['offsets.topic.replication.factor', '3'],
  ]);
  const { settings, store } = configureNode(given, { ...embedded, port: 1 });
  assert.equal(settings.nodeId, 7);
  assert.equal(store.broker()['broker.id'], 7);
  assert.deepEqual(told(settings.listeners), ['PLAINTEXT PLAINTEXT 127.0.0.1 0']);
  assert.equal(store.broker()['offsets.topic.replication.factor'], 3);
});

test('an unknown key is a warning that names it, and a key of a listener is known', () => {
  const given = new Map([
    ['num.partitons', '3'],
    ['my.plugin.partitions', '3'],
    ['listener.name.plaintext.max.connections', '3'],
  ]);
  assert.deepEqual(configureNode(given, embedded).warnings, [
    'Config num.partitons is not known and has no effect. Did you mean num.partitions?',
    'Config my.plugin.partitions is not known and has no effect.',
  ]);
});

test('a properties file is read as Java reads it', () => {
  const text =
    '# a comment\n! another\nnode.id=1\nprocess.roles = broker,\\\n   controller\nlog.dirs:C:\\\\data\nbroker.rack=\\u0041\nempty=\n';
  assert.deepEqual(
    [...parseProperties(text)],
    [
      ['node.id', '1'],
      ['process.roles', 'broker,controller'],
      ['log.dirs', 'C:\\data'],
      ['broker.rack', 'A'],
      ['empty', ''],
    ],
  );
});
