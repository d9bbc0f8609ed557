import { type Alteration, alterOperations, alterTexts } from '../../config/alter-configs.ts';
import { checkBrokerTexts } from '../../config/check-resource.ts';
import { configResourceIds } from '../../config/config-entry.ts';
import { KafkaError } from '../../protocol/errors.ts';
import { incrementalAlterConfigs } from '../../protocol/messages/44-incremental-alter-configs.ts';
import type { RequestOf } from '../../protocol/schema.ts';
import { CLUSTER_NAME } from '../../security/authorizer.ts';
import type { BrokerServices } from '../broker-services.ts';
import { forward } from '../forwarding.ts';
import { defineHandler, type Handler } from '../handler.ts';
import { fixedLogLevels, logLevelNames, ROOT_LOGGER } from '../log-levels.ts';
import type { RequestContext } from '../request-context.ts';
import { answerResources, checkNodeId, type ResourceAnswer, resourceDone, resourceFailed } from './config-resources.ts';

type Request = RequestOf<typeof incrementalAlterConfigs>;
type Resource = Request['resources'][number];

/**
 * IncrementalAlterConfigs v0-1 (KIP-339). A broker answers for its own loggers and says whether it can take its own configs; all else is the
 * controller's to decide.
 */
export const incrementalAlterConfigsHandler = (services: BrokerServices): Handler =>
  defineHandler<typeof incrementalAlterConfigs>({
    api: incrementalAlterConfigs,
    handle: (request, context) =>
      answerResources(request.resources, {
        here: (resource) => answerHere(services, resource, request, context),
        atController: (resources) => forward(services.controller, incrementalAlterConfigs, { ...request, resources }, context),
      }),
    failed: (request, error) => ({ responses: request.resources.map((resource) => resourceFailed(resource, error)) }),
  });

/** The answer where the controller need not be asked; null where it has to be. Throws what is to be told. */
const answerHere = (
  services: BrokerServices,
  resource: Resource,
  request: Request,
  context: RequestContext,
): ResourceAnswer | null => {
  checkWellFormed(resource);
  if (resource.resourceType === configResourceIds.broker) checkBroker(services, resource);
  if (resource.resourceType !== configResourceIds['broker-logger']) return null;
  alterLoggers(services, resource, request, context);
  return resourceDone(resource);
};

const knownTypes: ReadonlySet<number> = new Set(Object.values(configResourceIds));

const checkWellFormed = ({ resourceType, configs }: Resource): void => {
  const refuse = (message: string): never => {
    throw new KafkaError('INVALID_REQUEST', message);
  };
  if (new Set(configs.map(({ name }) => name)).size < configs.length) refuse('Error due to duplicate config keys');
  const withoutValue = configs.filter(
    ({ value, configOperation }) => value === null && alterOperations[configOperation] !== 'DELETE',
  );
  if (withoutValue.length > 0) refuse(`Null value not supported for : ${withoutValue.map(({ name }) => name).join(',')}`);
  if (!knownTypes.has(resourceType)) refuse(`Unknown resource type ${resourceType}`);
};

/** A broker knows best whether it can take a config while it runs. */
const checkBroker = ({ configs, brokerId, checkStores }: BrokerServices, resource: Resource): void => {
  const { resourceName: name } = resource;
  if (name !== '') checkNodeId(name, brokerId, `Unexpected broker id, expected ${brokerId}, but received ${name}`);
  const alterations = alterationsOf(resource);
  if (alterations === null) return;
  const target = { type: 'broker', name } as const;
  const texts = alterTexts(target, configs.overrides(target), alterations);
  checkBrokerTexts(configs, target, texts);
  checkStores?.(
    name,
    texts,
    alterations.map((alteration) => alteration.name),
  );
};

/** Null if an operation is none; what is told of that is the controller's. */
const alterationsOf = ({ configs }: Resource): Alteration[] | null => {
  const alterations: Alteration[] = [];
  for (const { name, configOperation, value } of configs) {
    const operation = alterOperations[configOperation];
    if (operation === undefined) return null;
    alterations.push({ name, operation, value });
  }
  return alterations;
};

const alterLoggers = (services: BrokerServices, resource: Resource, request: Request, context: RequestContext): void => {
  const { authorizer, logLevels = fixedLogLevels, brokerId } = services;
  if (!authorizer.isAllowed(context, 'ALTER_CONFIGS', 'CLUSTER', CLUSTER_NAME))
    throw new KafkaError('CLUSTER_AUTHORIZATION_FAILED');
  const { resourceName: name } = resource;
  checkNodeId(name, brokerId, `Unexpected node id. Expected ${brokerId}, but received ${name}`);
  const alterations = alterationsOf(resource);
  if (alterations === null) throw new KafkaError('INVALID_REQUEST', 'Unknown operation');
  for (const alteration of alterations) checkLogger(services, alteration);
  if (request.validateOnly) return;
  for (const { name: logger, operation, value } of alterations) {
    if (operation === 'SET') logLevels.set(logger, value ?? '');
    else logLevels.clear(logger);
  }
};

const checkLogger = ({ logLevels = fixedLogLevels }: BrokerServices, { name, operation, value }: Alteration): void => {
  if (operation === 'APPEND' || operation === 'SUBTRACT') {
    throw new KafkaError('INVALID_REQUEST', `${operation} operation is not allowed for the BROKER_LOGGER resource`);
  }
  if (!logLevels.levels.has(name)) throw new KafkaError('INVALID_CONFIG', `Logger ${name} does not exist!`);
  if (operation === 'DELETE' && name === ROOT_LOGGER) {
    throw new KafkaError('INVALID_REQUEST', 'Removing the log level of the root logger is not allowed');
  }
  if (operation === 'SET' && !logLevelNames.some((level) => level === value)) {
    const known = logLevelNames.join(', ');
    throw new KafkaError(
      'INVALID_CONFIG',
      `Cannot set the log level of ${name} to ${value} as it is not a supported log level. Valid log levels are ${known}`,
    );
  }
};
