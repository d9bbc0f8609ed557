import type { BrokerConfig } from './broker-configs.ts';
import { invalidConfig, invalidValue } from './config-value.ts';

const MEGABYTE = 1_048_576;
const COMPRESSION_CODECS = 5;

/** A fact that must hold, and what to say when it does not. */
type Rule = readonly [holds: boolean, otherwise: string];

/** What Kafka asks of configs that depend on each other, beyond listeners and roles. Throws INVALID_CONFIG. */
export function checkBrokerRules(config: BrokerConfig): void {
  const rules = [logRules, replicationRules, networkRules, coordinatorRules, intervalRules, shareRules, streamsRules];
  for (const rule of rules) {
    for (const [holds, otherwise] of rule(config)) {
      if (!holds) throw invalidConfig(otherwise);
    }
  }
}

function logRules(config: BrokerConfig): Rule[] {
  const retention = config['log.retention.ms'] ?? config['log.retention.minutes'] ?? config['log.retention.hours'];
  const roll = config['log.roll.ms'] ?? config['log.roll.hours'];
  const jitter = config['log.roll.jitter.ms'] ?? config['log.roll.jitter.hours'];
  const cleaners = config['log.cleaner.threads'];
  const directories = config['log.dirs'] ?? config['log.dir'];
  const unknown = (config['cordoned.log.dirs'] ?? []).filter((each) => each !== '*' && !directories.includes(each));
  return [
    [retention !== 0, 'log.retention.ms must be unlimited (-1) or, greater than or equal to 1'],
    [roll >= 1, 'log.roll.ms must be greater than or equal to 1'],
    [jitter >= 0, 'log.roll.jitter.ms must be greater than or equal to 0'],
    [cleaners > 0, 'log.cleaner.threads must be at least 1'],
    [
      config['log.cleaner.dedupe.buffer.size'] / cleaners >= MEGABYTE,
      'log.cleaner.dedupe.buffer.size must be at least 1MB per cleaner thread.',
    ],
    [
      unknown.length === 0,
      `All entries in cordoned.log.dirs must be present in log.dirs or log.dir. Missing entries : ${unknown.join(', ')}`,
    ],
  ];
}

function replicationRules(config: BrokerConfig): Rule[] {
  const wait = config['replica.fetch.wait.max.ms'];
  return [
    [
      wait <= config['replica.socket.timeout.ms'],
      'replica.socket.timeout.ms should always be at least replica.fetch.wait.max.ms to prevent unnecessary socket timeouts',
    ],
    [
      wait <= config['replica.lag.time.max.ms'],
      'replica.fetch.wait.max.ms should always be less than or equal to replica.lag.time.max.ms to prevent frequent changes in ISR',
    ],
  ];
}

function networkRules(config: BrokerConfig): Rule[] {
  const perIp = 'max.connections.per.ip';
  const overrides = config[`${perIp}.overrides`];
  const queued = config['queued.max.request.bytes'];
  return [
    ...overrides.split(',').flatMap(overrideRules),
    [config[perIp] > 0 || overrides !== '', `${perIp} can be set to zero only if ${perIp}.overrides property is set.`],
    [
      queued <= 0 || queued >= config['socket.request.max.bytes'],
      'queued.max.request.bytes must be larger or equal to socket.request.max.bytes',
    ],
  ];
}

/** `host:count`; the host may be an IPv6 address. */
function overrideRules(entry: string): Rule[] {
  const name = 'max.connections.per.ip.overrides';
  if (entry.trim() === '') return [];
  const [, host = '', count = ''] = /^(.*):(.*)$/.exec(entry.trim()) ?? [];
  return [
    [entry.includes(':'), `Error parsing configuration property '${name}': ${entry.trim()} is not of the form host:count`],
    [/^\d+$/.test(count.trim()), `Error parsing configuration property '${name}': ${count} is not a number`],
    [/^[0-9a-zA-Z\-._:]+$/.test(host), `${name} contains invalid addresses : ${host}`],
  ];
}

function coordinatorRules(config: BrokerConfig): Rule[] {
  const codecs = [config['offsets.topic.compression.codec'], config['share.coordinator.state.topic.compression.codec']];
  return [
    ...codecs.map((codec): Rule => [codec >= 0 && codec < COMPRESSION_CODECS, `Unknown compression type id: ${codec}`]),
    [config['group.coordinator.rebalance.protocols'].includes('classic'), `Disabling the 'classic' protocol is not supported.`],
    ...assignorRules('group.consumer.assignors', config['group.consumer.assignors'], ['uniform', 'range']),
    ...assignorRules('group.share.assignors', config['group.share.assignors'], ['simple']),
    ...assignorRules('group.streams.assignors', config['group.streams.assignors'], ['sticky']),
  ];
}

/** Assignors of Kafka may be classes; Ottla knows its own by name. */
const assignorRules = (name: string, assignors: readonly string[], known: readonly string[]): Rule[] =>
  assignors.map((each) => [known.includes(each), invalidValue(name, each, 'Class cannot be found')]);

/** For each kind of group: the limits are in order, the value lies between them, and heartbeats come within the session timeout. */
function intervalRules(config: BrokerConfig): Rule[] {
  const kinds = ['consumer', 'share', 'streams'] as const;
  const intervals = ['heartbeat.interval.ms', 'session.timeout.ms', 'assignment.interval.ms'] as const;
  return kinds.flatMap((kind) => [
    ...intervals.flatMap((interval): Rule[] => {
      const [low, value, high] = [
        `group.${kind}.min.${interval}`,
        `group.${kind}.${interval}`,
        `group.${kind}.max.${interval}`,
      ] as const;
      return [
        [config[high] >= config[low], `${high} must be greater than or equal to ${low}`],
        [config[value] >= config[low], `${value} must be greater than or equal to ${low}`],
        [config[value] <= config[high], `${value} must be less than or equal to ${high}`],
      ];
    }),
    [
      config[`group.${kind}.heartbeat.interval.ms`] < config[`group.${kind}.session.timeout.ms`],
      `group.${kind}.heartbeat.interval.ms must be less than group.${kind}.session.timeout.ms`,
    ],
  ]);
}

function shareRules(config: BrokerConfig): Rule[] {
  const limits = ['record.lock.duration.ms', 'delivery.count.limit', 'partition.max.record.locks'] as const;
  return [
    ...limits.flatMap((limit): Rule[] => {
      const [low, value, high] = [`group.share.min.${limit}`, `group.share.${limit}`, `group.share.max.${limit}`] as const;
      return [
        [config[value] >= config[low], `${value} must be greater than or equal to ${low}`],
        [config[high] >= config[value], `${high} must be greater than or equal to ${value}`],
      ];
    }),
    [
      config['group.share.max.share.sessions'] >= config['group.share.max.size'],
      'group.share.max.share.sessions must be greater than or equal to group.share.max.size',
    ],
  ];
}

function streamsRules(config: BrokerConfig): Rule[] {
  const prefix = 'group.streams';
  const replicas = ['standby.replicas', 'warmup.replicas'] as const;
  return [
    ...replicas.map((kind): Rule => {
      const [value, high] = [`${prefix}.num.${kind}`, `${prefix}.max.${kind}`] as const;
      return [config[value] <= config[high], `${value} must be less than or equal to ${high}`];
    }),
    [
      config[`${prefix}.task.offset.interval.ms`] >= config[`${prefix}.min.task.offset.interval.ms`],
      `${prefix}.task.offset.interval.ms must be greater than or equal to ${prefix}.min.task.offset.interval.ms`,
    ],
  ];
}
