import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { metadata } from '../../src/protocol/messages/03-metadata.ts';
import { WireClient } from '../conformance/wire-client.ts';
import { makeTopic, produceText, readTexts } from './node-client.ts';
import { RecordingLogger } from './recording-logger.ts';
import { temporaryDirectory } from './temporary-directory.ts';
import { startTestNode } from './test-node.ts';

describe('a node', () => {
  it('formats its directory at its first start, and is the same node with the same records at the next ones', async (t) => {
    const directory = temporaryDirectory(t);
    const logger = new RecordingLogger();
    const first = await startTestNode({ directory, logger });
    assert.ok(logger.at('info').includes('Formatted the log directories'));
    const properties = readFileSync(join(directory, 'meta.properties'), 'utf8');
    assert.match(properties, new RegExp(`cluster\\.id=${first.clusterId}$`, 'm'));
    let client = await WireClient.open(first.port);
    const topicId = await produceText(client, 'kept', ['one', 'two']);
    client.close();
    await first.stop();

    for (let count = 0; count < 2; count++) {
      const again = await startTestNode({ directory });
      assert.equal(again.clusterId, first.clusterId);
      client = await WireClient.open(again.port);
      assert.deepEqual(await readTexts(client, topicId), ['one', 'two']);
      client.close();
      await again.stop();
    }
    assert.equal(readFileSync(join(directory, 'meta.properties'), 'utf8'), properties);
  });

  it('tells the roles of its replicas in one line a change, and of each in a line for who looks closer', async (t) => {
    const logger = new RecordingLogger();
    const node = await startTestNode({ directory: temporaryDirectory(t), logger });
    const client = await WireClient.open(node.port);
    await makeTopic(client, 'many', 40);
    client.close();
    await node.stop();
    const roles = logger.lines.filter(({ message }) => message === 'Replicas have new roles').map(({ facts }) => facts);
    assert.deepEqual(roles[0], { leader: 40, follower: 0 });
    assert.ok(roles.length <= 5, `${roles.length} lines`);
    assert.equal(logger.at('debug').filter((message) => message === 'The replica is leader now').length, 40);
  });

  it('holds its directories from before it reads them until it has stopped, and is told who has them', async (t) => {
    const directory = temporaryDirectory(t);
    const node = await startTestNode({ directory });
    const logBefore = readFileSync(join(directory, '__cluster_metadata-0', '00000000000000000000.log'));
    await assert.rejects(startTestNode({ directory }), {
      name: 'StorageError',
      message: `Another process uses the log directory ${directory}. Stop it, or take another directory.`,
    });
    const log = readFileSync(join(directory, '__cluster_metadata-0', '00000000000000000000.log'));
    assert.ok(log.subarray(0, logBefore.length).equals(logBefore), 'the metadata log was not touched');
    const client = await WireClient.open(node.port);
    await produceText(client, 'unharmed', ['still here']);
    client.close();
    await node.stop();
    assert.ok(!existsSync(join(directory, '.lock')));
    await (await startTestNode({ directory })).stop();
  });

  it('keeps the metadata log in a directory of its own, which is locked as well', async (t) => {
    const [directory, metadataDirectory] = [temporaryDirectory(t), temporaryDirectory(t)];
    const properties = { 'metadata.log.dir': `${metadataDirectory}/` };
    const node = await startTestNode({ directory, properties });
    assert.ok(existsSync(join(metadataDirectory, '__cluster_metadata-0')));
    assert.ok(!existsSync(join(directory, '__cluster_metadata-0')));
    const other = temporaryDirectory(t);
    await assert.rejects(startTestNode({ directory: other, properties }), /Another process uses the log directory/);
    await node.stop();
    await (await startTestNode({ directory, properties })).stop();
  });

  it('is told apart from others by its node id and its cluster', async (t) => {
    const [directory, second] = [temporaryDirectory(t), temporaryDirectory(t)];
    await (await startTestNode({ directory })).stop();
    await assert.rejects(startTestNode({ directory, properties: { 'node.id': '2' } }), {
      message: `${directory} belongs to node 1, not to node 2. Start it with the node.id that it was formatted for, or with another directory.`,
    });
    await (await startTestNode({ directory: second })).stop();
    await assert.rejects(
      startTestNode({ directory, properties: { 'log.dirs': `${directory},${second}` } }),
      /belongs to cluster .*, but .* to cluster .*Directories of one node belong to one cluster/,
    );
    await (await startTestNode({ directory })).stop();
  });

  it('begins no new metadata log over logs that an old one knew', async (t) => {
    const [directory, empty] = [temporaryDirectory(t), temporaryDirectory(t)];
    const node = await startTestNode({ directory });
    const client = await WireClient.open(node.port);
    await produceText(client, 'precious', ['x']);
    client.close();
    await node.stop();
    await assert.rejects(
      startTestNode({ directory, properties: { 'metadata.log.dir': empty } }),
      /Is the right disk mounted there\?/,
    );
    assert.ok(!existsSync(join(empty, 'meta.properties')));
    await assert.rejects(
      startTestNode({ directory, properties: { 'log.dirs': directory, 'metadata.log.dir': `${directory}/precious-0` } }),
      /is to hold the metadata log/,
    );
  });

  it('tells every client the addresses of the listener over which it asks', async (t) => {
    const node = await startTestNode({
      properties: {
        listeners: 'PLAINTEXT://127.0.0.1:0,OUTSIDE://localhost:0,RAW://:0',
        'advertised.listeners': 'PLAINTEXT://inside.example:0,OUTSIDE://outside.example:4711,RAW://:0',
        'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,OUTSIDE:PLAINTEXT,RAW:PLAINTEXT,CONTROLLER:PLAINTEXT',
      },
      hostName: () => Promise.resolve('this-machine.example'),
    });
    t.after(() => node.stop());
    const [plain, outside, raw] = node.node.listeners;
    assert.deepEqual(
      [plain, outside, raw].map((listener) => listener?.host),
      ['inside.example', 'outside.example', 'this-machine.example'],
    );
    assert.equal(outside?.port, 4711);
    const told = async (port: number) => {
      const client = await WireClient.open(port);
      const { brokers } = await client.ask(metadata, 12, { topics: [], includeTopicAuthorizedOperations: false });
      client.close();
      return brokers.map(({ host, port: toldPort }) => ({ host, port: toldPort }));
    };
    assert.deepEqual(await told(plain?.port ?? 0), [{ host: 'inside.example', port: plain?.port }]);
    assert.deepEqual(await told(raw?.port ?? 0), [{ host: 'this-machine.example', port: raw?.port }]);
  });

  it('asks for the name of the machine only where it is told to somebody', async () => {
    const node = await startTestNode({ hostName: () => assert.fail('a look-up may take its time') });
    await node.stop();
  });

  it('serves both loopback addresses under one port by default', async (t) => {
    const node = await startTestNode();
    t.after(() => node.stop());
    assert.deepEqual(
      node.node.listeners.map(({ name, host }) => [name, host]),
      [['PLAINTEXT', 'localhost']],
    );
    for (const host of ['127.0.0.1', '::1']) {
      const client = await WireClient.open(node.port, host);
      const { brokers } = await client.ask(metadata, 12, { topics: [], includeTopicAuthorizedOperations: false });
      assert.deepEqual(brokers[0], { nodeId: 1, host: 'localhost', port: node.port, rack: null });
      client.close();
    }
  });

  it('says which listener cannot be bound and why, and leaves nothing behind', async (t) => {
    const node = await startTestNode();
    t.after(() => node.stop());
    const other = temporaryDirectory(t);
    const listeners = (address: string) => ({ directory: other, properties: { listeners: `PLAINTEXT://${address}` } });
    await assert.rejects(startTestNode(listeners(`127.0.0.1:${node.port}`)), {
      name: 'ListenError',
      code: 'EADDRINUSE',
      message: `Listener PLAINTEXT cannot listen on 127.0.0.1, port ${node.port}: the port is in use.`,
    });
    await assert.rejects(startTestNode(listeners('192.0.2.1:0')), {
      code: 'EADDRNOTAVAIL',
      message: 'Listener PLAINTEXT cannot listen on 192.0.2.1, port 0: this machine has no such address.',
    });
    await (await startTestNode({ directory: other })).stop();
  });
});
