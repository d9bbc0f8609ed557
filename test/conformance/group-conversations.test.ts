import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { groupsAreServed } from '../peer/differential/groups-are-served.ts';
import { conversationSets } from '../peer/groups/conversation-sets.ts';
import { repeatConversation } from '../peer/groups/repeat-conversation.ts';
import { groupConversations } from '../peer/groups/recorded-conversations.ts';
import { startTestNode, type TestNode } from '../server/test-node.ts';
import { SteeredClock } from './steered-clock.ts';

const conversations = groupConversations.read();

for (const [name, { properties }] of Object.entries(conversationSets)) {
  const ofSet = conversations.filter(({ set }) => set === name);

  describe(`conversations about classic groups that Apache Kafka 4.4.0 had, ${name}`, () => {
    const clock = new SteeredClock();
    let node: TestNode;

    before(async () => {
      // Time passes faster than the node's controller can hear of its broker.
      node = await startTestNode({ properties: { ...properties, 'broker.session.timeout.ms': '3600000' }, clock });
      await groupsAreServed(node.port);
    });
    after(() => node.stop());

    it(`go the same way, ${ofSet.length} of them`, async () => {
      const broker = { port: node.port, pass: (ms: number) => clock.pass(ms) };
      for (const conversation of ofSet) await repeatConversation(broker, conversation);
      assert.ok(ofSet.length > 2);
    });
  });
}
