import { configResourceIds } from '../../config/config-entry.ts';
import { KafkaError } from '../../protocol/errors.ts';
import { listConfigResources } from '../../protocol/messages/74-list-config-resources.ts';
import { CLUSTER_NAME } from '../../security/authorizer.ts';
import type { BrokerServices } from '../broker-services.ts';
import { defineHandler, type Handler } from '../handler.ts';
import { aliveNodes } from '../metadata-view.ts';
import type { RequestContext } from '../request-context.ts';

/**
 * ListConfigResources v0-1: what has configs that can be described. v0 lists subscriptions of client metrics (KIP-714), v1 resources of
 * the types that are asked for, or of all (KIP-1142). Topics and brokers are listed whether anything is set for them or not.
 */
export const listConfigResourcesHandler = (services: BrokerServices): Handler =>
  defineHandler<typeof listConfigResources>({
    api: listConfigResources,
    handle: (request, context) => {
      if (!services.authorizer.isAllowed(context, 'DESCRIBE_CONFIGS', 'CLUSTER', CLUSTER_NAME))
        throw new KafkaError('CLUSTER_AUTHORIZATION_FAILED');
      return { configResources: resourcesOf(wantedTypes(request.resourceTypes, context), services, context) };
    },
    failed: (_request, error) => ({ errorCode: error.code, configResources: [] }),
  });

type ResourceType = keyof typeof configResourceIds;

/** In the order of their listing. */
const resourceTypes: readonly ResourceType[] = ['group', 'client-metrics', 'broker-logger', 'broker', 'topic'];

const wantedTypes = (asked: readonly number[], { apiVersion }: RequestContext): readonly ResourceType[] => {
  if (apiVersion === 0) return ['client-metrics'];
  const known = new Set<number>(Object.values(configResourceIds));
  if (asked.some((id) => !known.has(id))) throw new KafkaError('UNSUPPORTED_VERSION');
  return asked.length === 0 ? resourceTypes : resourceTypes.filter((type) => asked.includes(configResourceIds[type]));
};

const resourcesOf = (
  types: readonly ResourceType[],
  services: BrokerServices,
  context: RequestContext,
): { resourceName: string; resourceType: number }[] =>
  types.flatMap((type) => {
    const resourceType = configResourceIds[type];
    return namesOf(type, services, context).map((resourceName) => ({ resourceName, resourceType }));
  });

const namesOf = (type: ResourceType, { metadata: { image } }: BrokerServices, { listenerName }: RequestContext): string[] => {
  if (type === 'topic') return [...image.topics.byName.keys()];
  if (type === 'broker' || type === 'broker-logger') return aliveNodes(image, listenerName).map(({ nodeId }) => String(nodeId));
  const configured = [...image.configs.resources.values()].filter(({ resourceType }) => resourceType === configResourceIds[type]);
  return configured.map(({ resourceName }) => resourceName);
};
