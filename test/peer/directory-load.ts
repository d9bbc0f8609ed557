import { ZERO_UUID } from '../../src/base/uuid.ts';
import { createTopics } from '../../src/protocol/messages/19-create-topics.ts';
import { deleteRecords } from '../../src/protocol/messages/21-delete-records.ts';
import { deleteTopics } from '../../src/protocol/messages/20-delete-topics.ts';
import { describeConfigs } from '../../src/protocol/messages/32-describe-configs.ts';
import { incrementalAlterConfigs } from '../../src/protocol/messages/44-incremental-alter-configs.ts';
import { initProducerId } from '../../src/protocol/messages/22-init-producer-id.ts';
import { produce } from '../../src/protocol/messages/00-produce.ts';
import type { Codec } from '../../src/protocol/compression/index.ts';
import { buildBatch } from '../../src/protocol/records/record-batch-builder.ts';
import type { WireClient } from '../conformance/wire-client.ts';

const CODECS: readonly Codec[] = ['none', 'gzip', 'snappy', 'lz4', 'zstd'];
const START_MS = 1_795_000_000_000;

const SMALL_SEGMENTS = { 'internal.segment.bytes': '16384', 'index.interval.bytes': '256', 'retention.ms': '-1' };

interface TopicPlan {
  readonly partitions: number;
  readonly configs?: Readonly<Record<string, string>>;
  /** Left out: nothing is produced to it. */
  readonly codecs?: readonly Codec[];
}

/** Topics of every kind that a broker of one keeps. */
export const topicPlans: Readonly<Record<string, TopicPlan>> = {
  plain: { partitions: 3, configs: SMALL_SEGMENTS, codecs: CODECS },
  'append-time': { partitions: 1, configs: { 'message.timestamp.type': 'LogAppendTime', ...SMALL_SEGMENTS }, codecs: CODECS },
  'kept-as-gzip': { partitions: 1, configs: { 'compression.type': 'gzip' }, codecs: CODECS },
  'kept-as-snappy': { partitions: 1, configs: { 'compression.type': 'snappy' }, codecs: CODECS },
  'kept-as-lz4': { partitions: 1, configs: { 'compression.type': 'lz4' }, codecs: CODECS },
  'kept-as-zstd': { partitions: 1, configs: { 'compression.type': 'zstd' }, codecs: CODECS },
  'kept-uncompressed': { partitions: 1, configs: { 'compression.type': 'uncompressed' }, codecs: CODECS },
  compacted: { partitions: 2, configs: { 'cleanup.policy': 'compact', ...SMALL_SEGMENTS }, codecs: ['none', 'lz4'] },
  trimmed: { partitions: 2, configs: SMALL_SEGMENTS, codecs: ['none'] },
  'with.dots_and-dashes-0': { partitions: 1, codecs: ['none'] },
  empty: { partitions: 4, configs: { 'max.message.bytes': '70000', 'min.insync.replicas': '1', 'retention.ms': '123456789' } },
};

export async function createLoadTopics(client: WireClient): Promise<void> {
  const topics = Object.entries(topicPlans).map(([name, { partitions, configs = {} }]) => ({
    name,
    numPartitions: partitions,
    replicationFactor: 1,
    assignments: [],
    configs: Object.entries(configs).map(([config, value]) => ({ name: config, value })),
  }));
  const gone = { name: 'gone', numPartitions: 2, replicationFactor: 1, assignments: [], configs: [] };
  const created = await client.ask(createTopics, 7, { topics: [...topics, gone] });
  checkAll(created.topics);
  checkAll((await client.ask(deleteTopics, 5, { topics: [], topicNames: ['gone'], timeoutMs: 5000 })).responses);
  const alterations = [
    { resourceType: 2, resourceName: 'empty', configs: [{ name: 'segment.bytes', configOperation: 0, value: '2097152' }] },
    { resourceType: 2, resourceName: 'plain', configs: [{ name: 'segment.ms', configOperation: 0, value: '3600000' }] },
    { resourceType: 4, resourceName: '', configs: [{ name: 'message.max.bytes', configOperation: 0, value: '2000000' }] },
    { resourceType: 4, resourceName: '1', configs: [{ name: 'log.cleaner.threads', configOperation: 0, value: '2' }] },
  ];
  checkAll((await client.ask(incrementalAlterConfigs, 1, { resources: alterations, validateOnly: false })).responses);
}

/** An idempotent producer, which may go on after its broker was changed for another. */
export class LoadProducer {
  #id = -1;
  #epoch = -1;
  readonly #sequences = new Map<string, number>();

  async init(client: WireClient): Promise<void> {
    const answer = await client.ask(initProducerId, 4, { transactionalId: null, transactionTimeoutMs: 60_000 });
    checkAll([answer]);
    this.#id = answer.producerId;
    this.#epoch = answer.producerEpoch;
  }

  /** Fills every topic with a round of records; idempotently where the codec has an even place, and one of these batches twice. */
  async fill(client: WireClient, round: number): Promise<void> {
    for (const [topic, { partitions, codecs = [] }] of Object.entries(topicPlans)) {
      for (let partition = 0; partition < partitions; partition++) {
        for (const [place, codec] of codecs.entries()) {
          const count = 3 + ((round + place + partition) % 9);
          await this.#produce(client, { topic, partition, codec, round, count, isIdempotent: place % 2 === 0 });
        }
      }
    }
  }

  /** Moves the start of logs. Where logs start is written down at a stop, and now and then: a broker that is killed forgets it. */
  async trim(client: WireClient, round: number): Promise<void> {
    const partitions = [
      { partitionIndex: 0, offset: 2 + round },
      { partitionIndex: 1, offset: round % 3 === 2 ? -1 : 0 },
    ];
    const trimmed = await client.ask(deleteRecords, 2, { topics: [{ name: 'trimmed', partitions }], timeoutMs: 5000 });
    checkAll(trimmed.topics[0]?.partitions ?? []);
  }

  async #produce(client: WireClient, part: Part): Promise<void> {
    const { topic, partition, codec, isIdempotent } = part;
    const place = `${topic}-${partition}`;
    const baseSequence = this.#sequences.get(place) ?? 0;
    const identity = { producerId: this.#id, producerEpoch: this.#epoch, baseSequence };
    const records = buildBatch({ records: recordsOf(part), codec, ...(isIdempotent && identity) });
    const topicData = [{ name: topic, topicId: ZERO_UUID, partitionData: [{ index: partition, records }] }];
    const request = { acks: -1, timeoutMs: 5000, topicData };
    const first = await client.ask(produce, 12, request);
    const [told] = first.responses[0]?.partitionResponses ?? [];
    checkAll(told === undefined ? [{ errorCode: -1 }] : [told]);
    if (!isIdempotent) return;
    this.#sequences.set(place, baseSequence + part.count);
    const repeated = (await client.ask(produce, 12, request)).responses[0]?.partitionResponses[0];
    if (repeated?.errorCode !== 0 || repeated.baseOffset !== told?.baseOffset) {
      throw new Error(`a repeated batch of ${place} is not known: ${JSON.stringify([told, repeated])}`);
    }
  }
}

interface Part {
  readonly topic: string;
  readonly partition: number;
  readonly codec: Codec;
  readonly round: number;
  readonly count: number;
  readonly isIdempotent: boolean;
}

const recordsOf = ({ topic, partition, codec, round, count }: Part) =>
  Array.from({ length: count }, (_, index) => {
    const number = round * 100 + index;
    const isTombstone = index % 7 === 5;
    const text = `${codec} ${topic}-${partition} ${number} ${'größe '.repeat(1 + ((number * 31) % 40))}`;
    return {
      timestamp: START_MS + number * 1000 - (index % 4 === 3 ? 5000 : 0),
      key: topic === 'compacted' || index % 5 !== 0 ? Buffer.from(`key-${number % 17}`) : null,
      value: isTombstone ? null : Buffer.from(index % 6 === 4 ? '' : text),
      headers:
        index % 4 === 0
          ? [
              { key: 'n', value: Buffer.from(String(number)) },
              { key: 'trace', value: null },
            ]
          : [],
    };
  });

/** What was set for topics and brokers, by resource; values with where they come from. */
export async function viewConfigs(client: WireClient): Promise<Readonly<Record<string, readonly string[]>>> {
  const topics = Object.keys(topicPlans).map((resourceName) => ({ resourceType: 2, resourceName, configurationKeys: null }));
  const brokers = ['1', ''].map((resourceName) => ({ resourceType: 4, resourceName, configurationKeys: null }));
  const { results } = await client.ask(describeConfigs, 4, {
    resources: [...topics, ...brokers],
    includeSynonyms: true,
    includeDocumentation: false,
  });
  checkAll(results);
  // The file is not part of the directory, and its defaults are told by other tests.
  const isSet = (source: number): boolean => source !== 4 && source !== 5;
  return Object.fromEntries(
    results.map(({ resourceType, resourceName, configs }) => [
      `${resourceType} ${resourceName}`,
      configs
        .filter(({ configSource }) => isSet(configSource))
        .map(({ name, value, configSource }) => `${name}=${value} (${configSource})`)
        .sort(),
    ]),
  );
}

function checkAll(answers: readonly { readonly errorCode: number }[]): void {
  const wrong = answers.filter(({ errorCode }) => errorCode !== 0);
  if (wrong.length > 0) throw new Error(`refused: ${JSON.stringify(wrong)}`);
}
