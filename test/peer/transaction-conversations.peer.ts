import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { type KafkaOptions, KafkaPeer } from './kafka-peer.ts';
import { type OttlaOptions, OttlaProcess } from './ottla-process.ts';
import { beginSet } from './transactions/begin-set.ts';
import { repeatConversation } from './transactions/repeat-conversation.ts';
import { realTime, recordConversation } from './transactions/record.ts';
import { transactionConversations, type RecordedConversation } from './transactions/recorded.ts';
import { conversationSets, properties } from './transactions/sets.ts';
import type { Broker } from './transactions/side.ts';

const firstSeed = Number(process.env['PEER_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const conversations = Number(process.env['PEER_CONVERSATIONS'] ?? 10);
const STEPS = 60;

/** Keeps what Kafka said for test/conformance/transaction-conversations.test.ts. */
const isRecording = process.env['PEER_RECORD_TRANSACTIONS'] === 'yes';

/** Conversations that went another way are written there. */
const tracePath = process.env['PEER_TRACE'];

describe('conversations about transactions', () => {
  const recorded: RecordedConversation[] = [];

  for (const [set, { beforehand, talkers, properties: more = {} }] of Object.entries(conversationSets)) {
    it(`go with Ottla as with Apache Kafka 4.4, ${set}, from seed ${firstSeed} on`, { timeout: 1_800_000 }, async (t) => {
      const root = mkdtempSync(join(tmpdir(), 'ottla-peer-'));
      const kafka = await restartableKafka({ directory: join(root, 'kafka'), properties: { ...properties, ...more } });
      const ottla = await restartableOttla({ directory: join(root, 'ottla'), properties: { ...properties, ...more } });
      try {
        await Promise.all([kafka, ottla].map((broker) => beginSet(broker, beforehand)));
        const seeds = Array.from({ length: conversations }, (_, index) => firstSeed + index);
        for (const talker of talkers(seeds, STEPS)) {
          await t.test(talker.name, async () => {
            const conversation = await recordConversation(kafka, talker);
            recorded.push({ set, ...conversation });
            const differences = await repeatConversation(ottla, JSON.parse(JSON.stringify(conversation)));
            for (const difference of differences) console.log(`  ${difference}`);
            if (tracePath !== undefined && differences.length > 0) appendFileSync(tracePath, `${JSON.stringify(conversation)}\n`);
            assert.equal(differences.length, 0);
          });
        }
      } finally {
        await ottla.stop();
        await kafka.stop();
        rmSync(root, { recursive: true, force: true });
      }
    });
  }

  after(() => {
    if (isRecording) transactionConversations.write(recorded);
  });
});

interface Restartable extends Broker {
  stop(): Promise<void>;
}

async function restartableKafka(options: KafkaOptions): Promise<Restartable> {
  let kafka = await KafkaPeer.start(options);
  const restart = async (): Promise<number> => {
    await kafka.stop();
    kafka = await KafkaPeer.start(options);
    return kafka.port;
  };
  return { ...realTime, port: kafka.port, restart, stop: () => kafka.stop() };
}

async function restartableOttla(options: OttlaOptions): Promise<Restartable> {
  let ottla = await OttlaProcess.start(options);
  const restart = async (): Promise<number> => {
    await ottla.stop();
    ottla = await OttlaProcess.start(options);
    return ottla.port;
  };
  return { ...realTime, port: ottla.port, restart, stop: () => ottla.stop() };
}
