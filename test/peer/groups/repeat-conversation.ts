import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { Conversation } from './conversation.ts';
import { type Broker, ConversationSide } from './conversation-side.ts';

const AGREES_WITHIN_MS = 5_000;

/** Has the same conversation with Ottla; fails at the first answer that is another. */
export async function repeatConversation(ottla: Broker, { name, groupId, steps }: Conversation): Promise<void> {
  const side = new ConversationSide(ottla, groupId);
  try {
    for (const [index, step] of steps.entries()) {
      const asked = `${name}, step ${index}: ${step.key} v${step.version} on ${step.on} ${JSON.stringify(step.request)}`;
      await side.send(step);
      for (const [on, expected] of Object.entries(step.answers)) {
        assert.deepEqual(plain(await side.answer(on)), expected, `${asked}, the answer on ${on}`);
      }
      await groupBecomes(side, step.group, asked);
      assert.deepEqual(await side.answered(), [], `${asked}: these should wait`);
    }
  } finally {
    side.close();
  }
}

async function groupBecomes(side: ConversationSide, expected: unknown, asked: string): Promise<void> {
  const deadline = performance.now() + AGREES_WITHIN_MS;
  for (;;) {
    const group = plain(await side.group());
    if (isDeepStrictEqual(group, expected)) return;
    if (performance.now() > deadline) assert.deepEqual(group, expected, `${asked}: the group afterwards`);
  }
}

/** As it is once it has been through a file. */
export const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
