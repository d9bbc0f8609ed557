import { checkBrokerTexts } from '../../config/check-resource.ts';
import { configResourceIds } from '../../config/config-entry.ts';
import { KafkaError } from '../../protocol/errors.ts';
import { alterConfigs } from '../../protocol/messages/33-alter-configs.ts';
import type { RequestOf } from '../../protocol/schema.ts';
import type { BrokerServices } from '../broker-services.ts';
import { forward } from '../forwarding.ts';
import { defineHandler, type Handler } from '../handler.ts';
import { answerResources, checkNodeId, resourceFailed } from './config-resources.ts';

type Resource = RequestOf<typeof alterConfigs>['resources'][number];

/**
 * AlterConfigs v0-2 (KIP-133): what is named is all that is set afterwards. A broker says whether it can take its own configs; all
 * else is the controller's to decide. Levels of loggers came later than this API and are none of its resources.
 */
export const alterConfigsHandler = (services: BrokerServices): Handler =>
  defineHandler<typeof alterConfigs>({
    api: alterConfigs,
    handle: (request, context) =>
      answerResources(request.resources, {
        here: (resource) => {
          checkResource(services, resource);
          return null;
        },
        atController: (resources) => forward(services.controller, alterConfigs, { ...request, resources }, context),
      }),
    failed: (request, error) => ({ responses: request.resources.map((resource) => resourceFailed(resource, error)) }),
  });

const alterable: ReadonlySet<number> = new Set(
  Object.entries(configResourceIds).flatMap(([type, id]) => (type === 'broker-logger' ? [] : [id])),
);

/** Throws what this broker has against it. */
const checkResource = ({ configs: store, brokerId }: BrokerServices, resource: Resource): void => {
  const { resourceType, resourceName: name, configs } = resource;
  if (new Set(configs.map((config) => config.name)).size < configs.length)
    throw new KafkaError('INVALID_REQUEST', 'Error due to duplicate config keys');
  const withoutValue = configs.filter(({ value }) => value === null).map((config) => config.name);
  if (withoutValue.length > 0)
    throw new KafkaError('INVALID_REQUEST', `Null value not supported for : ${withoutValue.join(', ')}`);
  if (!alterable.has(resourceType)) throw new KafkaError('INVALID_REQUEST', `Unknown resource type ${resourceType}`);
  if (resourceType !== configResourceIds.broker) return;
  if (name !== '') checkNodeId(name, brokerId, `Unexpected broker id, expected ${brokerId}, but received ${name}`);
  checkBrokerTexts(store, { type: 'broker', name }, new Map(configs.map((config) => [config.name, config.value ?? ''])));
};
