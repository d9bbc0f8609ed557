import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClientError } from '../../src/client/client-error.ts';
import { clientSettings, parseServers } from '../../src/client/client-options.ts';
import { Connection } from '../../src/client/connection.ts';
import { metadata } from '../../src/protocol/messages/03-metadata.ts';
import { produce } from '../../src/protocol/messages/00-produce.ts';
import { apiVersions } from '../../src/protocol/messages/18-api-versions.ts';
import { createTopics } from '../../src/protocol/messages/19-create-topics.ts';
import { FakeCluster } from './fake-cluster.ts';

const failed = (failure: string) => (error: unknown) => error instanceof ClientError && error.failure === failure;
const settings = clientSettings({ bootstrapServers: 'b1:9092', requestTimeoutMs: 1000, connectTimeoutMs: 500 });
const everything = { topics: null, allowAutoTopicCreation: false, includeTopicAuthorizedOperations: false };

test('a connection speaks the newest version that both sides know', async () => {
  const cluster = await FakeCluster.start();
  cluster.maxVersions.set(metadata.key, 9);
  const connection = await cluster.resolve(Connection.open(cluster.environment, settings, { host: 'b1', port: 9092 }));
  assert.equal(connection.versionOf(metadata), 9);
  assert.equal(connection.versionOf(produce), 13);
  assert.equal(connection.versionOf(produce, 12), 12);
  assert.throws(() => connection.versionOf(createTopics), failed('unsupported'));
});

test('a broker that does not know our version of ApiVersions is asked again in one that it knows', async () => {
  const cluster = await FakeCluster.start();
  cluster.maxVersions.set(apiVersions.key, 2);
  await cluster.resolve(Connection.open(cluster.environment, settings, { host: 'b1', port: 9092 }));
  assert.deepEqual(
    cluster.seen.map(({ version }) => version),
    [2],
  );
});

test('nobody there, silence and a broken connection are told apart', async () => {
  const cluster = await FakeCluster.start();
  const open = (port: number) => cluster.resolve(Connection.open(cluster.environment, settings, { host: 'b1', port }));
  await assert.rejects(open(1), failed('unreachable'));
  const connection = await open(9092);
  cluster.plan = () => 'silent';
  await cluster.resolve(assert.rejects(connection.request(metadata, everything), failed('timeout')));
  assert.equal(connection.isOpen, false);
  cluster.plan = () => null;
  const another = await open(9092);
  cluster.plan = () => 'refused';
  await cluster.resolve(assert.rejects(another.request(metadata, everything), failed('disconnected')));
});

test('a broker that cannot be reached is not tried more often than the backoff allows', async () => {
  const cluster = await FakeCluster.start();
  cluster.network.crash('b1');
  const client = cluster.client({ reconnectBackoffMs: 100, reconnectBackoffMaxMs: 1000 });
  const start = cluster.scheduler.time;
  for (let attempt = 0; attempt < 6; attempt++) await cluster.resolve(assert.rejects(client.connect(), failed('unreachable')));
  // 100 + 200 + 400 + 800 + 1000, each 20 % less or more.
  const waited = cluster.scheduler.time - start;
  assert.ok(waited > 1900 && waited < 3100, String(waited));
});

test('a client learns the brokers from any bootstrap server that answers', async () => {
  const cluster = await FakeCluster.start({ nodes: [1, 2] });
  cluster.network.crash('b1');
  const client = cluster.client();
  await cluster.resolve(client.connect());
  assert.deepEqual(
    client.metadata.brokers.map((broker) => broker.id),
    [1, 2],
  );
  client.close();
  await cluster.resolve(assert.rejects(client.sendToAny(metadata, everything), failed('closed')));
});

test('server lists are read with names, addresses of both families and protocols', () => {
  assert.deepEqual(parseServers('a:1, [::1]:2,PLAINTEXT://127.0.0.1:3'), [
    { host: 'a', port: 1 },
    { host: '::1', port: 2 },
    { host: '127.0.0.1', port: 3 },
  ]);
  for (const text of ['', 'a', 'a:0', 'a:70000', ':1', 'a:b']) assert.throws(() => parseServers(text), failed('invalid'), text);
});
