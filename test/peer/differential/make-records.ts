import { type BatchSpec, damages, type RecordSpec } from './batch-spec.ts';
import type { RequestMaker, World } from './world.ts';

const NO_PRODUCER = { producerId: -1, producerEpoch: -1, baseSequence: -1 };

/** Produce: mostly a good batch, sometimes one of an idempotent producer, sometimes one that has to be refused. */
export const makeProduce: RequestMaker = (world, version) => ({
  // Transactions have a coordinator, which comes later: what is transactional is refused for having no id.
  transactionalId: null,
  acks: world.rarely(12) ? world.pick(0, 2, -2) : world.pick(-1, -1, 1),
  timeoutMs: world.pick(1000, 30_000),
  topicData: topicsOnce(world, 3).map((name) => ({
    name,
    topicId: idOf(world, name),
    partitionData: partitionsOnce(world, name, 2).map((index) => ({
      index,
      // Never null: Kafka does not answer that at all.
      records: makeBatch(world, `${name}-${index}`, version),
    })),
  })),
});

/** One id for each name: none of two topics of a request is the same. */
const idOf = (world: World, name: string): string =>
  world.topics.get(name)?.id ?? Buffer.from(name.padEnd(16, '#')).toString('base64url').slice(0, 21).concat('A');

/** Kafka keeps one entry a topic and a partition of those that are named twice; which one is not told. */
const topicsOnce = (world: World, max: number): string[] => [
  ...new Set(world.list(max, () => world.topicName(), world.rarely(40) ? 0 : 1)),
];
const partitionsOnce = (world: World, name: string, max: number): number[] => [
  ...new Set(world.list(max, () => world.partition(name), world.rarely(40) ? 0 : 1)),
];

/** Before zstd, a codec that does not exist makes Kafka fail at the request as a whole, which Ottla does not imitate. */
const damagesBeforeZstd = damages.filter((damage) => !damage.startsWith('codec'));

function makeBatch(world: World, place: string, version: number): BatchSpec {
  const isDamaged = world.rarely(5);
  const count = world.rarely(60) ? 0 : 1 + world.random.integer(4);
  const codec = world.mostly('none', world.pick('gzip', 'snappy', 'lz4', version >= 7 || world.rarely(3) ? 'zstd' : 'none'));
  return {
    codec,
    records: Array.from({ length: count }, () => makeRecord(world, place)),
    ...(world.rarely(4) && !isDamaged ? identity(world, place, count) : NO_PRODUCER),
    damage: isDamaged ? world.pick(...(version < 7 ? damagesBeforeZstd : damages)) : null,
  };
}

function makeRecord(world: World, place: string): RecordSpec {
  const hasKey = place.startsWith('compacted') ? !world.rarely(8) : world.rarely(2);
  return {
    timestamp: world.rarely(25)
      ? world.pick(-1, 0, world.nowMs - 40 * 86_400_000, world.nowMs + 9 * 86_400_000)
      : world.nowMs - 60_000 + world.random.integer(50_000),
    key: hasKey ? `key-${world.random.integer(20)}` : null,
    value: world.rarely(10) ? null : 'value '.repeat(world.rarely(10) ? 60 : world.random.integer(12)),
    headers: world.rarely(5) ? [{ key: world.pick('a', 'größe'), value: world.pick('1', null, '') }] : [],
  };
}

/** The next batch of a producer, or one out of order, repeated, or of another epoch. */
function identity(world: World, place: string, count: number): Pick<BatchSpec, 'producerId' | 'producerEpoch' | 'baseSequence'> {
  if (world.producers.length === 0 || world.rarely(25)) {
    return { producerId: world.pick(4242, 4243), producerEpoch: world.pick(0, 1), baseSequence: world.pick(0, 3) };
  }
  const producer = world.pick(...world.producers);
  const next = producer.nextSequence.get(place) ?? 0;
  // An epoch below 0 makes Kafka fail where it writes the records anew, and who knows where that is.
  const otherEpoch = Math.max(0, producer.epoch + world.pick(-1, 1));
  if (world.rarely(8)) return { producerId: producer.id, producerEpoch: otherEpoch, baseSequence: next };
  if (world.rarely(4)) {
    return {
      producerId: producer.id,
      producerEpoch: producer.epoch,
      baseSequence: Math.max(0, next + world.pick(-3, -2, -1, 1, 5)),
    };
  }
  producer.nextSequence.set(place, next + count);
  return { producerId: producer.id, producerEpoch: producer.epoch, baseSequence: next };
}

export const makeFetch: RequestMaker = (world) => ({
  replicaId: world.rarely(60) ? world.pick(2, -2) : -1,
  maxWaitMs: world.pick(0, 0, 1, 10),
  minBytes: world.pick(0, 1, 1, 10_000),
  maxBytes: world.pick(1, 300, 10_000, 2_147_483_647),
  isolationLevel: world.pick(0, 0, 1),
  ...session(world),
  topics: [...new Set(world.list(3, () => world.topicName()))].map((topic) => ({
    topic,
    topicId: idOf(world, topic),
    partitions: partitionsOnce(world, topic, 2).map((partition) => ({
      partition,
      currentLeaderEpoch: world.leaderEpoch(),
      fetchOffset: world.offset(topic, partition),
      lastFetchedEpoch: world.rarely(10) ? world.pick(0, 1, 5) : -1,
      logStartOffset: -1,
      partitionMaxBytes: world.pick(0, 1, 200, 1_048_576),
    })),
  })),
  forgottenTopicsData: world.rarely(6)
    ? [world.topicName()].map((topic) => ({
        topic,
        topicId: idOf(world, topic),
        partitions: [world.partition(topic)],
      }))
    : [],
  rackId: world.pick('', '', 'rack'),
});

function session(world: World): { sessionId: number; sessionEpoch: number } {
  if (world.rarely(2)) return { sessionId: 0, sessionEpoch: -1 };
  if (world.sessions.length === 0 || world.rarely(4)) return { sessionId: 0, sessionEpoch: 0 };
  const known = world.pick(...world.sessions);
  if (world.rarely(12)) return { sessionId: known.id, sessionEpoch: -1 };
  if (world.rarely(8)) return { sessionId: known.id, sessionEpoch: known.nextEpoch + world.pick(-1, 1, 5) };
  if (world.rarely(20)) return { sessionId: 12_345, sessionEpoch: 1 };
  return { sessionId: known.id, sessionEpoch: known.nextEpoch };
}

export const makeListOffsets: RequestMaker = (world) => ({
  replicaId: world.rarely(30) ? world.pick(2, -2) : -1,
  isolationLevel: world.pick(0, 0, 1),
  topics: world
    .list(3, () => world.topicName())
    .map((name) => ({
      name,
      partitions: world
        .list(3, () => world.partition(name))
        .map((partitionIndex) => ({
          partitionIndex,
          currentLeaderEpoch: world.leaderEpoch(),
          timestamp: world.pick(
            -1,
            -2,
            -3,
            -4,
            -5,
            world.rarely(4) ? -6 : -1,
            0,
            world.nowMs - world.random.integer(70_000),
            world.nowMs * 2,
          ),
        })),
    })),
  timeoutMs: 1000,
});

export const makeOffsetForLeaderEpoch: RequestMaker = (world) => ({
  replicaId: world.rarely(10) ? world.pick(-1, 2) : -2,
  topics: topicsOnce(world, 3).map((topic) => ({
    topic,
    partitions: world
      .list(3, () => world.partition(topic))
      .map((partition) => ({
        partition,
        currentLeaderEpoch: world.leaderEpoch(),
        leaderEpoch: world.pick(0, 0, 1, -1, 5),
      })),
  })),
});

export const makeDeleteRecords: RequestMaker = (world) => ({
  topics: topicsOnce(world, 2).map((name) => ({
    name,
    partitions: partitionsOnce(world, name, 2).map((partitionIndex) => ({
      partitionIndex,
      offset: world.rarely(8) ? world.offset(name, partitionIndex) : world.pick(-1, 0, 1, 2, 5),
    })),
  })),
  timeoutMs: world.pick(1000, 5000),
});

export const makeDescribeProducers: RequestMaker = (world) => ({
  topics: topicsOnce(world, 3).map((name) => ({ name, partitionIndexes: world.list(3, () => world.partition(name)) })),
});

/** Without a transactional id: transactions have a coordinator, which comes later. */
export const makeInitProducerId: RequestMaker = (world) => ({
  transactionalId: world.rarely(12) ? '' : null,
  transactionTimeoutMs: world.pick(1000, 60_000, 0, -1),
  ...(world.rarely(4) ? makeKnownProducer(world) : { producerId: -1, producerEpoch: -1 }),
});

const makeKnownProducer = (world: World): { producerId: number; producerEpoch: number } => ({
  producerId: world.rarely(3) || world.producers.length === 0 ? world.pick(-1, 4242) : world.pick(...world.producers).id,
  producerEpoch: world.pick(0, -1, 3, 32_767),
});
