import { errorNameOf, KafkaError } from '../protocol/errors.ts';
import { deleteRecords as deleteRecordsApi } from '../protocol/messages/21-delete-records.ts';
import type { Client } from './client.ts';

export interface RecordsToDelete {
  readonly topic: string;
  readonly partition: number;
  /** Everything before it goes; −1 for everything there is. */
  readonly beforeOffset: number;
}

export interface DeletedRecords extends RecordsToDelete {
  readonly lowWatermark: number;
  readonly error: KafkaError | null;
}

/** Deletes the records before an offset of each partition, at their leaders. The topics must be known to the client's metadata. */
export async function deleteRecords(client: Client, wishes: readonly RecordsToDelete[]): Promise<DeletedRecords[]> {
  const done = new Map<RecordsToDelete, DeletedRecords>();
  let open = wishes;
  const round = async (): Promise<void> => {
    const byLeader = Map.groupBy(open, ({ topic, partition }) => client.metadata.partition(topic, partition)?.leader ?? -1);
    for (const [leader, ofLeader] of byLeader) {
      const topics = [...Map.groupBy(ofLeader, ({ topic }) => topic)].map(([name, ofTopic]) => ({
        name,
        partitions: ofTopic.map(({ partition, beforeOffset }) => ({ partitionIndex: partition, offset: beforeOffset })),
      }));
      const answer = await client.sendTo(leader, deleteRecordsApi, { topics, timeoutMs: client.settings.requestTimeoutMs });
      for (const topic of answer.topics) {
        for (const result of topic.partitions) {
          const wish = ofLeader.find((one) => one.topic === topic.name && one.partition === result.partitionIndex);
          if (wish === undefined) continue;
          const error = result.errorCode === 0 ? null : new KafkaError(errorNameOf(result.errorCode));
          done.set(wish, { ...wish, lowWatermark: result.lowWatermark, error });
        }
      }
    }
    open = open.filter((wish) => done.get(wish)?.error?.retriable === true);
    const [first] = open;
    if (first !== undefined) throw done.get(first)?.error ?? new KafkaError('UNKNOWN_SERVER_ERROR');
  };
  await client.retrying(round).catch((error: unknown) => {
    // What was not settled keeps its own error in the result.
    if (!(error instanceof KafkaError) || done.size < wishes.length) throw error;
  });
  return wishes.map((wish) => done.get(wish) ?? { ...wish, lowWatermark: -1, error: new KafkaError('UNKNOWN_SERVER_ERROR') });
}
