import { KafkaError } from '../../protocol/errors.ts';
import { describeCluster } from '../../protocol/messages/60-describe-cluster.ts';
import type { RequestOf, ResponseInput } from '../../protocol/schema.ts';
import { authorizedOperations, CLUSTER_NAME } from '../../security/authorizer.ts';
import type { BrokerServices } from '../broker-services.ts';
import { defineHandler, type Handler } from '../handler.ts';
import { aliveNodes, nodeOf } from '../metadata-view.ts';
import type { RequestContext } from '../request-context.ts';
import { NO_AUTHORIZED_OPERATIONS } from './answers.ts';

type Request = RequestOf<typeof describeCluster>;
type Response = ResponseInput<typeof describeCluster>;

const BROKERS = 1;
const CONTROLLERS = 2;

/** DescribeCluster v0-2 (KIP-700). v1 tells brokers from controllers (KIP-919), v2 also fenced brokers (KIP-1073). */
export const describeClusterHandler = (services: BrokerServices): Handler =>
  defineHandler<typeof describeCluster>({
    api: describeCluster,
    handle: (request, context) => {
      checkEndpointType(request.endpointType);
      const { environment, metadata, clusterId } = services;
      const alive = aliveNodes(metadata.image, context.listenerName);
      return {
        clusterId,
        // Any broker passes on what the controller has to do.
        controllerId: alive[environment.random.integer(Math.max(1, alive.length))]?.nodeId ?? -1,
        brokers: brokers(services, request, context),
        clusterAuthorizedOperations: operations(services, request, context),
      };
    },
    failed: (_request, error) => ({ errorCode: error.code, errorMessage: error.message, clusterId: '', brokers: [] }),
  });

const checkEndpointType = (endpointType: number): void => {
  if (endpointType === BROKERS) return;
  if (endpointType !== CONTROLLERS)
    throw new KafkaError('UNSUPPORTED_ENDPOINT_TYPE', `Unsupported endpoint type ${endpointType}`);
  throw new KafkaError(
    'MISMATCHED_ENDPOINT_TYPE',
    'The request was sent to an endpoint of type BROKER, but we wanted an endpoint of type CONTROLLER',
  );
};

const brokers = (
  { metadata: { image } }: BrokerServices,
  request: Request,
  { listenerName, apiVersion }: RequestContext,
): Response['brokers'] => {
  const includesFenced = apiVersion >= 2 && request.includeFencedBrokers;
  const described: { brokerId: number; host: string; port: number; rack: string | null; isFenced: boolean }[] = [];
  for (const { id, fenced, rack } of image.cluster.brokers.values()) {
    if (fenced && !includesFenced) continue;
    const node = nodeOf(image, id, listenerName);
    if (node !== null) described.push({ brokerId: id, host: node.host, port: node.port, rack, isFenced: fenced });
  }
  return described;
};

const operations = ({ authorizer }: BrokerServices, request: Request, context: RequestContext): number => {
  if (!request.includeClusterAuthorizedOperations) return NO_AUTHORIZED_OPERATIONS;
  if (!authorizer.isAllowed(context, 'DESCRIBE', 'CLUSTER', CLUSTER_NAME)) return 0;
  return authorizedOperations(authorizer, context, 'CLUSTER', CLUSTER_NAME);
};
