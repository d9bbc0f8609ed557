import type { BrokerConfig } from './broker-configs.ts';
import { invalidConfig } from './config-value.ts';
import type { Texts } from './effective.ts';
import type { GroupConfig } from './group-configs.ts';

const kinds = ['consumer', 'share', 'streams'] as const;
const intervals = ['heartbeat.interval.ms', 'session.timeout.ms', 'assignment.interval.ms'] as const;
const shareLimits = ['record.lock.duration.ms', 'delivery.count.limit', 'partition.max.record.locks'] as const;

/** A group may ask for what the broker's limits allow, and for values that fit together. Throws INVALID_CONFIG. */
export function checkGroupRules(config: GroupConfig, broker: BrokerConfig): void {
  for (const kind of kinds) {
    for (const interval of intervals) {
      const name = `${kind}.${interval}` as const;
      checkRange(name, config[name], [broker[`group.${kind}.min.${interval}`], broker[`group.${kind}.max.${interval}`]]);
    }
    if (config[`${kind}.session.timeout.ms`] <= config[`${kind}.heartbeat.interval.ms`]) {
      throw invalidConfig(`${kind}.session.timeout.ms must be greater than ${kind}.heartbeat.interval.ms`);
    }
  }
  for (const limit of shareLimits) {
    checkRange(`share.${limit}`, config[`share.${limit}`], [
      broker[`group.share.min.${limit}`],
      broker[`group.share.max.${limit}`],
    ]);
  }
  checkStreams(config, broker);
  if (config['errors.deadletterqueue.topic.name'].startsWith('__')) {
    throw invalidConfig(`errors.deadletterqueue.topic.name: DLQ topic name must not start with '__'`);
  }
}

/** Looked at before the list itself, which would say the same of any list. Throws INVALID_CONFIG. */
export function checkRackTags(texts: Texts): void {
  const name = 'streams.rack.aware.assignment.tags';
  const tags = (texts.get(name) ?? '').split(',').map((tag) => tag.trim());
  if (new Set(tags).size !== tags.length) throw invalidConfig(`${name} must not contain duplicate tag keys.`);
}

function checkRange(name: string, value: number, [low, high]: readonly [number, number]): void {
  if (value < low || value > high) throw invalidConfig(`${name} must be in the range ${low} to ${high} inclusive.`);
}

function checkStreams(config: GroupConfig, broker: BrokerConfig): void {
  for (const kind of ['standby', 'warmup'] as const) {
    const most = broker[`group.streams.max.${kind}.replicas`];
    const name = `streams.num.${kind}.replicas` as const;
    if (config[name] > most) throw invalidConfig(`${name} must be less than or equal to ${most}`);
  }
  const least = broker['group.streams.min.task.offset.interval.ms'];
  if (config['streams.task.offset.interval.ms'] < least) {
    throw invalidConfig(`streams.task.offset.interval.ms must be greater than or equal to ${least}`);
  }
  const assignor = config['streams.assignor.name'];
  const known = broker['group.streams.assignors'];
  if (assignor !== null && !known.includes(assignor)) {
    throw invalidConfig(
      `streams.assignor.name '${assignor}' is not a registered task assignor. Registered assignors are: [${known.join(', ')}].`,
    );
  }
}
