import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { codeOf } from '../../src/protocol/errors.ts';
import { createTopics } from '../../src/protocol/messages/19-create-topics.ts';
import { describeConfigs } from '../../src/protocol/messages/32-describe-configs.ts';
import { incrementalAlterConfigs } from '../../src/protocol/messages/44-incremental-alter-configs.ts';
import { describeQuorum } from '../../src/protocol/messages/55-describe-quorum.ts';
import { updateFeatures } from '../../src/protocol/messages/57-update-features.ts';
import { describeCluster } from '../../src/protocol/messages/60-describe-cluster.ts';
import { WireClient } from '../conformance/wire-client.ts';
import { advertisedApis, startTestNode, type TestNode, withController } from './test-node.ts';

const BROKER_RESOURCE = 4;
const TOPIC_RESOURCE = 2;

describe("the listener of a node's controller", () => {
  let node: TestNode;
  let controller: WireClient;
  let broker: WireClient;
  before(async () => {
    node = await startTestNode({ properties: withController });
    controller = await WireClient.open(node.controllerPort);
    broker = await WireClient.open(node.port);
  });
  after(async () => {
    controller.close();
    broker.close();
    await node.stop();
  });

  it('offers what the controller decides and tells, and nothing of a broker', async () => {
    const offered = [...(await advertisedApis(node.controllerPort))];
    assert.deepEqual(offered, [18, 19, 20, 32, 33, 37, 43, 44, 55, 56, 57, 60, 62, 63, 64, 67, 70, 73, 94]);
  });

  it('tells where the controllers are and which of them decides', async () => {
    const answer = await controller.ask(describeCluster, 2, {
      endpointType: 2,
      includeClusterAuthorizedOperations: false,
      includeFencedBrokers: false,
    });
    assert.deepEqual(
      { ...answer, brokers: answer.brokers.map(({ brokerId, host, port }) => ({ brokerId, host, port })) },
      {
        throttleTimeMs: 0,
        errorCode: 0,
        errorMessage: null,
        endpointType: 2,
        clusterId: node.clusterId,
        controllerId: 1,
        brokers: [{ brokerId: 1, host: '127.0.0.1', port: node.controllerPort }],
        clusterAuthorizedOperations: -2147483648,
      },
    );
    const refused = await controller.ask(describeCluster, 2, {
      endpointType: 3,
      includeClusterAuthorizedOperations: false,
      includeFencedBrokers: false,
    });
    assert.equal(refused.errorCode, codeOf('UNSUPPORTED_ENDPOINT_TYPE'));
  });

  it('describes the quorum', async () => {
    const topics = [{ topicName: '__cluster_metadata', partitions: [{ partitionIndex: 0 }] }];
    const answer = await controller.ask(describeQuorum, 2, { topics });
    assert.equal(answer.topics[0]?.partitions[0]?.leaderId, 1);
    assert.deepEqual(
      answer.nodes.map(({ nodeId, listeners }) => [nodeId, listeners.map(({ name }) => name)]),
      [[1, ['CONTROLLER']]],
    );
  });

  it('makes topics that the broker serves', async () => {
    const topic = { name: 'made-by-controller', numPartitions: 2, replicationFactor: 1, assignments: [], configs: [] };
    const answer = await controller.ask(createTopics, 7, { topics: [topic], timeoutMs: 5000 });
    assert.equal(answer.topics[0]?.errorCode, 0);
    const again = await broker.ask(createTopics, 7, { topics: [topic], timeoutMs: 5000 });
    assert.equal(again.topics[0]?.errorCode, codeOf('TOPIC_ALREADY_EXISTS'));
  });

  it('takes configs of brokers, describes them, and the broker goes by them', async () => {
    const configs = [{ name: 'log.retention.ms', configOperation: 0, value: '12345' }];
    const resources = [{ resourceType: BROKER_RESOURCE, resourceName: '', configs }];
    const altered = await controller.ask(incrementalAlterConfigs, 1, { resources, validateOnly: false });
    assert.equal(altered.responses[0]?.errorCode, 0);
    const asked = { resourceType: TOPIC_RESOURCE, resourceName: 'made-by-controller', configurationKeys: ['retention.ms'] };
    for (const client of [controller, broker]) {
      const answer = await client.ask(describeConfigs, 4, {
        resources: [asked],
        includeSynonyms: false,
        includeDocumentation: false,
      });
      assert.equal(answer.results[0]?.configs[0]?.value, '12345');
    }
  });

  it('says what features may become', async () => {
    const featureUpdates = [{ feature: 'group.version', maxVersionLevel: 99, upgradeType: 1 }];
    const answer = await controller.ask(updateFeatures, 1, { featureUpdates, validateOnly: true, timeoutMs: 1000 });
    assert.notEqual(answer.results[0]?.errorCode ?? answer.errorCode, 0);
  });
});
