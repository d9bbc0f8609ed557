import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createTopic } from '../../src/client/admin-topics.ts';
import { describeGroups } from '../../src/client/admin-groups.ts';
import { Client } from '../../src/client/client.ts';
import { GroupConsumer } from '../../src/client/groups/group-consumer.ts';
import type { GroupOptions } from '../../src/client/groups/group-options.ts';
import { Producer } from '../../src/client/producer.ts';
import { KafkaError } from '../../src/protocol/errors.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { systemEnvironment } from '../../src/platform/system-environment.ts';
import { brokerProperties } from '../cli/groups/situation.ts';
import { KafkaPeer, kafkaTool } from './kafka-peer.ts';
import { OttlaProcess } from './ottla-process.ts';

interface Broker {
  readonly port: number;
  stop(): Promise<void>;
}

const PARTITIONS = 6;
const RECORDS = 600;
const root = mkdtempSync(join(tmpdir(), 'ottla-members-'));

const brokers: readonly (readonly [name: string, start: () => Promise<Broker>])[] = [
  ['Apache Kafka 4.4', () => KafkaPeer.start({ directory: join(root, 'kafka'), properties: brokerProperties })],
  ['Ottla', () => OttlaProcess.start({ directory: join(root, 'ottla'), properties: brokerProperties })],
];

after(() => {
  rmSync(root, { recursive: true, force: true });
});

/** What a member of Kafka's own client is told so that it is in a group with ours. */
const kinds: readonly { readonly name: string; readonly options: Partial<GroupOptions>; readonly java: readonly string[] }[] = [
  {
    name: 'eager',
    options: { assignors: ['range'] },
    java: ['partition.assignment.strategy=org.apache.kafka.clients.consumer.RangeAssignor'],
  },
  {
    name: 'cooperative',
    options: { assignors: ['cooperative-sticky'] },
    java: ['partition.assignment.strategy=org.apache.kafka.clients.consumer.CooperativeStickyAssignor'],
  },
  { name: 'kip-848', options: { protocol: 'consumer' }, java: ['group.protocol=consumer'] },
  { name: 'upgrade', options: { assignors: ['range'] }, java: ['group.protocol=consumer'] },
  {
    name: 'downgrade',
    options: { protocol: 'consumer' },
    java: ['partition.assignment.strategy=org.apache.kafka.clients.consumer.RangeAssignor'],
  },
];

const clientOf = (port: number, clientId: string): Client =>
  new Client(systemEnvironment({ logger: silentLogger }), { bootstrapServers: `127.0.0.1:${port}`, clientId });

for (const [brokerName, start] of brokers) {
  describe(`members of ours and of Kafka's own client in one group, on ${brokerName}`, () => {
    let broker: Broker;
    let admin: Client;
    before(async () => {
      broker = await start();
      admin = clientOf(broker.port, 'admin');
      await admin.connect();
    });
    after(async () => {
      admin.close();
      await broker.stop();
    });

    for (const kind of kinds) {
      it(`share the partitions and read every record once (${kind.name})`, async () => {
        const topic = `shared-${kind.name}`;
        const groupId = `group-${kind.name}`;
        await createTopic(admin, { name: topic, partitions: PARTITIONS });
        const members = [1, 2].map((number) => new CountingMember(broker.port, topic, { groupId, ...kind.options }, number));
        const other = consumeWithJava(broker.port, topic, groupId, kind.java);
        await until(
          members,
          async () => (await membersOf(admin, groupId)) === 3 && members.every((each) => each.isSettledWith(2)),
        );
        await produce(admin, topic);
        await until(
          members,
          async () => (await membersOf(admin, groupId)) === 2 && members.every((each) => each.isSettledWith(3)),
        );
        const { stdout } = await other;
        await Promise.all(members.map((each) => each.close()));
        const read = [
          ...stdout
            .trim()
            .split('\n')
            .filter((line) => line.startsWith('value-')),
          ...members.flatMap((each) => each.values),
        ].toSorted();
        assert.deepEqual(read, Array.from({ length: RECORDS }, (_, index) => valueOf(index)).toSorted());
        assert.ok(members.every((each) => each.values.length >= RECORDS / PARTITIONS));
      });
    }
  });
}

const valueOf = (index: number): string => `value-${index}`;

async function produce(client: Client, topic: string): Promise<void> {
  const producer = new Producer(client);
  await Promise.all(
    Array.from({ length: RECORDS }, (_, index) => producer.send({ topic, partition: index % PARTITIONS, value: valueOf(index) })),
  );
  await producer.close();
}

/** It reads what two partitions have, and leaves. */
function consumeWithJava(
  port: number,
  topic: string,
  group: string,
  properties: readonly string[],
): ReturnType<typeof kafkaTool> {
  const told = ['heartbeat.interval.ms=500', 'auto.offset.reset=earliest', ...properties].filter(
    (property, _, all) => !(property.startsWith('heartbeat') && all.includes('group.protocol=consumer')),
  );
  return kafkaTool(
    'ConsoleConsumer',
    '--bootstrap-server',
    `127.0.0.1:${port}`,
    '--topic',
    topic,
    '--group',
    group,
    '--max-messages',
    String((RECORDS / PARTITIONS) * 2),
    '--timeout-ms',
    '60000',
    ...told.flatMap((property) => ['--command-property', property]),
  );
}

/** How many members a stable group has; −1 while it is not. */
async function membersOf(client: Client, groupId: string): Promise<number> {
  const group = (await describeGroups(client, [groupId])).get(groupId);
  return group === undefined || group instanceof KafkaError || group.state !== 'Stable' ? -1 : group.members.length;
}

/** Polls all members until it is so. */
async function until(members: readonly CountingMember[], condition: () => Promise<boolean>): Promise<void> {
  do await Promise.all(members.map((each) => each.poll()));
  while (!(await condition()));
}

class CountingMember {
  readonly values: string[] = [];
  readonly #client: Client;
  readonly #consumer: GroupConsumer;

  constructor(port: number, topic: string, options: GroupOptions, number: number) {
    this.#client = clientOf(port, `ours-${number}`);
    this.#consumer = new GroupConsumer(
      this.#client,
      { autoOffsetReset: 'earliest', heartbeatIntervalMs: 500, ...options },
      { kind: 'names', topics: [topic] },
    );
  }

  isSettledWith(partitions: number): boolean {
    return this.#consumer.isSettled && this.#consumer.assignment.length === partitions;
  }

  async poll(): Promise<void> {
    for (const chunk of await this.#consumer.poll(200)) {
      for (const { value } of chunk.records()) this.values.push(Buffer.from(value ?? []).toString());
    }
  }

  async close(): Promise<void> {
    await this.#consumer.close();
    this.#client.close();
  }
}
