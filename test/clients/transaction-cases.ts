import assert from 'node:assert/strict';
import { silentLogger } from '../../src/base/logger.ts';
import { createTopic } from '../../src/client/admin-topics.ts';
import { describeTransactions } from '../../src/client/admin-transactions.ts';
import { listGroupOffsets } from '../../src/client/admin-group-offsets.ts';
import { Client } from '../../src/client/client.ts';
import { Producer } from '../../src/client/producer.ts';
import { systemEnvironment } from '../../src/platform/system-environment.ts';
import { KafkaError } from '../../src/protocol/errors.ts';
import { ottla } from '../cli/captured-terminal.ts';
import type { Answer, ClientWorker } from './client-worker.ts';

/** What a case works with: names that nobody else has, and a look at the broker that does not go through the client. */
export class CaseWorld {
  readonly name: string;
  readonly worker: ClientWorker;
  readonly #broker: string;
  readonly #client: Client;

  constructor(broker: string, name: string, worker: ClientWorker) {
    this.#broker = broker;
    this.name = name;
    this.worker = worker;
    this.#client = new Client(systemEnvironment({ logger: silentLogger }), { bootstrapServers: broker });
  }

  async topic(suffix: string): Promise<string> {
    const name = `${this.name}-${suffix}`;
    await this.#client.connect();
    await createTopic(this.#client, { name, partitions: 1 });
    return name;
  }

  async values(topic: string, isolation: 'read_committed' | 'read_uncommitted'): Promise<string[]> {
    const args = ['consume', topic, '--exit', '--isolation', isolation, '--bootstrap-server', this.#broker];
    const { exit, stdout, stderr } = await ottla(args);
    assert.equal(exit, 0, stderr);
    return stdout.split('\n').slice(0, -1);
  }

  /** Resolves when nothing is open under the id any more. */
  async completed(id: string): Promise<string> {
    for (;;) {
      const found = (await describeTransactions(this.#client, [id])).get(id);
      if (found === undefined || found instanceof KafkaError) throw found ?? new Error(`${id} is not told`);
      if (found.state === 'Empty' || found.state.startsWith('Complete')) return found.state;
    }
  }

  async committedOffset(group: string, topic: string): Promise<number | null> {
    const offsets = (await listGroupOffsets(this.#client, [group])).get(group);
    if (offsets === undefined || offsets instanceof KafkaError) return null;
    return [...offsets.values()].find((place) => place.topic === topic)?.offset ?? null;
  }

  producer(transactionalId: string): Producer {
    return new Producer(this.#client, { transactionalId });
  }

  /** Fails the case if the client does. */
  async does(request: object): Promise<unknown> {
    const answer = await this.worker.ask({ timeoutMs: READ_MS, ...request });
    if ('error' in answer) throw new Error(answer.error);
    return answer.value;
  }

  close(): void {
    this.#client.close();
  }
}

const READ_MS = 60_000;

/** Each throws what is wrong, or gives a remark. */
export const transactionCases: Readonly<Record<string, (world: CaseWorld) => Promise<string | undefined>>> = {
  async commits(world) {
    const topic = await world.topic('committed');
    const id = `${world.name}-id`;
    for (const values of [['a', 'b', 'c'], ['d']]) await world.does({ op: 'transact', id, topic, values, end: 'commit' });
    assert.equal(await world.completed(id), 'CompleteCommit');
    assert.deepEqual(await world.values(topic, 'read_committed'), ['a', 'b', 'c', 'd']);
    return undefined;
  },

  async aborts(world) {
    const topic = await world.topic('aborted');
    const id = `${world.name}-id`;
    for (const [values, end] of [
      [['a', 'b'], 'abort'],
      [['c'], 'commit'],
      [['d'], 'abort'],
    ])
      await world.does({ op: 'transact', id, topic, values, end });
    assert.equal(await world.completed(id), 'CompleteAbort');
    assert.deepEqual(await world.values(topic, 'read_committed'), ['c']);
    assert.deepEqual(await world.values(topic, 'read_uncommitted'), ['a', 'b', 'c', 'd']);
    return undefined;
  },

  /** Two processes of one transactional id: the first is out as soon as the second begins. */
  async 'is fenced'(world) {
    const topic = await world.topic('fenced');
    const id = `${world.name}-id`;
    await world.does({ op: 'open', id, topic, values: ['old'] });
    const second = world.producer(id);
    await second.initTransactions();
    second.beginTransaction();
    await second.send({ topic, partition: 0, value: 'new' });
    const answers: Answer[] = [await world.worker.ask({ op: 'end', id, topic, values: [], end: 'commit' })];
    await second.commitTransaction();
    await second.close();
    assert.equal(await world.completed(id), 'CompleteCommit');
    assert.deepEqual(await world.values(topic, 'read_committed'), ['new']);
    const [answer] = answers;
    assert.ok(answer !== undefined && 'error' in answer, 'the first may not commit');
    return answer.error;
  },

  /** The other way round: the client takes over from ours. */
  async fences(world) {
    const topic = await world.topic('fencing');
    const id = `${world.name}-id`;
    const first = world.producer(id);
    await first.initTransactions();
    first.beginTransaction();
    await first.send({ topic, partition: 0, value: 'old' });
    await world.does({ op: 'transact', id, topic, values: ['new'], end: 'commit' });
    await assert.rejects(first.commitTransaction(), { errorName: /PRODUCER_FENCED|INVALID_PRODUCER_EPOCH/ });
    first.abort();
    await world.completed(id);
    assert.deepEqual(await world.values(topic, 'read_committed'), ['new']);
    return undefined;
  },

  /** The offsets of the group have the fate of the transaction. */
  async 'reads, processes and writes'(world) {
    const from = await world.topic('input');
    const to = await world.topic('output');
    const group = `${world.name}-group`;
    const input = ['1', '2', '3', '4', '5'];
    const copy = { op: 'copy', id: `${world.name}-id`, from, to, group, count: input.length };
    await world.does({ op: 'transact', id: `${world.name}-source`, topic: from, values: input, end: 'commit' });
    await world.completed(`${world.name}-source`);
    await world.does({ ...copy, end: 'abort' });
    await world.completed(copy.id);
    assert.equal(await world.committedOffset(group, from), null);
    await world.does({ ...copy, end: 'commit' });
    await world.completed(copy.id);
    const offset = await world.committedOffset(group, from);
    // A client that counts from the last record, and not from its position, leaves the marker behind it for the next.
    assert.ok(offset === input.length || offset === input.length + 1, `committed offset ${offset}`);
    assert.deepEqual(
      await world.values(to, 'read_committed'),
      input.map((value) => `copy of ${value}`),
    );
    return undefined;
  },

  /** Committed records up to the first transaction that is open. */
  async 'reads what is committed'(world) {
    const topic = await world.topic('mixed');
    const read = { op: 'read', topic, group: `${world.name}-group-1`, count: 2 };
    const writer = world.producer(`${world.name}-writer`);
    const other = world.producer(`${world.name}-other`);
    await writer.initTransactions();
    await other.initTransactions();
    const send = async (producer: Producer, value: string): Promise<void> => {
      producer.beginTransaction();
      await producer.send({ topic, partition: 0, value });
    };
    await send(writer, 'a');
    await writer.commitTransaction();
    await send(writer, 'b');
    await writer.abortTransaction();
    await send(writer, 'c');
    await writer.commitTransaction();
    await send(other, 'd');
    await send(writer, 'e');
    await writer.commitTransaction();
    await world.completed(`${world.name}-writer`);
    assert.deepEqual(await world.does(read), ['a', 'c']);
    await other.commitTransaction();
    assert.deepEqual(await world.does({ ...read, group: `${world.name}-group-2`, count: 4 }), ['a', 'c', 'd', 'e']);
    await writer.close();
    await other.close();
    return undefined;
  },
};
