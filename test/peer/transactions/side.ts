import { decodeResponse, encodeRequest } from '../../../src/protocol/header.ts';
import { fetch } from '../../../src/protocol/messages/01-fetch.ts';
import { listOffsets } from '../../../src/protocol/messages/02-list-offsets.ts';
import { metadata } from '../../../src/protocol/messages/03-metadata.ts';
import { createTopics } from '../../../src/protocol/messages/19-create-topics.ts';
import { describeProducers } from '../../../src/protocol/messages/61-describe-producers.ts';
import { describeTransactions } from '../../../src/protocol/messages/65-describe-transactions.ts';
import { listTransactions } from '../../../src/protocol/messages/66-list-transactions.ts';
import { apiByKey } from '../../../src/protocol/messages/index.ts';
import type { Api, RequestInput, ResponseOf } from '../../../src/protocol/schema.ts';
import { RawConnection } from '../../conformance/raw-connection.ts';
import { fitToVersion, type Values } from '../differential/fit.ts';
import type { Request } from './conversation.ts';
import { coordinates } from './coordinates.ts';
import { Names } from './names.ts';
import { decodeGroupRecord, decodeTransactionRecord, viewCoordinatorLog } from './records.ts';

const CLIENT_ID = 'talker';
const NONE = 'none';
const ANSWERED_WITHIN_MS = 10_000;
const TOPIC_APPEARS_WITHIN_MS = 10_000;
const LOGS = { __transaction_state: decodeTransactionRecord, __consumer_offsets: decodeGroupRecord } as const;
const READ_ALL = { maxWaitMs: 0, minBytes: 0, sessionId: 0, sessionEpoch: -1, forgottenTopicsData: [], rackId: '' };

/** A broker to talk with. */
export interface Broker {
  port: number;
  /** Stops and starts it. Gives the port that it has then. */
  readonly restart?: () => Promise<number>;
  /** Lets its time pass. */
  readonly pass: (ms: number) => Promise<unknown>;
  /** What time it is there. */
  readonly now: () => number;
}

/** One of the brokers that a conversation is had with. */
export class Side {
  readonly #broker: Broker;
  readonly #names: Names;
  readonly #topics = new Map<string, number>();
  readonly #logStarts = new Map<string, number>();
  #connection: RawConnection | null = null;
  #correlationId = 0;

  constructor(broker: Broker, conversation: string) {
    this.#broker = broker;
    this.#names = new Names(conversation);
  }

  /** What is in the coordinators' logs by now is none of the conversation's. */
  async begin(): Promise<void> {
    for (const topic of Object.keys(LOGS)) this.#logStarts.set(topic, await this.#endOf(topic));
  }

  /** Gives the answer; `none` where the broker closes or stays silent. */
  async say({ key, version, request, afterMs = 0, clientId = CLIENT_ID, afterRestart = false }: Request): Promise<unknown> {
    if (afterRestart) await this.#restart();
    if (afterMs > 0) await this.#broker.pass(afterMs);
    const api = apiByKey(key);
    if (api === undefined) throw new Error(`no API ${key}`);
    const fitted = fitToVersion(api.request, version, this.#names.toWire(request, this.#broker.now()));
    const answer = await this.#exchange(api, version, fitted, clientId);
    if (answer === NONE) return answer;
    // Where the records stand depends on what else the coordinator has written.
    if (clientId !== CLIENT_ID) return 'written';
    if (key === createTopics.key) await this.#awaitTopics(answer as ResponseOf<typeof createTopics>);
    return this.#names.fromWire(this.#ownOf(key, answer as Values));
  }

  async #restart(): Promise<void> {
    this.close();
    const { restart } = this.#broker;
    if (restart === undefined) throw new Error('this broker is not to be started again');
    this.#broker.port = await restart();
    await coordinates(this.#broker);
  }

  /** What other conversations did is left out. */
  #ownOf(key: number, answer: Values): Values {
    if (key !== listTransactions.key) return answer;
    const { transactionStates } = answer as ResponseOf<typeof listTransactions>;
    return {
      ...answer,
      transactionStates: transactionStates.filter(({ transactionalId }) => this.#names.isOwn(transactionalId)),
    };
  }

  /** The transactions, producers and offsets of the conversation, as soon as no marker is under way or none can be written. */
  async state(): Promise<unknown> {
    const { transactionStates: listed } = await this.#ask(listTransactions, 0, { stateFilters: [], producerIdFilters: [] });
    const transactionalIds = listed.map(({ transactionalId }) => transactionalId).filter((id) => this.#names.isOwn(id));
    const { transactionStates } = await this.#ask(describeTransactions, 0, { transactionalIds });
    const places = [...this.#topics].map(([name, count]) => ({
      name,
      partitionIndexes: Array.from({ length: count }, (_, at) => at),
    }));
    const { topics: producers } = await this.#ask(describeProducers, 0, { topics: places });
    const [ends, stable] = [await this.#offsets(places, 0), await this.#offsets(places, 1)];
    return this.#names.fromWire({
      transactions: transactionStates.map((transaction) => this.#brief(transaction)),
      producers: producers.flatMap(({ name, partitions }) =>
        partitions.flatMap(({ partitionIndex, activeProducers }) =>
          activeProducers.map((producer) => ({ topic: name, index: partitionIndex, ...producer })),
        ),
      ),
      offsets: ends.map(({ name, partitions }, at) => ({
        name,
        ends: partitions.map(({ offset }) => `${offset}`),
        stable: stable[at]?.partitions.map(({ offset }) => `${offset}`),
      })),
    });
  }

  #brief({ topics, ...transaction }: ResponseOf<typeof describeTransactions>['transactionStates'][number]): Values {
    const places = topics.flatMap(({ topic, partitions }) => partitions.map((partition) => `${topic}-${partition}`));
    // Kafka names only those that have no marker yet, here and now; Ottla all until the end.
    return { ...transaction, places: transaction.transactionState.startsWith('Prepare') ? [] : places.sort() };
  }

  /** What the logs have of the conversation. */
  async closing(): Promise<unknown> {
    const logs: Record<string, unknown> = {};
    for (const [topic, decode] of Object.entries(LOGS)) {
      const { parts } = await this.#read(topic, 0, { from: this.#logStarts.get(topic) ?? 0 });
      logs[topic] = byTransaction(viewCoordinatorLog(parts, decode, this.#names));
    }
    for (const [topic, count] of this.#topics) {
      for (let partition = 0; partition < count; partition++) {
        const { aborted, highWatermark, lastStableOffset } = await this.#read(topic, partition, { isolationLevel: 1 });
        const { parts } = await this.#read(topic, partition, {});
        const name = String(this.#names.fromWire(`${topic}-${partition}`));
        const records = parts.flatMap((part) => this.#names.fromWire({ records: part }));
        logs[name] = { records, aborted: this.#names.fromWire(aborted), highWatermark, lastStableOffset };
      }
    }
    return logs;
  }

  close(): void {
    this.#connection?.destroy();
    this.#connection = null;
  }

  async #read(
    topic: string,
    partition: number,
    { from = 0, isolationLevel = 0 }: { readonly from?: number; readonly isolationLevel?: number },
  ): Promise<{ parts: Uint8Array[]; aborted: unknown[]; highWatermark: number; lastStableOffset: number }> {
    const partitions = [{ partition, fetchOffset: from, partitionMaxBytes: 64 * 1024 * 1024 }];
    const request = { ...READ_ALL, isolationLevel, topics: [{ topic, partitions }] };
    const { responses } = await this.#ask(fetch, 11, request as unknown as RequestInput<typeof fetch>);
    const read = responses[0]?.partitions[0];
    if (read === undefined || read.errorCode !== 0) return { parts: [], aborted: [], highWatermark: -1, lastStableOffset: -1 };
    const { highWatermark, lastStableOffset, abortedTransactions, records } = read;
    const parts = records instanceof Uint8Array && records.length > 0 ? [records] : [];
    return { parts, aborted: [...(abortedTransactions ?? [])], highWatermark, lastStableOffset };
  }

  async #offsets(
    places: readonly { readonly name: string; readonly partitionIndexes: readonly number[] }[],
    isolationLevel: number,
  ): Promise<ResponseOf<typeof listOffsets>['topics']> {
    const topics = places.map(({ name, partitionIndexes }) => ({
      name,
      partitions: partitionIndexes.map((partitionIndex) => ({ partitionIndex, timestamp: -1 })),
    }));
    const answer = await this.#ask(listOffsets, 7, { replicaId: -1, isolationLevel, topics, timeoutMs: 0 });
    return [...answer.topics]
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map((topic) => ({ ...topic, partitions: [...topic.partitions].sort((a, b) => a.partitionIndex - b.partitionIndex) }));
  }

  async #endOf(topic: string): Promise<number> {
    const topics = await this.#offsets([{ name: topic, partitionIndexes: [0] }], 0);
    return topics[0]?.partitions[0]?.offset ?? 0;
  }

  async #awaitTopics({ topics }: ResponseOf<typeof createTopics>): Promise<void> {
    for (const { name, topicId, numPartitions, errorCode } of topics) {
      if (errorCode !== 0) continue;
      this.#names.knowTopic(name, topicId);
      this.#topics.set(name, numPartitions);
      const deadline = performance.now() + TOPIC_APPEARS_WITHIN_MS;
      for (;;) {
        const places = [{ name, partitionIndexes: Array.from({ length: numPartitions }, (_, at) => at) }];
        const topic = { name, topicId };
        const request = { topics: [topic], allowAutoTopicCreation: false, includeTopicAuthorizedOperations: false };
        const found = await this.#ask(metadata, 12, request);
        const offsets = await this.#offsets(places, 0);
        const isServed = offsets[0]?.partitions.every(({ errorCode: code }) => code === 0) === true;
        if (isServed && found.topics[0]?.errorCode === 0) break;
        if (performance.now() > deadline) throw new Error(`${name} does not appear`);
      }
    }
  }

  async #ask<A extends Api>(api: A, version: number, request: RequestInput<A>): Promise<ResponseOf<A>> {
    const answer = await this.#exchange(api, version, request, CLIENT_ID);
    if (answer === NONE) throw new Error(`${api.name} is not answered`);
    return answer as ResponseOf<A>;
  }

  async #exchange(api: Api, version: number, request: object, clientId: string): Promise<unknown> {
    this.#connection ??= await RawConnection.open(this.#broker.port);
    const header = { correlationId: ++this.#correlationId, clientId };
    this.#connection.write(encodeRequest(api, version, header, request as RequestInput<Api>));
    const isAnswered = (await this.#connection.ending(ANSWERED_WITHIN_MS)) === 'answered';
    const frame = isAnswered ? await this.#connection.frame() : null;
    if (frame !== null) return decodeResponse(api, version, frame).response;
    this.close();
    return NONE;
  }
}

/** In which order a coordinator deals with several transactional ids is not told where it does so by itself. */
const byTransaction = (records: readonly unknown[]): unknown[] => {
  const idOf = (record: unknown): string =>
    (record as { readonly key?: { readonly transactionalId?: string } }).key?.transactionalId ?? '';
  return [...records].sort((a, b) => (idOf(a) < idOf(b) ? -1 : Number(idOf(a) > idOf(b))));
};
