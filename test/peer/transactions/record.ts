import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Conversation, Step, Talker } from './conversation.ts';
import { type Broker, Side } from './side.ts';

const KAFKA_LOOKS_MS = 10;
/** A marker that is not written by then cannot be written. */
const KAFKA_SETTLES_WITHIN_MS = 500;

/** A broker whose time is the computer's. */
export const realTime: Pick<Broker, 'pass' | 'now'> = { pass: delay, now: Date.now };

/** Has a conversation with Kafka. It ends when the talker has nothing more to say. */
export async function recordConversation(kafka: Broker, talker: Talker): Promise<Conversation> {
  const side = new Side(kafka, talker.name);
  const steps: Step[] = [];
  try {
    await side.begin();
    for (let request = talker.next(); request !== null; request = talker.next()) {
      const answer = await side.say(request);
      const state = await settledState(side);
      talker.heard(answer, state);
      steps.push({ ...request, answer, state });
    }
    return { name: talker.name, steps, closing: await side.closing() };
  } finally {
    side.close();
  }
}

/** It is the same twice, and nothing is under way unless it cannot be done. */
async function settledState(side: Side): Promise<unknown> {
  const deadline = performance.now() + KAFKA_SETTLES_WITHIN_MS;
  for (let before: unknown = null; ; ) {
    const state = await side.state();
    const isUnderWay = JSON.stringify(state).includes('"Prepare');
    if (isDeepStrictEqual(state, before) && (!isUnderWay || performance.now() > deadline)) return state;
    before = state;
    await delay(KAFKA_LOOKS_MS);
  }
}
