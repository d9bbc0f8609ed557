import { invalidConfig, invalidValue, listEntries } from './config-value.ts';
import type { TopicConfig } from './topic-configs.ts';

/** In which order Kafka reads the texts of a topic: the first that is wrong is the one that is told. */
export const topicReadingOrder: readonly string[] = [
  'segment.bytes',
  'segment.ms',
  'segment.jitter.ms',
  'segment.index.bytes',
  'flush.messages',
  'flush.ms',
  'retention.bytes',
  'retention.ms',
  'max.message.bytes',
  'max.decompressed.message.bytes',
  'index.interval.bytes',
  'delete.retention.ms',
  'min.compaction.lag.ms',
  'max.compaction.lag.ms',
  'file.delete.delay.ms',
  'min.cleanable.dirty.ratio',
  'cleanup.policy',
  'unclean.leader.election.enable',
  'min.insync.replicas',
  'compression.type',
  'compression.gzip.level',
  'compression.lz4.level',
  'compression.zstd.level',
  'preallocate',
  'message.timestamp.type',
  'message.timestamp.before.max.ms',
  'message.timestamp.after.max.ms',
  'leader.replication.throttled.replicas',
  'follower.replication.throttled.replicas',
  'remote.storage.enable',
  'local.retention.ms',
  'local.retention.bytes',
  'remote.log.copy.disable',
  'remote.copy.lag.ms',
  'remote.copy.lag.bytes',
  'remote.log.delete.on.disable',
  'errors.deadletterqueue.group.enable',
  'internal.segment.bytes',
];

/** A policy that is named twice counts once, though a list says nothing twice otherwise. */
export function withoutRepeatedPolicies(texts: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const text = texts.get('cleanup.policy');
  if (text?.includes(',') !== true) return texts;
  const policies = new Set(listEntries(text));
  return new Map([...texts, ['cleanup.policy', [...policies].join(',')]]);
}

interface TopicChange {
  readonly before: TopicConfig;
  readonly after: TopicConfig;
  readonly isTieringEnabled: boolean;
}

const KEEP_REMOTE = '`remote.storage.enable=true,remote.log.copy.disable=true`';
const DELETE_REMOTE = '`remote.storage.enable=false,remote.log.delete.on.disable=true`';

/** What Kafka asks of topic configs that depend on each other. Throws INVALID_CONFIG. */
export function checkTopicRules({ before, after, isTieringEnabled }: TopicChange): void {
  const [least, most] = [after['min.compaction.lag.ms'], after['max.compaction.lag.ms']];
  if (least > most) {
    throw invalidConfig(`conflict topic config setting min.compaction.lag.ms (${least}) > max.compaction.lag.ms (${most})`);
  }
  if (after['remote.storage.enable']) checkTiered(after, isTieringEnabled);
  else if (isTieringEnabled && before['remote.storage.enable'] && !after['remote.log.delete.on.disable']) {
    throw invalidConfig(
      'It is invalid to disable remote storage without deleting remote data. ' +
        `If you want to keep the remote data and turn to read only, please set ${KEEP_REMOTE}. ` +
        `If you want to disable remote storage and delete all remote data, please set ${DELETE_REMOTE}.`,
    );
  }
}

function checkTiered(config: TopicConfig, isTieringEnabled: boolean): void {
  if (!isTieringEnabled) {
    throw invalidConfig(
      'Tiered Storage functionality is disabled in the broker. Topic cannot be configured with remote log storage.',
    );
  }
  if (config['cleanup.policy'].includes('compact')) {
    const supported = 'cleanup.policy=delete or cleanup.policy being an empty list.';
    throw invalidConfig(`Remote log storage only supports topics with ${supported}`);
  }
  for (const [local, total] of limits) {
    checkLocal(config, local, total);
    if (config['remote.log.copy.disable'] && config[local] !== FOLLOWS_TOTAL && config[local] !== config[total]) {
      throw invalidConfig(
        `When \`remote.log.copy.disable\` is set to true, the \`${local}\` and \`${total}\` must be set to the identical value ` +
          'because there will be no more logs copied to the remote storage.',
      );
    }
  }
}

const FOLLOWS_TOTAL = -2;

const UNLIMITED = -1;

const limits = [
  ['local.retention.bytes', 'retention.bytes'],
  ['local.retention.ms', 'retention.ms'],
] as const;

/** No more is kept on the local disk than in all. */
function checkLocal(config: TopicConfig, localName: (typeof limits)[number][0], totalName: (typeof limits)[number][1]): void {
  const [local, total] = [config[localName], config[totalName]];
  if (total === UNLIMITED || local === FOLLOWS_TOTAL) return;
  if (local === UNLIMITED) {
    throw invalidConfig(invalidValue(localName, String(local), `Value must not be -1 as ${totalName} value is set as ${total}.`));
  }
  if (local > total) {
    throw invalidConfig(
      invalidValue(localName, String(local), `Value must not be more than ${totalName} property value: ${total}`),
    );
  }
}
