import { isDeepStrictEqual } from 'node:util';
import { setTimeout as delay } from 'node:timers/promises';
import type { Conversation, Step, Talker } from './conversation.ts';
import { type Broker, ConversationSide } from './conversation-side.ts';
import { plain } from './repeat-conversation.ts';

/** Timers of Kafka that are due at once run within this time. */
const KAFKA_SETTLES_MS = 15;
const QUIET_ROUNDS = 3;

/** Has a conversation with Kafka. It ends when the talker has nothing more to say. */
export async function recordConversation(kafka: Broker, talker: Talker): Promise<Conversation> {
  const side = new ConversationSide(kafka, talker.groupId);
  const steps: Step[] = [];
  let group: GroupState = null;
  try {
    for (let request = talker.next(); request !== null; request = talker.next()) {
      await side.send(request);
      const answers: Record<string, unknown> = {};
      group = await settled(side, group, answers);
      talker.heard(answers);
      steps.push({ ...request, answers, group });
    }
  } finally {
    side.close();
  }
  return plain({ name: talker.name, groupId: talker.groupId, steps });
}

/** The group when nothing happens to it any more. Adds the answers that have come until then. */
async function settled(side: ConversationSide, before: GroupState, answers: Record<string, unknown>): Promise<GroupState> {
  let group: GroupState = null;
  for (let quietRounds = 0; quietRounds < QUIET_ROUNDS; ) {
    await delay(KAFKA_SETTLES_MS);
    await side.barrier();
    const answered = await side.answered();
    for (const on of answered) answers[on] = await side.answer(on);
    const last = group;
    group = (await side.group()) as GroupState;
    const isQuiet =
      answered.length === 0 && isDeepStrictEqual(last, group) && !(side.isPrompt && isFirstRebalance(before, group));
    quietRounds = isQuiet ? quietRounds + 1 : 0;
  }
  return group;
}

/** It ends when a timer says so, which may take a busy Java machine a while. */
const isFirstRebalance = (before: GroupState, group: GroupState): boolean =>
  group?.groupState === 'PreparingRebalance' &&
  (before === null || before.groupState === 'Empty' || before.groupState === 'Dead');

type GroupState = { readonly groupState: string } | null;

/** Waits in earnest: the times of a Kafka cannot be made to pass. */
export const passInEarnest = (ms: number): Promise<void> => delay(ms);
