import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { systemClock } from '../../src/platform/system-clock.ts';
import { isInternalTopic } from '../../src/broker/metadata-view.ts';
import { findCoordinator } from '../../src/protocol/messages/10-find-coordinator.ts';
import { metadata } from '../../src/protocol/messages/03-metadata.ts';
import { BrokerSide } from '../peer/differential/broker-side.ts';
import type { ErrorTexts } from '../peer/differential/deliberate.ts';
import { unintended } from '../peer/differential/deliberate.ts';
import { ask, compareOutcomes } from '../peer/differential/exchange.ts';
import { groupsAreServed } from '../peer/differential/groups-are-served.ts';
import { makers } from '../peer/differential/makers.ts';
import { Pairs } from '../peer/differential/pairs.ts';
import { readRecording, type RecordedExchange, type RecordedNode } from '../peer/differential/recording.ts';
import { freePorts } from '../peer/two-brokers.ts';
import { startTestNode, type TestNode } from '../server/test-node.ts';
import { WireClient } from './wire-client.ts';

/** Asked about everything, and about offsets of groups alone. */
const recordings = ['random-answers', 'offset-answers'];

/** A topic that was asked for comes into being some time after the answer. */
const TOPICS_WITHIN_MS = 5000;
/** Exchanges that only make the clusters alike. */
const BEGINNING = 3;

for (const name of recordings) {
  const { node: recorded, exchanges } = readRecording(new URL(`../golden/wire/${name}.jsonl.gz`, import.meta.url));
  describe(`requests made by chance, and the answers of Apache Kafka 4.4.0: ${name}`, () => {
    const pairs = new Pairs();
    let node: TestNode;
    let side: BrokerSide;
    let client: WireClient;

    before(async () => {
      node = await startAsRecorded(recorded, pairs);
      side = new BrokerSide(node.port);
      client = await WireClient.open(node.port);
    });
    after(async () => {
      client.close();
      side.close();
      await node.stop();
    });

    it(`are answered alike, ${exchanges.length} of them one after another`, async () => {
      const texts: ErrorTexts = new Map();
      for (const [index, exchange] of exchanges.entries()) {
        const { api, version, request, kafka } = exchange;
        const ottla = await ask(side, exchange, pairs);
        const sorted = makers.find((maker) => maker.api.key === api.key)?.sorted ?? {};
        const differences = compareOutcomes(api, kafka, ottla, { pairs, startedMs: recorded.startedMs, sorted });
        const wrong = unintended({ ...exchange, index, ottla, differences }, texts);
        assert.deepEqual(wrong, [], `${index}: ${api.name} v${version} ${JSON.stringify(request)}`);
        await topicsAreAsThen(exchange);
        if (exchange.api.key === findCoordinator.key && index < BEGINNING) await groupsAreServed(node.port);
      }
      assert.ok(exchanges.length > 1000);
    });

    async function topicsAreAsThen({ topics: wanted }: RecordedExchange): Promise<void> {
      if (wanted === undefined) return;
      const deadline = performance.now() + TOPICS_WITHIN_MS;
      for (;;) {
        const answer = await client.ask(metadata, 12, { topics: null, includeTopicAuthorizedOperations: false });
        const topics = answer.topics.filter(({ name }) => !isInternalTopic(name ?? ''));
        const ids = new Map(topics.map(({ name, topicId }) => [name ?? '', topicId]));
        const found = Object.fromEntries(topics.map(({ name, partitions }) => [name ?? '', partitions.length]));
        const counts: [string, number][] = Object.entries(wanted).map(([name, topic]) => [name, topic.partitions]);
        try {
          assert.deepEqual(found, Object.fromEntries(counts));
          for (const [name, { id }] of Object.entries(wanted)) assert.ok(pairs.match('topicId', id, ids.get(name)), name);
          return;
        } catch (error) {
          if (performance.now() > deadline) throw error;
        }
      }
    }
  });
}

/** A node with the properties of the one that was recorded, at its time. */
async function startAsRecorded(recorded: RecordedNode, pairs: Pairs): Promise<TestNode> {
  const [broker = '', controller = '', directory = ''] = recorded.addresses;
  const [port, controllerPort] = await freePorts();
  pairs.learn('address', broker, `127.0.0.1:${port}`);
  pairs.learn('address', controller, `127.0.0.1:${controllerPort}`);
  const toOurs = (text: string): string =>
    text.replaceAll(broker, `127.0.0.1:${port}`).replaceAll(controller, `127.0.0.1:${controllerPort}`);
  const { 'log.dirs': _theirs, ...rest } = recorded.properties;
  const properties = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, toOurs(value)]));
  const shiftMs = recorded.startedMs - systemClock.now();
  const clock = { ...systemClock, now: () => systemClock.now() + shiftMs };
  const node = await startTestNode({ properties, clock });
  pairs.learn('directory', directory, node.directory);
  pairs.learn('clusterId', recorded.clusterId, node.clusterId);
  return node;
}
