import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readGoldenLines } from '../../../golden-lines.ts';
import { assertSameConversation } from './talk/compare.ts';
import type { Conversation } from './talk/conversation.ts';

const conversations = readGoldenLines('coordinator/consumer-conversations.jsonl.gz') as Conversation[];

describe('What was said to Apache Kafka 4.4.0 is answered alike, and the same records are written:', () => {
  for (const conversation of conversations) it(conversation.title, () => assertSameConversation(conversation));

  it('and there are as many conversations as were recorded', () => assert.ok(conversations.length >= 15));
});
