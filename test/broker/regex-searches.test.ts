import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metadataRecord } from '../../src/metadata/metadata-record.ts';
import { consumerGroupHeartbeat } from '../../src/protocol/messages/68-consumer-group-heartbeat.ts';
import type { Authorizer } from '../../src/security/authorizer.ts';
import { TestBroker } from './test-broker.ts';

const GROUPS = 12;
const TOPICS = 5;

test('Searches of many groups take turns two at a time, and the topics of each are found', async () => {
  const looks: string[] = [];
  let spentMs = 0;
  const authorizer: Authorizer = {
    isAllowed: (_subject, operation, type, name) => {
      if (operation !== 'DESCRIBE' || type !== 'TOPIC') return true;
      looks.push(name);
      // Every look is a turn of its own.
      spentMs += 11;
      return true;
    },
  };
  const broker = await TestBroker.start({ services: { authorizer } });
  const { clock } = broker.environment;
  const monotonic = clock.monotonic.bind(clock);
  clock.monotonic = () => monotonic() + spentMs;
  broker.apply(metadataRecord('FeatureLevelRecord', 0, { name: 'group.version', featureLevel: 1 }));
  broker.createTopic('__consumer_offsets', { partitions: 4 });
  for (let index = 0; index < TOPICS; index++) broker.createTopic(`orders-${index}`, { partitions: 1 });
  await broker.settle();
  const join = { memberId: 'm', memberEpoch: 0, rebalanceTimeoutMs: 10_000, topicPartitions: [] };
  const joined = Array.from({ length: GROUPS }, (_, index) =>
    broker.call(consumerGroupHeartbeat, 1, { ...join, groupId: `g${index}`, subscribedTopicRegex: 'orders-.*' }),
  );
  await broker.settle();
  await Promise.all(joined);
  await broker.advance(1000);
  const names = Array.from({ length: TOPICS }, (_, index) => `orders-${index}`);
  const inPairs = names.flatMap((name) => [name, name]);
  assert.deepEqual(looks, Array.from({ length: GROUPS / 2 }, () => inPairs).flat());
});
