import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { groupsAreServed } from './differential/groups-are-served.ts';
import type { Conversation } from './groups/conversation.ts';
import type { Broker } from './groups/conversation-side.ts';
import { conversationSets, type MakeTalker } from './groups/conversation-sets.ts';
import { passInEarnest, recordConversation } from './groups/record.ts';
import { repeatConversation } from './groups/repeat-conversation.ts';
import { RandomTalker } from './groups/random-talker.ts';
import { groupConversations, type RecordedConversation } from './groups/recorded-conversations.ts';
import { startTwoBrokers } from './two-brokers.ts';

const firstSeed = Number(process.env['PEER_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const conversations = Number(process.env['PEER_CONVERSATIONS'] ?? 20);
const STEPS = 80;
/** A busy computer makes times longer than they are: what differs counts when it differs each time. */
const ATTEMPTS = 3;

/** Keeps what Kafka said for test/conformance/group-conversations.test.ts. */
const isRecording = process.env['PEER_RECORD_GROUPS'] === 'yes';

describe('conversations about classic groups', () => {
  const recorded: RecordedConversation[] = [];

  for (const [set, { properties, isPrompt, talkers }] of Object.entries(conversationSets)) {
    it(`go with Ottla as with Apache Kafka 4.4, ${set}, from seed ${firstSeed} on`, { timeout: 1_800_000 }, async (t) => {
      // One thread takes requests and one does them, so that one after the other is dealt with and answered in order.
      const brokers = await startTwoBrokers({ ...properties, 'num.network.threads': '1', 'num.io.threads': '1' });
      try {
        const [kafka, ottla] = [brokers.kafka, brokers.ottla].map(({ port }) => ({ port, isPrompt, pass: passInEarnest }));
        assert.ok(kafka !== undefined && ottla !== undefined);
        await Promise.all([kafka, ottla].map(({ port }) => groupsAreServed(port)));
        // A Java machine that has just started is slow.
        await recordConversation(kafka, new RandomTalker(0, STEPS, 0));
        const seeds = Array.from({ length: conversations }, (_, index) => firstSeed + index);
        for (const makeTalker of talkers(seeds, STEPS)) {
          await t.test(makeTalker(0).name, async () => {
            recorded.push({ set, ...(await alike(makeTalker, kafka, ottla)) });
          });
        }
      } finally {
        await brokers.stop();
      }
    });
  }

  after(() => {
    if (isRecording) groupConversations.write(recorded);
  });
});

async function alike(makeTalker: MakeTalker, kafka: Broker, ottla: Broker): Promise<Conversation> {
  for (let attempt = 0; ; attempt++) {
    try {
      const conversation = await recordConversation(kafka, makeTalker(attempt));
      await repeatConversation(ottla, conversation);
      return conversation;
    } catch (error) {
      if (attempt === ATTEMPTS - 1) throw error;
    }
  }
}
