import { invalidConfig, invalidValue } from './config-value.ts';
import type { TopicConfig } from './topic-configs.ts';

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
