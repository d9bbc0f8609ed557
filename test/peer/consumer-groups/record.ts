import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { comparableRecords } from '../../coordinator/group/consumer/talk/comparable.ts';
import type { Conversation } from '../../coordinator/group/consumer/talk/conversation.ts';
import { groupRecords } from '../../coordinator/group/consumer/talk/side.ts';
import { Talk } from '../../coordinator/group/consumer/talk/talk.ts';
import type { GroupRecord } from '../../../src/coordinator/group/group-record.ts';
import { KafkaPeer } from '../kafka-peer.ts';
import { KafkaSide, PROBE } from './kafka-side.ts';
import type { Script } from './scripts/script.ts';

/** Says a script to a new Apache Kafka, and gives what was said. */
export async function recordConversation({ title, properties = {}, say }: Script): Promise<Conversation> {
  const directory = mkdtempSync(join(tmpdir(), 'ottla-talk-'));
  const kafka = await KafkaPeer.start({ directory, properties: { 'offsets.topic.num.partitions': '1', ...properties } });
  const side = new KafkaSide(kafka.port, (ms) => delay(ms));
  try {
    await side.begin();
    const talk = new Talk(side);
    await say(talk);
    const isProbe = ({ key }: GroupRecord): boolean => 'groupId' in key && key.groupId.startsWith(PROBE);
    const records = comparableRecords((await groupRecords(side)).filter((record) => !isProbe(record)));
    return { title, properties, steps: talk.steps, records };
  } finally {
    side.close();
    await kafka.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}
