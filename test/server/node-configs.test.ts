import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createNodeLogger } from '../../src/platform/node-logger.ts';
import { systemClock } from '../../src/platform/system-clock.ts';
import { systemEnvironment } from '../../src/platform/system-environment.ts';
import { codeOf } from '../../src/protocol/errors.ts';
import { describeConfigs } from '../../src/protocol/messages/32-describe-configs.ts';
import { incrementalAlterConfigs } from '../../src/protocol/messages/44-incremental-alter-configs.ts';
import { startNode } from '../../src/server/start-node.ts';
import { WireClient } from '../conformance/wire-client.ts';
import { append, type Asker, batchOf, fetchFrom, makeTopic } from './node-client.ts';
import { temporaryDirectory } from './temporary-directory.ts';
import { startTestNode } from './test-node.ts';
import { RecordBatch } from '../../src/protocol/records/record-batch.ts';

const BROKER = 4;
const BROKER_LOGGER = 8;
const SET = 0;
const DELETE = 1;

type Change = readonly [name: string, value: string | null];

/** Sets configs of a resource (null: takes them back) and gives the error code. */
async function alter(client: Asker, [type, name]: readonly [number, string], ...changes: Change[]): Promise<number> {
  const configs = changes.map(([config, value]) => ({ name: config, configOperation: value === null ? DELETE : SET, value }));
  const resources = [{ resourceType: type, resourceName: name, configs }];
  const { responses } = await client.ask(incrementalAlterConfigs, 1, { resources, validateOnly: false });
  return responses[0]?.errorCode ?? -1;
}

const allBrokers = [BROKER, ''] as const;
const thisBroker = [BROKER, '1'] as const;

describe('a config of brokers that is changed while a node runs', () => {
  it('holds for what is appended from then on, the one for this broker before the one for all', async (t) => {
    const node = await startTestNode();
    t.after(() => node.stop());
    const client = await WireClient.open(node.port);
    const topicId = await makeTopic(client, 'limited');
    const size = batchOf(['x'.repeat(200)]).length;
    const appendOne = () => append(client, topicId, ['x'.repeat(200)]);
    assert.equal(await appendOne(), 0);
    assert.equal(await alter(client, allBrokers, ['message.max.bytes', String(size - 1)]), 0);
    assert.equal(await appendOne(), codeOf('MESSAGE_TOO_LARGE'));
    assert.equal(await alter(client, thisBroker, ['message.max.bytes', String(size)]), 0);
    assert.equal(await appendOne(), 0);
    assert.equal(await alter(client, thisBroker, ['message.max.bytes', null]), 0);
    assert.equal(await appendOne(), codeOf('MESSAGE_TOO_LARGE'));
    assert.equal(await alter(client, allBrokers, ['message.max.bytes', null]), 0);
    assert.equal(await appendOne(), 0);
    client.close();
  });

  it('holds for how records are compressed and kept', async (t) => {
    const node = await startTestNode({
      properties: { 'log.retention.ms': '-1', 'log.initial.task.delay.ms': '0', 'log.retention.check.interval.ms': '10' },
    });
    t.after(() => node.stop());
    const client = await WireClient.open(node.port);
    const topicId = await makeTopic(client, 'changing');
    assert.equal(await alter(client, allBrokers, ['compression.type', 'gzip']), 0);
    await append(client, topicId, ['x'.repeat(1000)]);
    const { records } = await fetchFrom(client, topicId);
    assert.equal(new RecordBatch(Buffer.from(records ?? []), 0).codec, 'gzip');
    // The record is old: with any limit it has to go, as soon as somebody looks.
    assert.equal(await alter(client, allBrokers, ['log.retention.ms', '1000'], ['log.roll.ms', '1']), 0);
    await append(client, topicId, ['y']);
    for (;;) {
      const { logStartOffset } = await fetchFrom(client, topicId, { fetchOffset: 2, maxWaitMs: 20 });
      if (logStartOffset > 0) break;
    }
    client.close();
  });

  it('holds for how many connections there may be', async (t) => {
    const node = await startTestNode();
    t.after(() => node.stop());
    const client = await WireClient.open(node.port);
    const topicId = await makeTopic(client, 'any');
    const canAsk = async (): Promise<boolean> => {
      const other = await WireClient.open(node.port);
      return fetchFrom(other, topicId)
        .then(() => true)
        .catch(() => false)
        .finally(() => other.close());
    };
    assert.equal(await canAsk(), true);
    assert.equal(await alter(client, thisBroker, ['max.connections.per.ip', '1']), 0);
    assert.equal(await canAsk(), false);
    assert.equal(await alter(client, thisBroker, ['max.connections.per.ip', null]), 0);
    assert.equal(await canAsk(), true);
    client.close();
  });

  it('still holds after the next start', async (t) => {
    const directory = temporaryDirectory(t);
    let node = await startTestNode({ directory });
    let client = await WireClient.open(node.port);
    const topicId = await makeTopic(client, 'limited');
    assert.equal(await alter(client, allBrokers, ['message.max.bytes', '100']), 0);
    client.close();
    await node.stop();
    node = await startTestNode({ directory });
    client = await WireClient.open(node.port);
    assert.equal(await append(client, topicId, ['x'.repeat(100)]), codeOf('MESSAGE_TOO_LARGE'));
    client.close();
    await node.stop();
  });

  it('is refused when it cannot change while a node runs', async (t) => {
    const node = await startTestNode();
    t.after(() => node.stop());
    const client = await WireClient.open(node.port);
    assert.equal(await alter(client, allBrokers, ['num.partitions', '7']), codeOf('INVALID_REQUEST'));
    assert.equal(await alter(client, allBrokers, ['message.max.bytes', 'many']), codeOf('INVALID_REQUEST'));
    client.close();
  });
});

describe('the level of a logger', () => {
  it('is described, and changed while the node runs', async (t) => {
    const directory = temporaryDirectory(t);
    const lines: string[] = [];
    const { logger, levels } = createNodeLogger({
      write: (line) => lines.push(line),
      clock: systemClock,
      format: 'json',
      level: 'warn',
    });
    const node = await startNode(systemEnvironment({ logger }), {
      texts: new Map(),
      embedded: { dataDirectory: directory, port: 0 },
      logLevels: levels,
    });
    const client = await WireClient.open(node.listeners[0]?.port ?? 0);
    const described = async () => {
      const resources = [{ resourceType: BROKER_LOGGER, resourceName: '1', configurationKeys: null }];
      const { results } = await client.ask(describeConfigs, 4, {
        resources,
        includeSynonyms: false,
        includeDocumentation: false,
      });
      return new Map(results[0]?.configs.map(({ name, value }) => [name, value]));
    };
    const before = await described();
    assert.equal(before.get('root'), 'WARN');
    assert.equal(before.get('request'), 'WARN');
    assert.ok(before.has('controller') && before.has('network'));
    const loggers = [BROKER_LOGGER, '1'] as const;
    assert.equal(await alter(client, loggers, ['request', 'DEBUG']), 0);
    assert.equal((await described()).get('request'), 'DEBUG');
    assert.ok(lines.some((line) => line.includes('Completed request') && line.includes('DescribeConfigs')));
    assert.equal(await alter(client, loggers, ['request', null], ['root', 'FATAL']), 0);
    const after = await described();
    assert.deepEqual([after.get('request'), after.get('root')], ['FATAL', 'FATAL']);
    assert.equal(await alter(client, loggers, ['nobody', 'DEBUG']), codeOf('INVALID_CONFIG'));
    client.close();
    await node.stop();
  });
});
