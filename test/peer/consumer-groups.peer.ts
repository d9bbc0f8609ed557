import { writeFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { assertSameConversation } from '../coordinator/group/consumer/talk/compare.ts';
import type { Conversation } from '../coordinator/group/consumer/talk/conversation.ts';
import { recordConversation } from './consumer-groups/record.ts';
import { scripts } from './consumer-groups/scripts/index.ts';

/** Where to keep what Kafka said: test/golden/coordinator/consumer-conversations.jsonl.gz */
const recordPath = process.env['PEER_RECORD'];

describe('A consumer group of Kafka and of Ottla', () => {
  const conversations: Conversation[] = [];
  for (const script of scripts) {
    it(`are alike: ${script.title}`, async () => {
      const conversation = await recordConversation(script);
      conversations.push(conversation);
      await assertSameConversation(conversation);
    });
  }

  after(() => {
    if (recordPath === undefined || conversations.length < scripts.length) return;
    writeFileSync(
      recordPath,
      gzipSync(conversations.map((conversation) => `${JSON.stringify(conversation)}\n`).join(''), { level: 9 }),
    );
  });
});
