import type { Client } from '../../../src/client/client.ts';
import { GroupConsumer } from '../../../src/client/groups/group-consumer.ts';
import type { OffsetToCommit } from '../../../src/client/groups/group-offsets.ts';
import type { Producer } from '../../../src/client/producer.ts';
import type { SimulatedRandom } from '../../../simulation/simulated-random.ts';
import type { Job } from './worker.ts';

export const COPY_INPUT = 'copy-input';
export const COPY_OUTPUT = 'copy-output';
export const COPY_GROUP = 'copiers';
const POLL_MS = 100;
/** One in so many transactions is aborted on purpose. */
const ABORTED_ONCE_IN = 5;

/** Reads as a member of a group and writes what it read to the same partition of another topic, in one transaction with the offsets. */
export class CopyJob implements Job {
  readonly #consumer: GroupConsumer;

  constructor(client: Client, protocol: 'classic' | 'consumer') {
    const options = {
      groupId: COPY_GROUP,
      protocol,
      enableAutoCommit: false,
      autoOffsetReset: 'earliest',
      isolationLevel: 'read_committed',
      sessionTimeoutMs: 6_000,
      heartbeatIntervalMs: 200,
    } as const;
    this.#consumer = new GroupConsumer(client, options, { kind: 'names', topics: [COPY_INPUT] });
  }

  async step(producer: Producer, random: SimulatedRandom): Promise<void> {
    const chunks = await this.#consumer.poll(POLL_MS);
    if (chunks.length === 0) return;
    // Which member it was that read: if that has changed by the time of the commit, somebody else has the partitions.
    const { identity } = this.#consumer;
    const starts = chunks.map(({ topic, partition, facts }) => ({ topic, partition, offset: facts.fetchOffset }));
    producer.beginTransaction();
    try {
      const sent = chunks.flatMap((chunk) =>
        [...chunk.records()].map(({ value }) => producer.send({ topic: COPY_OUTPUT, partition: chunk.partition, value })),
      );
      // Whichever fails first is the one that is told.
      for (const send of sent) send.catch(() => undefined);
      const offsets = chunks.map(({ topic, partition, nextOffset: offset }): OffsetToCommit => ({ topic, partition, offset }));
      await producer.sendOffsetsToTransaction(offsets, { groupId: COPY_GROUP, identity });
      if (random.oneIn(ABORTED_ONCE_IN)) {
        await producer.abortTransaction();
        for (const { topic, partition, offset } of starts.toReversed()) this.#consumer.seek({ topic, partition }, offset);
        return;
      }
      await Promise.all([...sent, producer.commitTransaction()]);
    } catch (error) {
      await producer.abortTransaction().catch(() => undefined);
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#consumer.close();
  }
}
