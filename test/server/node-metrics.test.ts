import assert from 'node:assert/strict';
import { it } from 'node:test';
import { deleteTopics } from '../../src/protocol/messages/20-delete-topics.ts';
import { WireClient } from '../conformance/wire-client.ts';
import { append, fetchFrom, NO_TOPIC, produceText } from './node-client.ts';
import { startTestNode, withController } from './test-node.ts';

it('all numbers of a node are in the registry of its environment, under the names of Apache Kafka', async (t) => {
  const node = await startTestNode({ properties: withController });
  t.after(() => node.stop());
  const client = await WireClient.open(node.port);
  const waiting = await WireClient.open(node.port);
  t.after(() => [client, waiting].forEach((each) => each.close()));
  const gauge = (name: string): number => {
    const read = node.metrics.gauges.get(name);
    assert.ok(read !== undefined, name);
    return read();
  };
  const counted = (name: string): number => node.metrics.counters.get(name)?.value ?? 0;

  const topicId = await produceText(client, 'counted', ['one', 'two']);
  const answer = fetchFrom(waiting, topicId, { fetchOffset: 2, maxWaitMs: 60_000 });
  const delayed = 'kafka.server:type=DelayedOperationPurgatory,name=NumDelayedOperations,delayedOperation=Fetch';
  while (gauge(delayed) === 0) await fetchFrom(client, topicId);
  assert.equal(gauge(delayed), 1);
  assert.equal(await append(client, topicId, ['three']), 0);
  await answer;
  assert.equal(gauge(delayed), 0);

  assert.equal(gauge('kafka.server:type=ReplicaManager,name=PartitionCount'), 1);
  assert.equal(gauge('kafka.server:type=ReplicaManager,name=LeaderCount'), 1);
  assert.equal(gauge('kafka.controller:type=KafkaController,name=ActiveControllerCount'), 1);
  assert.equal(gauge('kafka.controller:type=KafkaController,name=ActiveBrokerCount'), 1);
  assert.equal(gauge('kafka.server:type=socket-server-metrics,listener=PLAINTEXT,name=connection-count'), 2);
  assert.equal(gauge('kafka.server:type=socket-server-metrics,listener=CONTROLLER,name=connection-count'), 0);
  assert.equal(counted('kafka.server:type=BrokerTopicMetrics,name=MessagesInPerSec'), 3);
  assert.equal(counted('kafka.server:type=BrokerTopicMetrics,name=MessagesInPerSec,topic=counted'), 3);
  assert.equal(counted('kafka.network:type=RequestMetrics,name=RequestsPerSec,request=Produce,version=13'), 2);
  assert.equal(counted('kafka.network:type=RequestMetrics,name=ErrorsPerSec,request=Produce,error=NONE'), 2);
});

it('the numbers of a topic go with its last replica, and those of another stay', async (t) => {
  const node = await startTestNode();
  t.after(() => node.stop());
  const client = await WireClient.open(node.port);
  t.after(() => client.close());
  await produceText(client, 'going', ['one']);
  await produceText(client, 'staying', ['one']);
  const namesOf = (topic: string): string[] =>
    [...node.metrics.counters.keys()].filter((name) => name.endsWith(`topic=${topic}`));
  assert.ok(namesOf('going').length > 2);
  const before = namesOf('staying');
  await client.ask(deleteTopics, 6, { topics: [{ name: 'going', topicId: NO_TOPIC }], topicNames: [], timeoutMs: 10_000 });
  assert.deepEqual([namesOf('going'), namesOf('staying')], [[], before]);
  await produceText(client, 'going', ['one', 'two']);
  const messages = 'kafka.server:type=BrokerTopicMetrics,name=MessagesInPerSec,topic=going';
  assert.equal(node.metrics.counters.get(messages)?.value, 2);
});
