import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createTopic } from '../../src/client/admin-topics.ts';
import { Producer } from '../../src/client/producer.ts';
import { startTestNode } from '../server/test-node.ts';
import { audit } from './audit.ts';
import { Ledger } from './ledger.ts';
import { movingClient } from './moving-client.ts';
import { MovingNetwork } from './moving-network.ts';
import { type RecordId, valueOf } from './sequenced-value.ts';

const node = await startTestNode();
const network = new MovingNetwork();
network.port = node.port;
const client = movingClient(network);
const producer = new Producer(client);
after(async () => {
  await producer.close();
  client.close();
  await node.stop();
});

const id = (sequence: number): RecordId => ({ producer: 0, sequence });

/** A topic with three records, which the ledger knows, and what the audit says of them after `change`. */
async function auditOf(topic: string, change: (ledger: Ledger) => void | Promise<void>): Promise<unknown> {
  const ledger = new Ledger();
  await createTopic(client, { name: topic, partitions: 1 });
  for (const sequence of [0, 1, 2]) {
    ledger.sent(topic, 0, id(sequence));
    ledger.acknowledge(await producer.send({ topic, partition: 0, value: valueOf(id(sequence)) }), id(sequence));
  }
  await change(ledger);
  const topics = [{ name: topic, partitions: 1 }];
  return audit({ client, ledger, topics, idempotent: new Set([0]) }).catch((error: unknown) => error);
}

/** What the audit has to find, each brought about by records or promises that do not belong together. */
const cases: readonly [name: string, finding: RegExp, change: (ledger: Ledger, topic: string) => void | Promise<void>][] = [
  [
    'an acknowledged record behind the end of the log',
    /record 3 of producer 0 was acknowledged at 3, but the log ends at 3/,
    (ledger, topic) => {
      ledger.sent(topic, 0, id(3));
      ledger.acknowledge({ topic, partition: 0, offset: 3 }, id(3));
    },
  ],
  [
    'another record where one was acknowledged',
    /record 1 of producer 0 is at 1, where record 7 of producer 0 was acknowledged/,
    (ledger, topic) => void ledger.of(topic, 0).acknowledged.set(1, 7),
  ],
  [
    'a record that an idempotent producer sent and nobody has',
    /record 3 of producer 0 is lost/,
    (ledger, topic) => ledger.sent(topic, 0, id(3)),
  ],
  [
    'a record that is there twice',
    /record 2 of producer 0 is there again at 3/,
    async (_, topic) => void (await producer.send({ topic, partition: 0, value: valueOf(id(2)) })),
  ],
  [
    'a record that nobody sent here',
    /record 9 of producer 0 at 3 was sent to another partition/,
    async (_, topic) => void (await producer.send({ topic, partition: 0, value: valueOf(id(9)) })),
  ],
  [
    'a record with other bytes',
    /record 3 of producer 0 does not have the bytes that were sent/,
    async (_, topic) => void (await producer.send({ topic, partition: 0, value: '0:3:other' })),
  ],
  [
    'records in another order',
    /record 3 of producer 0 at 4 comes after number 4/,
    async (ledger, topic) => {
      for (const sequence of [4, 3]) {
        ledger.sent(topic, 0, id(sequence));
        await producer.send({ topic, partition: 0, value: valueOf(id(sequence)) });
      }
    },
  ],
];

test('the audit finds nothing where everything is as promised', async () => {
  assert.deepEqual(await auditOf('well', () => undefined), { records: 3, batches: 3 });
});

for (const [index, [name, finding, change]] of cases.entries()) {
  test(`the audit finds ${name}`, async () => {
    const topic = `case-${index}`;
    assert.match(String(await auditOf(topic, (ledger) => change(ledger, topic))), finding);
  });
}

test('a broker that acknowledges two records at one offset contradicts itself', () => {
  const ledger = new Ledger();
  ledger.acknowledge({ topic: 't', partition: 0, offset: 5 }, id(0));
  assert.throws(
    () => ledger.acknowledge({ topic: 't', partition: 0, offset: 5 }, id(1)),
    /where record 0 of producer 0 was before/,
  );
});
