import { unreachable } from '../base/assert.ts';
import { KafkaError } from '../protocol/errors.ts';
import { checkBrokerRules } from './broker-rules.ts';
import type { ConfigResource } from './config-entry.ts';
import type { ConfigStore } from './config-store.ts';
import { invalidConfig } from './config-value.ts';
import { type Configs, parseConfig } from './define-configs.ts';
import { clientMetricsConfigs } from './client-metrics-configs.ts';
import { checkClientMetricsRules } from './client-metrics-rules.ts';
import { checkDynamicBroker } from './dynamic-broker.ts';
import { brokerTexts, brokerValues, groupTexts, groupValues, type Texts, topicTexts, topicValues } from './effective.ts';
import { groupConfigs } from './group-configs.ts';
import { checkGroupRules, checkRackTags } from './group-rules.ts';
import { readNodeSettings } from './node-settings.ts';
import { topicConfigs } from './topic-configs.ts';
import { checkTopicName } from './topic-name.ts';
import { checkTopicRules, topicReadingOrder, withoutRepeatedPolicies } from './topic-rules.ts';

const BROKER_ID_MAX = 2_147_483_647;

/**
 * Says whether all of `texts` may be set for a resource, where `existing` is set now. What a node says of topics, groups and
 * subscriptions is what its controller says; of brokers, each says it for itself or for all. Throws the KafkaError to tell.
 */
export function checkResource(store: ConfigStore, resource: ConfigResource, texts: Texts, existing: Texts): void {
  const { type, name } = resource;
  switch (type) {
    case 'topic':
      return checkTopic(store, name, texts, existing);
    case 'group':
      return checkGroup(store, name, texts);
    case 'client-metrics':
      if (name === '') throw new KafkaError('INVALID_REQUEST', `Subscription name can't be empty`);
      checkNames(
        clientMetricsConfigs,
        texts,
        (each) => new KafkaError('INVALID_REQUEST', `Unknown client metrics configuration: ${each}`),
      );
      return checkClientMetricsRules(texts);
    case 'broker':
      return checkBrokerName(name);
    default:
      return unreachable(type);
  }
}

function checkTopic(store: ConfigStore, name: string, texts: Texts, existing: Texts): void {
  if (name === '') throw new KafkaError('INVALID_REQUEST', 'Default topic resources are not allowed.');
  checkTopicName(name);
  checkNames(topicConfigs, inReadingOrder(withoutRepeatedPolicies(texts)), (each) =>
    invalidConfig(`Unknown topic config name: ${each}`),
  );
  const broker = store.broker();
  const before = topicValues(topicTexts(store.texts(), existing));
  const after = topicValues(topicTexts(store.texts(), texts));
  checkTopicRules({ before, after, isTieringEnabled: broker['remote.log.storage.system.enable'] });
}

function checkGroup(store: ConfigStore, name: string, texts: Texts): void {
  if (name === '') throw new KafkaError('INVALID_REQUEST', 'Default group resources are not allowed.');
  checkRackTags(texts);
  checkNames(groupConfigs, texts, (each) => invalidConfig(`Unknown group config name: ${each}`));
  checkGroupRules(groupValues(groupTexts(store.texts(), texts)), store.broker());
}

function checkBrokerName(name: string): void {
  if (name === '') return;
  if (!/^[+-]?\d+$/.test(name) || Math.abs(Number(name)) > BROKER_ID_MAX) {
    throw new KafkaError('INVALID_REQUEST', 'Unable to parse broker name as a base 10 number.');
  }
  if (Number(name) < 0) throw new KafkaError('INVALID_REQUEST', 'Invalid negative broker ID.');
}

const inReadingOrder = (texts: Texts): Texts =>
  new Map([...texts].toSorted(([a], [b]) => topicReadingOrder.indexOf(a) - topicReadingOrder.indexOf(b)));

/** All names are known and all texts can be read, the first one first. */
function checkNames(configs: Configs, texts: Texts, unknown: (name: string) => KafkaError): void {
  for (const name of texts.keys()) {
    if (!configs.specs.has(name)) throw unknown(name);
  }
  for (const [name, text] of texts) {
    const spec = configs.specs.get(name);
    if (spec !== undefined) parseConfig(name, spec, text);
  }
}

/**
 * Says whether a running broker may take `texts` as all that is set for it (or, with an empty name, for every broker). Kafka
 * calls whatever is wrong here an invalid request.
 */
export function checkBrokerTexts(store: ConfigStore, { name }: ConfigResource, texts: Texts): void {
  try {
    checkDynamicBroker(texts, { forOneBroker: name !== '' });
    const layers = { ...store.layers(), ...(name === '' ? { clusterDefault: texts } : { own: texts }) };
    const values = brokerValues(brokerTexts(layers));
    checkBrokerRules(values);
    readNodeSettings(values, layers.fromFile, { isEmbedded: store.isEmbedded });
  } catch (error) {
    if (!(error instanceof KafkaError)) throw error;
    throw new KafkaError('INVALID_REQUEST', error.message, { cause: error });
  }
}
