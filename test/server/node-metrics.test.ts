import assert from 'node:assert/strict';
import { it } from 'node:test';
import { WireClient } from '../conformance/wire-client.ts';
import { append, fetchFrom, produceText } from './node-client.ts';
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
