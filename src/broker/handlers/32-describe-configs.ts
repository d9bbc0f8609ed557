import { type ConfigEntry, configResourceIds, configSourceIds, configTypeIds } from '../../config/config-entry.ts';
import { checkTopicName } from '../../config/topic-name.ts';
import type { MetadataImage } from '../../metadata/metadata-image.ts';
import { type ErrorName, KafkaError, textOf } from '../../protocol/errors.ts';
import { describeConfigs } from '../../protocol/messages/32-describe-configs.ts';
import type { RequestOf, ResponseInput } from '../../protocol/schema.ts';
import { CLUSTER_NAME } from '../../security/authorizer.ts';
import type { BrokerServices } from '../broker-services.ts';
import { defineHandler, type Handler } from '../handler.ts';
import { fixedLogLevels } from '../log-levels.ts';
import type { RequestContext } from '../request-context.ts';
import { mapInTurns, whenThere } from '../../base/turns.ts';
import { messageOf } from './answers.ts';

type Request = RequestOf<typeof describeConfigs>;
type Resource = Request['resources'][number];
type Result = ResponseInput<typeof describeConfigs>['results'][number];

/** Whom the handler asks: a broker, or a controller on its own listener. */
export interface DescribeConfigsServices
  extends Pick<BrokerServices, 'configs' | 'brokerId' | 'authorizer' | 'logLevels' | 'environment'> {
  readonly metadata: { readonly image: MetadataImage };
}

/** DescribeConfigs v1-4. v1 sources and synonyms (KIP-226), v3 types and documentation (KIP-569). Each broker describes itself and what the cluster shares. */
export const describeConfigsHandler = (services: DescribeConfigsServices): Handler =>
  defineHandler<typeof describeConfigs>({
    api: describeConfigs,
    handle: (request, context) => {
      // A type that nobody knows makes the request as a whole one that cannot be right.
      if (request.resources.some(({ resourceType }) => !knownTypes.has(resourceType))) throw new KafkaError('INVALID_REQUEST');
      if (request.resources.length > RESOURCES_MAX) {
        throw new KafkaError('INVALID_REQUEST', `More than ${RESOURCES_MAX} resources cannot be described at once.`);
      }
      const describeOne = (resource: Resource): Result => describe(services, resource, request, context);
      return whenThere(mapInTurns(services.environment.clock, request.resources, describeOne), (results) => ({ results }));
    },
    failed: (request, error) => ({ results: request.resources.map((resource) => failure(resource, error, error.message)) }),
  });

/** Each takes some kilobytes of the answer, and as many names of groups as one likes have configs. */
const RESOURCES_MAX = 20_000;

const knownTypes: ReadonlySet<number> = new Set(Object.values(configResourceIds));

const failure = ({ resourceType, resourceName }: Resource, error: KafkaError, message: string): Result => ({
  errorCode: error.code,
  errorMessage: message,
  resourceType,
  resourceName,
  configs: [],
});

const describe = (services: DescribeConfigsServices, resource: Resource, request: Request, context: RequestContext): Result => {
  const { resourceType, resourceName, configurationKeys } = resource;
  try {
    const refusal = refusalOf(services, resource, context);
    if (refusal !== null) throw new KafkaError(refusal);
    const entries = entriesOf(services, resource);
    // No names, or an empty list of them, mean all.
    const wanted = configurationKeys === null || configurationKeys.length === 0 ? null : new Set(configurationKeys);
    const shown = wanted === null ? entries : entries.filter(({ name }) => wanted.has(name));
    return { errorMessage: '', resourceType, resourceName, configs: shown.map((entry) => toWire(entry, request)) };
  } catch (error) {
    if (!(error instanceof KafkaError)) throw error;
    return failure(resource, error, messageOf(error) ?? (error.errorName === 'INVALID_REQUEST' ? textOf('INVALID_REQUEST') : ''));
  }
};

const refusalOf = ({ authorizer }: DescribeConfigsServices, resource: Resource, context: RequestContext): ErrorName | null => {
  const { resourceType, resourceName } = resource;
  const mayDescribe = (type: 'TOPIC' | 'GROUP' | 'CLUSTER', name: string): boolean =>
    authorizer.isAllowed(context, 'DESCRIBE_CONFIGS', type, name);
  if (resourceType === configResourceIds.topic) return mayDescribe('TOPIC', resourceName) ? null : 'TOPIC_AUTHORIZATION_FAILED';
  if (resourceType === configResourceIds.group) return mayDescribe('GROUP', resourceName) ? null : 'GROUP_AUTHORIZATION_FAILED';
  return mayDescribe('CLUSTER', CLUSTER_NAME) ? null : 'CLUSTER_AUTHORIZATION_FAILED';
};

const entriesOf = (services: DescribeConfigsServices, { resourceType, resourceName: name }: Resource): readonly ConfigEntry[] => {
  const { configs, brokerId, metadata } = services;
  switch (resourceType) {
    case configResourceIds.topic:
      checkTopicName(name);
      if (metadata.image.topics.byName.get(name) === undefined) throw new KafkaError('UNKNOWN_TOPIC_OR_PARTITION');
      return configs.describe({ type: 'topic', name });
    case configResourceIds.broker:
      if (name !== '')
        checkNodeId(name, brokerId, `Unexpected broker id, expected ${brokerId} or empty string, but received ${name}`);
      return configs.describe({ type: 'broker', name });
    case configResourceIds['broker-logger']:
      if (name === '') throw new KafkaError('INVALID_REQUEST', 'Broker id must not be empty');
      checkNodeId(name, brokerId, `Unexpected broker id, expected ${brokerId} but received ${name}`);
      return loggerEntries(services);
    case configResourceIds['client-metrics']:
      if (name === '') throw new KafkaError('INVALID_REQUEST', 'Client metrics subscription name must not be empty');
      return configs.describe({ type: 'client-metrics', name });
    case configResourceIds.group:
      if (name === '') throw new KafkaError('INVALID_REQUEST', 'Group name must not be empty');
      return configs.describe({ type: 'group', name });
    default:
      throw new KafkaError('INVALID_REQUEST');
  }
};

const checkNodeId = (name: string, brokerId: number, message: string): void => {
  if (!/^[+-]?\d+$/.test(name)) throw new KafkaError('INVALID_REQUEST', `Broker id must be an integer, but it is: ${name}`);
  if (Number(name) !== brokerId) throw new KafkaError('INVALID_REQUEST', message);
};

const loggerEntries = ({ logLevels = fixedLogLevels }: DescribeConfigsServices): ConfigEntry[] =>
  [...logLevels.levels].map(([name, value]) => ({
    name,
    value,
    source: 'DYNAMIC_BROKER_LOGGER_CONFIG',
    readOnly: false,
    sensitive: false,
    type: 'UNKNOWN',
    documentation: '',
    synonyms: [],
  }));

const toWire = (entry: ConfigEntry, request: Request): Result['configs'][number] => ({
  name: entry.name,
  value: entry.value,
  readOnly: entry.readOnly,
  configSource: configSourceIds[entry.source],
  isSensitive: entry.sensitive,
  synonyms: request.includeSynonyms
    ? entry.synonyms.map(({ name, value, source }) => ({ name, value, source: configSourceIds[source] }))
    : [],
  configType: configTypeIds[entry.type],
  // Loggers have none, and say so.
  documentation: request.includeDocumentation || entry.documentation === '' ? entry.documentation : null,
});
