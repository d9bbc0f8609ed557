import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { comparableRecord, type Conversation } from '../../coordinator/group/consumer/talk/conversation.ts';
import { groupRecords } from '../../coordinator/group/consumer/talk/side.ts';
import { Talk } from '../../coordinator/group/consumer/talk/talk.ts';
import { KafkaPeer } from '../kafka-peer.ts';
import { KafkaSide } from './kafka-side.ts';
import type { Script } from './scripts.ts';

/** Says scripts to a new Apache Kafka each set of properties, and gives what was said. */
export async function recordConversations(scripts: readonly Script[]): Promise<Conversation[]> {
  const conversations: Conversation[] = [];
  for (const script of scripts) conversations.push(await recordConversation(script));
  return conversations;
}

async function recordConversation({ title, properties = {}, say }: Script): Promise<Conversation> {
  const directory = mkdtempSync(join(tmpdir(), 'ottla-talk-'));
  const kafka = await KafkaPeer.start({ directory, properties: { 'offsets.topic.num.partitions': '1', ...properties } });
  const side = new KafkaSide(kafka.port);
  try {
    await side.begin();
    const talk = new Talk(side);
    await say(talk);
    const records = (await groupRecords(side)).map((record) => comparableRecord(record));
    return { title, properties, steps: talk.steps, records };
  } finally {
    side.close();
    await kafka.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}
