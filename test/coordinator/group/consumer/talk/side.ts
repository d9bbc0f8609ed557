import type { GroupRecord } from '../../../../../src/coordinator/group/group-record.ts';
import { groupRecordSerde } from '../../../../../src/coordinator/group/group-record.ts';
import { fetch } from '../../../../../src/protocol/messages/01-fetch.ts';
import { batchesOf } from '../../../../../src/protocol/records/batches.ts';
import { recordsOf } from '../../../../../src/protocol/records/record-iterator.ts';
import type { Api, RequestInput, ResponseOf } from '../../../../../src/protocol/schema.ts';

/** A broker of one that is talked to: Apache Kafka or this one. Its groups' topic has one partition. */
export interface Side {
  /** Gives the id of the topic: the one that is asked for, where it can be chosen. */
  createTopic(name: string, partitions: number, id?: string): Promise<string>;
  growTopic(name: string, partitions: number): Promise<void>;
  deleteTopic(name: string): Promise<void>;
  configureGroup(groupId: string, configs: Readonly<Record<string, string>>): Promise<void>;
  wait(ms: number): Promise<void>;
  /** Each connection has one request after the other. */
  ask<A extends Api>(connection: string, api: A, version: number, request: RequestInput<A>): Promise<ResponseOf<A>>;
  /** Asks what may be answered only after something else has happened; resolves when it has been taken up. */
  send<A extends Api>(
    connection: string,
    api: A,
    version: number,
    request: RequestInput<A>,
  ): Promise<{ readonly answer: Promise<ResponseOf<A>> }>;
  /** Waits for the answer to what was sent. */
  receive<Answer>(sent: { readonly answer: Promise<Answer> }): Promise<Answer>;
}

/** What a side has in the log of its groups. */
export async function groupRecords(side: Side): Promise<GroupRecord[]> {
  const records: GroupRecord[] = [];
  for (let fetchOffset = 0; ; ) {
    const { responses } = await side.ask('records', fetch, 11, {
      maxWaitMs: 0,
      minBytes: 0,
      maxBytes: 50_000_000,
      rackId: '',
      forgottenTopicsData: [],
      topics: [
        {
          topic: '__consumer_offsets',
          topicId: 'AAAAAAAAAAAAAAAAAAAAAA',
          partitions: [{ partition: 0, fetchOffset, partitionMaxBytes: 50_000_000 }],
        },
      ],
    });
    const partition = responses[0]?.partitions[0];
    const bytes = partition?.records;
    if (bytes === undefined || bytes === null || bytes.length === 0) return records;
    for (const batch of batchesOf(Buffer.from(bytes))) {
      fetchOffset = batch.nextOffset;
      if (batch.isControl) continue;
      for (const { key, value } of recordsOf(batch)) {
        const record = key === null ? null : groupRecordSerde.decode(key, value);
        if (record !== null) records.push(record);
      }
    }
  }
}
