import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { parseProperties } from '../../src/config/server-properties.ts';
import { metadata } from '../../src/protocol/messages/03-metadata.ts';
import { describeQuorum } from '../../src/protocol/messages/55-describe-quorum.ts';
import { WireClient } from '../conformance/wire-client.ts';
import { makeTopic } from './node-client.ts';
import { RecordingLogger } from './recording-logger.ts';
import { temporaryDirectory } from './temporary-directory.ts';
import { startTestNode, type TestNode, withController } from './test-node.ts';

/** The profile that the clients' suites of tests run with. */
const SUITES = `
num.partitions=4
auto.create.topics.enable=true
delete.topic.enable=true
default.replication.factor=1
group.initial.rebalance.delay.ms=0
group.share.min.record.lock.duration.ms=1000
group.consumer.min.session.timeout.ms=6000
group.consumer.session.timeout.ms=10000
broker.rack=RACK1
replica.selector.class=org.apache.kafka.common.replica.RackAwareReplicaSelector
authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
allow.everyone.if.no.acl.found=true
`;

/** Combined roles and a fixed quorum of one, as guides for Apache Kafka show them. */
const FIXED_QUORUM = `
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:0
listeners=PLAINTEXT://127.0.0.1:0,CONTROLLER://127.0.0.1:0
advertised.listeners=PLAINTEXT://127.0.0.1:0
controller.listener.names=CONTROLLER
num.partitions=4
offsets.topic.replication.factor=1
`;

/** The keys of the file that comes with Apache Kafka, with values of ours; ports are free ones. */
const STOCK = `
process.roles=broker,controller
node.id=1
controller.quorum.bootstrap.servers=localhost:0
listeners=PLAINTEXT://:0,CONTROLLER://:0
inter.broker.listener.name=PLAINTEXT
advertised.listeners=PLAINTEXT://localhost:0,CONTROLLER://localhost:0
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT,SASL_SSL:SASL_SSL
num.network.threads=3
num.io.threads=8
socket.send.buffer.bytes=102400
socket.receive.buffer.bytes=102400
socket.request.max.bytes=104857600
num.partitions=1
num.recovery.threads.per.data.dir=2
offsets.topic.replication.factor=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
log.retention.hours=168
log.segment.bytes=1073741824
log.retention.check.interval.ms=300000
`;

const propertiesOf = (text: string): Record<string, string> => Object.fromEntries(parseProperties(text));

async function brokersOf(node: TestNode) {
  const client = await WireClient.open(node.port);
  const { brokers } = await client.ask(metadata, 12, { topics: [], includeTopicAuthorizedOperations: false });
  client.close();
  return brokers;
}

describe('a server.properties file', () => {
  it('of the suites is taken as it is, with a warning that nothing is authorized', async (t) => {
    const logger = new RecordingLogger();
    const node = await startTestNode({ properties: propertiesOf(SUITES), logger });
    t.after(() => node.stop());
    const [broker] = await brokersOf(node);
    assert.equal(broker?.rack, 'RACK1');
    const warnings = logger.at('warn');
    assert.ok(warnings.some((warning) => warning.startsWith('Nothing is authorized yet: authorizer.class.name has no effect')));
    assert.deepEqual(node.node.controllerListeners, []);
  });

  it('with a fixed quorum of one gives the node a listener for its controller', async (t) => {
    const node = await startTestNode({ properties: propertiesOf(FIXED_QUORUM) });
    t.after(() => node.stop());
    assert.deepEqual(
      node.node.controllerListeners.map(({ name, host }) => [name, host]),
      [['CONTROLLER', '127.0.0.1']],
    );
    assert.deepEqual(await brokersOf(node), [{ nodeId: 1, host: '127.0.0.1', port: node.port, rack: null }]);
  });

  it('as it comes with Apache Kafka starts a cluster whose log tells its voters, again and again', async (t) => {
    const directory = temporaryDirectory(t);
    const ids = new Set<string>();
    for (let count = 0; count < 2; count++) {
      const node = await startTestNode({ directory, properties: propertiesOf(STOCK) });
      ids.add(node.clusterId);
      const client = await WireClient.open(node.port);
      const quorum = await client.ask(describeQuorum, 2, {
        topics: [{ topicName: '__cluster_metadata', partitions: [{ partitionIndex: 0 }] }],
      });
      const [partition] = quorum.topics[0]?.partitions ?? [];
      assert.equal(partition?.leaderId, 1);
      assert.deepEqual(
        partition.currentVoters.map(({ replicaId, replicaDirectoryId }) => [replicaId, replicaDirectoryId.length]),
        [[1, 22]],
      );
      assert.notEqual(
        partition.currentVoters[0]?.replicaDirectoryId,
        'AAAAAAAAAAAAAAAAAAAAAA',
        'a voter is known by its directory',
      );
      await makeTopic(client, `topic-${count}`);
      client.close();
      await node.stop();
    }
    assert.equal(ids.size, 1);
  });

  it('that names other controllers makes no cluster by itself', async (t) => {
    const directory = temporaryDirectory(t);
    const properties = { ...propertiesOf(STOCK), 'controller.quorum.bootstrap.servers': 'localhost:0,other.example:9093' };
    await assert.rejects(startTestNode({ directory, properties }), {
      name: 'StorageError',
      message: /is formatted\. Run `ottla storage format` with the cluster id of the other nodes first\.$/,
    });
  });

  it('with a directory whose voters are others is refused', async (t) => {
    const directory = temporaryDirectory(t);
    await (await startTestNode({ directory, properties: propertiesOf(STOCK) })).stop();
    const path = `${directory}/meta.properties`;
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.replace(/directory\.id=.*/, 'directory.id=4uNWkFpyRpiFoMF8C7_Q2A'));
    await assert.rejects(startTestNode({ directory, properties: propertiesOf(STOCK) }), /The voters of the metadata quorum/);
  });

  const refusals: readonly (readonly [what: string, properties: Readonly<Record<string, string>>, message: RegExp])[] = [
    [
      'SASL',
      {
        listeners: 'PLAINTEXT://127.0.0.1:0,IN://127.0.0.1:0',
        'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,IN:SASL_PLAINTEXT',
      },
      /Listener IN is to speak SASL_PLAINTEXT, which is not served yet/,
    ],
    [
      'an authorizer that turns away whom no ACL allows',
      { 'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer', 'super.users': 'User:admin' },
      /Nothing is authorized yet, and these configs turn away whom no ACL allows/,
    ],
    ['an authorizer of Java', { 'authorizer.class.name': 'com.example.Mine' }, /com\.example\.Mine is a class of Java/],
    ['tiered storage', { 'remote.log.storage.system.enable': 'true' }, /Tiered storage is not served yet/],
    [
      'one role alone',
      { ...withController, 'process.roles': 'controller', listeners: 'CONTROLLER://127.0.0.1:0' },
      /A node is both broker and controller so far/,
    ],
    [
      'other voters',
      { ...withController, 'controller.quorum.voters': '1@127.0.0.1:0,2@other.example:9093' },
      /2@other\.example:9093 cannot be part of it/,
    ],
  ];
  for (const [what, properties, message] of refusals) {
    it(`that asks for ${what} is refused with the reason`, async (t) => {
      const directory = temporaryDirectory(t);
      await assert.rejects(startTestNode({ directory, properties }), (error: unknown) => {
        assert.ok(error instanceof Error && 'errorName' in error);
        assert.equal(error.errorName, 'INVALID_CONFIG');
        assert.match(error.message, message);
        return true;
      });
    });
  }

  it('that names classes of Java gets a warning for each', async (t) => {
    const logger = new RecordingLogger();
    const properties = { 'create.topic.policy.class.name': 'com.example.Policy', 'no.such.config': '1' };
    const node = await startTestNode({ properties, logger });
    t.after(() => node.stop());
    assert.deepEqual(logger.at('warn'), [
      'Config no.such.config is not known and has no effect.',
      'Config create.topic.policy.class.name names com.example.Policy, a class of Java that cannot run here: no policy refuses new topics.',
    ]);
  });
});
