import assert from 'node:assert/strict';
import { comparableRecords } from './comparable.ts';
import type { Conversation } from './conversation.ts';
import { OurSide } from './our-side.ts';
import { replayConversation } from './replay-conversation.ts';
import { groupRecords } from './side.ts';

/** Has the same conversation with this program, which has to say what Kafka said and to write what it wrote. */
export async function assertSameConversation({ properties, steps, records }: Conversation): Promise<void> {
  const side = await OurSide.start(properties);
  assert.deepEqual(await replayConversation(side, steps), []);
  assert.deepEqual(comparableRecords(await groupRecords(side)), comparableRecords(records));
}
