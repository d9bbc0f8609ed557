import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { metadataRecord } from '../../src/metadata/metadata-record.ts';
import { codeOf, type ErrorName } from '../../src/protocol/errors.ts';
import { consumerGroupHeartbeat } from '../../src/protocol/messages/68-consumer-group-heartbeat.ts';
import { consumerGroupDescribe } from '../../src/protocol/messages/69-consumer-group-describe.ts';
import type { RequestInput } from '../../src/protocol/schema.ts';
import type { AclOperation, Authorizer, ResourceType } from '../../src/security/authorizer.ts';
import { TestBroker } from './test-broker.ts';

interface Options {
  readonly properties?: Readonly<Record<string, string>>;
  readonly groupVersion?: number;
  /** What is forbidden: `DESCRIBE TOPIC secret`. */
  readonly forbidden?: readonly string[];
}

async function start({ properties = {}, groupVersion = 1, forbidden = [] }: Options = {}): Promise<TestBroker> {
  const authorizer: Authorizer = {
    isAllowed: (_subject, operation: AclOperation, type: ResourceType, name) =>
      !forbidden.includes(`${operation} ${type} ${name}`),
  };
  const broker = await TestBroker.start({ properties, services: { authorizer } });
  broker.apply(metadataRecord('FeatureLevelRecord', 0, { name: 'group.version', featureLevel: groupVersion }));
  broker.createTopic('__consumer_offsets', { partitions: 1 });
  for (const name of ['open', 'secret']) broker.createTopic(name, { partitions: 2 });
  await broker.settle();
  return broker;
}

const join: RequestInput<typeof consumerGroupHeartbeat> = {
  groupId: 'g',
  memberId: 'm',
  memberEpoch: 0,
  rebalanceTimeoutMs: 1000,
  subscribedTopicNames: ['open'],
  topicPartitions: [],
};

const ask = (broker: TestBroker, request: Partial<RequestInput<typeof consumerGroupHeartbeat>> = {}) =>
  broker.environment.clock.scheduler.resolve(broker.call(consumerGroupHeartbeat, 1, { ...join, ...request }));

const describeGroups = (broker: TestBroker, ...groupIds: string[]) =>
  broker.call(consumerGroupDescribe, 1, { groupIds, includeAuthorizedOperations: true });

const isRefused = (answer: { readonly errorCode: number }, error: ErrorName): void =>
  assert.equal(answer.errorCode, codeOf(error));

describe('The consumer protocol', () => {
  it('is not spoken before the cluster has agreed on it', async () => {
    const broker = await start({ groupVersion: 0 });
    isRefused(await ask(broker), 'UNSUPPORTED_VERSION');
    const { groups } = await describeGroups(broker, 'g', 'h');
    assert.deepEqual(
      groups.map(({ groupId, errorCode }) => [groupId, errorCode]),
      [
        ['g', codeOf('UNSUPPORTED_VERSION')],
        ['h', codeOf('UNSUPPORTED_VERSION')],
      ],
    );
  });

  it('is not spoken by a broker that is told not to', async () => {
    isRefused(
      await ask(await start({ properties: { 'group.coordinator.rebalance.protocols': 'classic' } })),
      'UNSUPPORTED_VERSION',
    );
  });

  it('is spoken with those who may read the group and know of its topics', async () => {
    isRefused(await ask(await start({ forbidden: ['READ GROUP g'] })), 'GROUP_AUTHORIZATION_FAILED');
    const broker = await start({ forbidden: ['DESCRIBE TOPIC secret'] });
    isRefused(await ask(broker, { subscribedTopicNames: ['open', 'secret'] }), 'TOPIC_AUTHORIZATION_FAILED');
    isRefused(await ask(broker), 'NONE');
  });

  it('finds only topics that the member may know of', async () => {
    const broker = await start({ forbidden: ['DESCRIBE TOPIC secret'] });
    await ask(broker, { subscribedTopicNames: null, subscribedTopicRegex: 'open|secret' });
    await broker.advance(1);
    const { assignment } = await ask(broker, { memberEpoch: 1, rebalanceTimeoutMs: -1, subscribedTopicNames: null });
    assert.deepEqual(
      assignment?.topicPartitions.map(({ topicId }) => topicId),
      [broker.topicId('open')],
    );
  });

  it('tells of groups to those who may know of them and of their topics', async () => {
    const forbidden = ['DESCRIBE GROUP hidden'];
    const broker = await start({ forbidden });
    await ask(broker);
    await ask(broker, { groupId: 'other', subscribedTopicNames: ['secret'] });
    forbidden.push('DESCRIBE TOPIC secret', 'DELETE GROUP g');
    const { groups } = await describeGroups(broker, 'g', 'hidden', 'other', '', 'nobody');
    const [open, hidden, other, nameless, nobody] = groups;
    assert.ok(
      open !== undefined && hidden !== undefined && other !== undefined && nameless !== undefined && nobody !== undefined,
    );
    assert.deepEqual([open.errorCode, open.members.length, open.groupState, open.assignorName], [0, 1, 'Stable', 'uniform']);
    // READ, DESCRIBE, DESCRIBE_CONFIGS and ALTER_CONFIGS.
    assert.equal(open.authorizedOperations, (1 << 3) | (1 << 8) | (1 << 10) | (1 << 11));
    isRefused(hidden, 'GROUP_AUTHORIZATION_FAILED');
    isRefused(other, 'TOPIC_AUTHORIZATION_FAILED');
    assert.deepEqual(other.members, []);
    isRefused(nameless, 'INVALID_GROUP_ID');
    isRefused(nobody, 'GROUP_ID_NOT_FOUND');
    assert.equal(nobody.errorMessage, 'Group nobody not found.');
  });

  it('survives patterns and subscriptions of any size', async () => {
    const broker = await start();
    const tooLarge = Array.from({ length: 10_000 }, (_, index) => `${'x'.repeat(110)}${index}`);
    const large = await ask(broker, { groupId: 'large', subscribedTopicNames: tooLarge });
    assert.deepEqual([large.errorCode, large.errorMessage], [codeOf('UNKNOWN_SERVER_ERROR'), null]);
    isRefused((await describeGroups(broker, 'large')).groups[0] ?? { errorCode: 0 }, 'GROUP_ID_NOT_FOUND');
    const many = Array.from({ length: 10_000 }, (_, index) => `t${index}`);
    isRefused(await ask(broker, { groupId: 'many', subscribedTopicNames: [...many, 'open'] }), 'NONE');
    for (const subscribedTopicRegex of [
      '(a?){1000}'.repeat(9),
      '((((a{1000}){1000}){1000})',
      '('.repeat(5_000),
      'a'.repeat(20_000),
    ])
      isRefused(
        await ask(broker, { groupId: 'evil', subscribedTopicNames: null, subscribedTopicRegex }),
        'INVALID_REGULAR_EXPRESSION',
      );
  });
});
