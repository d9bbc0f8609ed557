import type { RequestMaker, World } from './world.ts';

const goodConfigs: readonly (readonly [string, string])[] = [
  ['retention.ms', '3600000000'],
  ['retention.ms', '-1'],
  ['retention.ms', ' 7200000000 '],
  ['cleanup.policy', 'compact , delete'],
  ['cleanup.policy', 'delete,compact,delete'],
  ['follower.replication.throttled.replicas', ' 1:1'],
  ['cleanup.policy', 'compact'],
  ['cleanup.policy', 'compact,delete'],
  ['cleanup.policy', ''],
  ['max.message.bytes', '500'],
  ['max.message.bytes', '1048588'],
  ['segment.bytes', '1048576'],
  ['compression.type', 'uncompressed'],
  ['message.timestamp.type', 'LogAppendTime'],
  ['min.insync.replicas', '1'],
  ['min.cleanable.dirty.ratio', '0.25'],
  ['flush.messages', '1'],
  ['unclean.leader.election.enable', 'TRUE'],
  ['follower.replication.throttled.replicas', '0:1,1:1'],
  ['leader.replication.throttled.replicas', '*'],
];

/** For all brokers, or for one; the last of these are for topics as well. */
const brokerConfigs: readonly (readonly [string, string])[] = [
  ['log.cleaner.threads', ' 1 '],
  ['log.retention.ms', ' 86400000000 '],
  ['log.cleanup.policy', 'compact, delete'],
  ['message.max.bytes', '2000000'],
  ['log.flush.interval.messages', ' 9 '],
  // Without spaces around it: Kafka's controller fails at those whenever it elects a leader.
  ['min.insync.replicas', '1'],
  ['unclean.leader.election.enable', 'False'],
  ['compression.type', 'producer'],
];

const groupConfigs: readonly (readonly [string, string])[] = [
  ['consumer.session.timeout.ms', '50000'],
  ['consumer.session.timeout.ms', '1'],
  ['consumer.heartbeat.interval.ms', '6000'],
  // Without spaces around it: Kafka's broker fails at those, and forgets the group.
  ['share.record.lock.duration.ms', '30000'],
  ['share.auto.offset.reset', 'earliest'],
  ['share.auto.offset.reset', 'never'],
];

const metricsConfigs: readonly (readonly [string, string])[] = [
  ['interval.ms', '1000'],
  ['interval.ms', '5'],
  ['metrics', 'org.apache.kafka.'],
  ['match', 'client_id=a.*'],
  ['match', 'client_id'],
];

const badConfigs: readonly (readonly [string, string | null])[] = [
  ['retention.ms', 'soon'],
  ['retention.ms', '-2'],
  ['retention.ms', ''],
  ['cleanup.policy', 'delete,forget'],
  ['segment.bytes', '10'],
  ['segment.bytes', '99999999999'],
  ['min.insync.replicas', '0'],
  ['min.cleanable.dirty.ratio', '2'],
  ['compression.type', 'rar'],
  ['unclean.leader.election.enable', 'maybe'],
  ['no.such.config', '1'],
  ['retention.ms', null],
  ['remote.storage.enable', 'true'],
  ['message.timestamp.type', 'Sometimes'],
  ['follower.replication.throttled.replicas', 'all'],
  ['local.retention.ms', '9999999999999'],
  ['max.compaction.lag.ms', '1'],
];

const makeConfig = (world: World): { name: string; value: string | null } => {
  const [name, value] = world.rarely(5) ? world.pick(...badConfigs) : world.pick(...goodConfigs);
  return { name, value };
};

export const makeCreateTopics: RequestMaker = (world, version) => ({
  topics: world.list(3, () => makeTopic(world, version), world.rarely(30) ? 0 : 1),
  timeoutMs: world.pick(5000, 30_000),
  validateOnly: world.rarely(2),
});

function makeTopic(world: World, version: number): Record<string, unknown> {
  const isAssigned = world.rarely(6);
  const configs = uniqueBy(
    world.list(3, () => makeConfig(world)),
    ({ name }) => name,
  );
  const defaults = version >= 4 || world.rarely(8) ? -1 : 1;
  return {
    name: world.passingName(),
    numPartitions:
      isAssigned && !world.rarely(8) ? -1 : world.rarely(10) ? world.pick(0, -2, 20_000) : world.pick(1, 2, 4, defaults),
    replicationFactor: isAssigned && !world.rarely(8) ? -1 : world.rarely(10) ? world.pick(0, -2, 2, 3) : world.pick(1, defaults),
    assignments: isAssigned
      ? world.list(
          3,
          () => ({
            partitionIndex: world.random.integer(3),
            brokerIds: world.rarely(4) ? world.pick([2], [1, 1], [], [-1]) : [1],
          }),
          1,
        )
      : [],
    configs,
  };
}

const uniqueBy = <T>(entries: readonly T[], keyOf: (entry: T) => string): T[] => [
  ...new Map(entries.map((entry) => [keyOf(entry), entry])).values(),
];

export const makeDeleteTopics: RequestMaker = (world) => ({
  topics: world
    .list(2, () => {
      const isById = world.rarely(2);
      const topic = world.topics.get(world.passingName());
      return {
        name: isById && !world.rarely(12) ? null : world.passingName(),
        topicId: isById
          ? (topic?.id ?? world.pick('AAAAAAAAAAAAAAAAAAAAKg', 'AAAAAAAAAAAAAAAAAAAAAA'))
          : 'AAAAAAAAAAAAAAAAAAAAAA',
      };
    })
    .filter(({ name }) => name !== 'plain'),
  topicNames: world.list(2, () => world.passingName()).filter((name) => name !== 'plain'),
  timeoutMs: 5000,
});

export const makeCreatePartitions: RequestMaker = (world) => ({
  topics: world.list(
    2,
    () => {
      const name = world.rarely(6) ? world.topicName() : world.passingName();
      const now = world.topics.get(name)?.partitions ?? 1;
      const more = world.pick(0, 1, 1, 2);
      return {
        name,
        count: world.rarely(10) ? world.pick(-1, 0, 1, 20_000) : now + more,
        assignments: world.rarely(4)
          ? world.list(2, () => ({ brokerIds: world.rarely(4) ? world.pick([2], [1, 1], []) : [1] }), Math.min(more, 2))
          : null,
      };
    },
    1,
  ),
  timeoutMs: 5000,
  validateOnly: world.rarely(2),
});

export const makeIncrementalAlterConfigs: RequestMaker = (world) => {
  const resources = world.list(2, () => makeAlteration(world), 1);
  // An operation that does not exist makes Kafka fail at all resources, of which Ottla may change the others.
  const unknown = resources.find(({ configs }) => configs.some(({ configOperation }) => !(configOperation in OPERATIONS)));
  return { resources: unknown === undefined ? resources : [unknown], validateOnly: world.rarely(2) };
};

const OPERATIONS = ['SET', 'DELETE', 'APPEND', 'SUBTRACT'];

interface MadeAlteration {
  readonly resourceType: number;
  readonly resourceName: string;
  readonly configs: { readonly name: string; readonly configOperation: number; readonly value: string | null }[];
}

function makeAlteration(world: World): MadeAlteration {
  const resourceType = world.rarely(5) ? world.pick(0, 3, 4, 4, 4, 4, 8, 16, 32, 77) : 2;
  const resourceName = resourceType === 2 ? world.passingName() : world.pick('', '1', '2', 'kafka', 'g');
  const operations = world.list(
    // Which of several wrong names of client metrics Kafka tells is up to a hash table.
    resourceType === 16 ? 1 : 2,
    () => {
      const { name, value } = makeConfigOf(world, resourceType);
      const configOperation = world.rarely(40) ? world.pick(4, -1, 9) : world.pick(0, 0, 1, world.rarely(2) ? 2 : 3);
      return { name, configOperation, value: configOperation === 1 && world.rarely(2) ? null : value };
    },
    world.rarely(20) ? 0 : 1,
  );
  return {
    resourceType,
    resourceName,
    configs: uniqueBy(operations, ({ name, configOperation }) => `${name} ${configOperation}`),
  };
}

/** Mostly a config that the resource has. */
function makeConfigOf(world: World, resourceType: number): { name: string; value: string | null } {
  const known = CONFIGS_OF[resourceType];
  if (known === undefined || world.rarely(4)) return makeConfig(world);
  const [name, value] = world.pick(...known);
  return { name, value };
}

const CONFIGS_OF: Readonly<Record<number, readonly (readonly [string, string])[]>> = {
  4: brokerConfigs,
  16: metricsConfigs,
  32: groupConfigs,
};

/** No resource twice: Kafka does not answer that at all. */
export const makeAlterConfigs: RequestMaker = (world) => {
  const resources = world
    .list(2, () => makeAlteration(world), 1)
    .map(({ resourceType, resourceName, configs }) => ({
      resourceType,
      resourceName,
      configs: uniqueBy(configs, ({ name }) => name).map(({ name, value }) => ({ name, value })),
    }));
  return {
    resources: uniqueBy(resources, ({ resourceType, resourceName }) => `${resourceType} ${resourceName}`),
    validateOnly: world.rarely(2),
  };
};

export const makeDescribeConfigs: RequestMaker = (world) => ({
  resources: world.list(2, () => {
    const resourceType = world.rarely(4) ? world.pick(4, 4, 4, 0, 16, 32, 77) : 2;
    return {
      resourceType,
      resourceName: resourceType === 2 ? world.topicName() : world.pick('', '1', '1', '2', 'g'),
      configurationKeys: world.rarely(2)
        ? null
        : world.list(3, () =>
            world.pick('retention.ms', 'cleanup.policy', 'log.dirs', 'num.partitions', 'interval.ms', 'no.such'),
          ),
    };
  }),
  includeSynonyms: world.rarely(2),
  includeDocumentation: world.rarely(2),
});
