import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { codeOf } from '../../src/protocol/errors.ts';
import { describeConfigs } from '../../src/protocol/messages/32-describe-configs.ts';
import { alterConfigs } from '../../src/protocol/messages/33-alter-configs.ts';
import { incrementalAlterConfigs } from '../../src/protocol/messages/44-incremental-alter-configs.ts';
import type { LogLevels } from '../../src/broker/log-levels.ts';
import { TestBroker } from './test-broker.ts';

describe('DescribeConfigs', () => {
  const describeOne = async (resourceType: number, resourceName: string, keys: string[] | null = null) => {
    const broker = await TestBroker.start({ properties: { 'num.partitions': '4' } });
    broker.createTopic('a', { configs: { 'retention.ms': '1000' } });
    const resources = [{ resourceType, resourceName, configurationKeys: keys }];
    const { results } = await broker.call(describeConfigs, 4, { resources, includeSynonyms: true, includeDocumentation: true });
    assert.ok(results[0] !== undefined);
    return results[0];
  };

  it('tells where the values of a topic come from', async () => {
    const { configs, errorCode, errorMessage } = await describeOne(2, 'a', ['retention.ms', 'segment.bytes', 'nothing']);
    assert.deepEqual([errorCode, errorMessage], [0, '']);
    const [retention, segment] = configs.toSorted((one, other) => (one.name < other.name ? -1 : 1));
    assert.deepEqual([retention?.value, retention?.configSource, retention?.configType], ['1000', 1, 5]);
    assert.deepEqual(retention?.synonyms, [{ name: 'retention.ms', value: '1000', source: 1 }]);
    assert.deepEqual(segment?.synonyms, [{ name: 'log.segment.bytes', value: '1073741824', source: 5 }]);
    assert.ok((segment?.documentation?.length ?? 0) > 0);
    assert.ok((await describeOne(2, 'a', [])).configs.length > 30, 'no names are all names');
  });

  it('describes this broker, what holds for all, groups and metrics subscriptions', async () => {
    const partitions = (await describeOne(4, '1', ['num.partitions'])).configs[0];
    assert.deepEqual([partitions?.value, partitions?.configSource, partitions?.readOnly], ['4', 4, true]);
    assert.deepEqual((await describeOne(4, '')).configs, []);
    assert.ok((await describeOne(32, 'g')).configs.length > 20);
    assert.equal((await describeOne(16, 's')).configs.length, 3);
    assert.deepEqual(
      (await describeOne(8, '1')).configs.map(({ name, configSource }) => [name, configSource]),
      [['root', 6]],
    );
  });

  it('says what it cannot describe, and why, as Kafka does', async () => {
    const refusals: readonly (readonly [number, string, string, string])[] = [
      [2, 'zz', 'UNKNOWN_TOPIC_OR_PARTITION', ''],
      [2, '', 'INVALID_TOPIC_EXCEPTION', 'Topic name is invalid: the empty string is not allowed'],
      [4, '2', 'INVALID_REQUEST', 'Unexpected broker id, expected 1 or empty string, but received 2'],
      [4, 'x', 'INVALID_REQUEST', 'Broker id must be an integer, but it is: x'],
      [8, '2', 'INVALID_REQUEST', 'Unexpected broker id, expected 1 but received 2'],
      [8, '', 'INVALID_REQUEST', 'Broker id must not be empty'],
      [16, '', 'INVALID_REQUEST', 'Client metrics subscription name must not be empty'],
      [32, '', 'INVALID_REQUEST', 'Group name must not be empty'],
    ];
    for (const [type, name, error, message] of refusals) {
      const { errorCode, errorMessage } = await describeOne(type, name);
      assert.deepEqual([errorCode, errorMessage], [codeOf(error as 'INVALID_REQUEST'), message]);
    }
    assert.equal((await describeOne(77, 'x')).errorCode, codeOf('INVALID_REQUEST'));
  });
});

describe('IncrementalAlterConfigs', () => {
  type Change = readonly [type: number, name: string, ...configs: (readonly [string, number, string | null])[]];
  const alter = async (broker: TestBroker, changes: readonly Change[], validateOnly = false) => {
    const resources = changes.map(([resourceType, resourceName, ...configs]) => ({
      resourceType,
      resourceName,
      configs: configs.map(([name, configOperation, value]) => ({ name, configOperation, value })),
    }));
    const { responses } = await broker.call(incrementalAlterConfigs, 1, { resources, validateOnly });
    return responses.map(({ errorCode, errorMessage, resourceName }) => [resourceName, errorCode, errorMessage]);
  };
  const INVALID = codeOf('INVALID_REQUEST');

  it('leaves topics to the controller, and puts answers in the order of the request', async () => {
    const broker = await TestBroker.start();
    broker.controller.send = async (_api, request) => {
      const { resources } = request as { resources: { resourceType: number; resourceName: string }[] };
      return {
        throttleTimeMs: 0,
        responses: resources.toReversed().map((resource) => ({ ...resource, errorCode: 0, errorMessage: null })),
      } as never;
    };
    const answers = await alter(broker, [
      [2, 'a', ['retention.ms', 0, '1']],
      [4, '7', ['log.cleaner.threads', 0, '2']],
      [2, 'b', ['retention.ms', 0, '1']],
    ]);
    assert.deepEqual(answers, [
      ['a', 0, null],
      ['7', INVALID, 'Unexpected broker id, expected 1, but received 7'],
      ['b', 0, null],
    ]);
  });

  it('refuses what is wrong in itself, or what this broker cannot take, without asking the controller', async () => {
    const broker = await TestBroker.start();
    const refused: readonly (readonly [Change, string])[] = [
      [[77, 'x', ['a', 0, '1']], 'Unknown resource type 77'],
      [[2, 'a', ['retention.ms', 0, '1'], ['retention.ms', 0, '2']], 'Error due to duplicate config keys'],
      [[2, 'a', ['retention.ms', 0, null]], 'Null value not supported for : retention.ms'],
      [[4, 'x', ['log.cleaner.threads', 0, '1']], 'Node id must be an integer, but it is: x'],
      [[4, '1', ['node.id', 0, '2']], 'Cannot update these configs dynamically: [node.id]'],
      [
        [4, '', ['listeners', 0, 'PLAINTEXT://:1']],
        'Cannot update these configs at default cluster level, broker id must be specified: [listeners]',
      ],
      [
        [4, '1', ['log.cleaner.threads', 0, 'a']],
        'Invalid value a for configuration log.cleaner.threads: Not a number of type INT',
      ],
    ];
    for (const [change, message] of refused) assert.deepEqual(await alter(broker, [change]), [[change[1], INVALID, message]]);
    const twice: Change = [2, 'a', ['retention.ms', 0, '1']];
    assert.deepEqual(
      (await alter(broker, [twice, twice])).map(([, error]) => error),
      [INVALID, INVALID],
    );
    assert.deepEqual(broker.controller.sent, []);
  });

  it('changes the levels of its loggers itself', async () => {
    const levels = new Map([
      ['root', 'INFO'],
      ['log', 'INFO'],
    ]);
    const logLevels: LogLevels = {
      levels,
      set: (name, level) => void levels.set(name, level),
      clear: (name) => void levels.set(name, 'INFO'),
    };
    const broker = await TestBroker.start({ services: { logLevels } });
    assert.deepEqual(await alter(broker, [[8, '1', ['log', 0, 'DEBUG']]], true), [['1', 0, null]]);
    assert.equal(levels.get('log'), 'INFO', 'only looked at');
    await alter(broker, [[8, '1', ['log', 0, 'DEBUG']]]);
    assert.equal(levels.get('log'), 'DEBUG');
    await alter(broker, [[8, '1', ['log', 1, null]]]);
    assert.equal(levels.get('log'), 'INFO');
    const wrong: readonly (readonly [Change, RegExp])[] = [
      [[8, '2', ['log', 0, 'DEBUG']], /^Unexpected node id/],
      [[8, '1', ['nope', 0, 'DEBUG']], /^Logger nope does not exist!$/],
      [[8, '1', ['log', 0, 'LOUD']], /Valid log levels are DEBUG, ERROR, FATAL, INFO, TRACE, WARN$/],
      [[8, '1', ['root', 1, null]], /^Removing the log level of the root logger is not allowed$/],
      [[8, '1', ['root', 2, 'INFO']], /^APPEND operation is not allowed/],
    ];
    for (const [change, message] of wrong) assert.match(String((await alter(broker, [change]))[0]?.[2]), message);
  });
});

describe('AlterConfigs', () => {
  type Change = readonly [type: number, name: string, ...configs: (readonly [string, string | null])[]];
  const alter = async (broker: TestBroker, changes: readonly Change[]) => {
    const resources = changes.map(([resourceType, resourceName, ...configs]) => ({
      resourceType,
      resourceName,
      configs: configs.map(([name, value]) => ({ name, value })),
    }));
    const { responses } = await broker.call(alterConfigs, 2, { resources, validateOnly: false });
    return responses.map(({ errorCode, errorMessage, resourceName }) => [resourceName, errorCode, errorMessage]);
  };
  const INVALID = codeOf('INVALID_REQUEST');

  it('asks the controller for what this broker has nothing against, and answers in the order of the request', async () => {
    const broker = await TestBroker.start();
    broker.controller.send = async (_api, request) => {
      const { resources } = request as { resources: { resourceType: number; resourceName: string }[] };
      return {
        throttleTimeMs: 0,
        responses: resources.toReversed().map((resource) => ({ ...resource, errorCode: 0, errorMessage: null })),
      } as never;
    };
    const answers = await alter(broker, [
      [2, 'a', ['retention.ms', '1']],
      [4, '7', ['log.cleaner.threads', '2']],
      [32, 'g', ['consumer.session.timeout.ms', '50000']],
    ]);
    assert.deepEqual(answers, [
      ['a', 0, null],
      ['7', INVALID, 'Unexpected broker id, expected 1, but received 7'],
      ['g', 0, null],
    ]);
  });

  it('refuses what is wrong in itself, or what this broker cannot take, in the words of Apache Kafka 4.4.0', async () => {
    const broker = await TestBroker.start();
    const refused: readonly (readonly [Change, string])[] = [
      [[77, 'x', ['a', '1']], 'Unknown resource type 77'],
      [[77, 'x', ['a', null]], 'Null value not supported for : a'],
      [[8, '1', ['root', 'INFO']], 'Unknown resource type 8'],
      [[2, 'a', ['retention.ms', '1'], ['retention.ms', null]], 'Error due to duplicate config keys'],
      [[2, 'a', ['retention.ms', null], ['x', null]], 'Null value not supported for : retention.ms, x'],
      [[4, 'x', ['log.cleaner.threads', '1']], 'Node id must be an integer, but it is: x'],
      [[4, '1', ['log.cleaner.threads', '2'], ['node.id', '2']], 'Cannot update these configs dynamically: [node.id]'],
    ];
    for (const [change, message] of refused) assert.deepEqual(await alter(broker, [change]), [[change[1], INVALID, message]]);
    // Apache Kafka 4.4.0 never answers this one.
    const twice: Change = [2, 'a', ['retention.ms', '1']];
    assert.deepEqual(
      (await alter(broker, [twice, twice])).map(([, error]) => error),
      [INVALID, INVALID],
    );
    assert.deepEqual(broker.controller.sent, []);
  });
});
