import { NO_AUTHORIZED_OPERATIONS } from '../broker/handlers/answers.ts';
import { defineHandler, type Handler } from '../broker/handler.ts';
import { KafkaError } from '../protocol/errors.ts';
import { describeCluster } from '../protocol/messages/60-describe-cluster.ts';
import type { ResponseInput } from '../protocol/schema.ts';
import { authorizedOperations, CLUSTER_NAME } from '../security/authorizer.ts';
import type { ControllerServices } from './controller-services.ts';

const BROKERS = 1;
const CONTROLLERS = 2;
/** From here on a client says whom it means. */
const ENDPOINT_TYPE_VERSION = 1;

/** DescribeCluster v0-2 on the listener of a controller (KIP-919): the registered controllers that have this listener, and which of them decides. */
export const describeControllersHandler = (services: ControllerServices): Handler =>
  defineHandler<typeof describeCluster>({
    api: describeCluster,
    handle: (request, context) => {
      checkEndpointType(request.endpointType, context.apiVersion);
      const { authorizer, controller, clusterId } = services;
      const mayDescribe = authorizer.isAllowed(context, 'DESCRIBE', 'CLUSTER', CLUSTER_NAME);
      const allowed = mayDescribe ? authorizedOperations(authorizer, context, 'CLUSTER', CLUSTER_NAME) : 0;
      return {
        endpointType: CONTROLLERS,
        clusterId,
        controllerId: controller.leaderId ?? -1,
        brokers: controllersOn(services, context.listenerName),
        clusterAuthorizedOperations: request.includeClusterAuthorizedOperations ? allowed : NO_AUTHORIZED_OPERATIONS,
      };
    },
    failed: (_request, error) => ({ errorCode: error.code, errorMessage: error.message, clusterId: '', brokers: [] }),
  });

function checkEndpointType(endpointType: number, version: number): void {
  if (endpointType === CONTROLLERS) return;
  if (endpointType !== BROKERS) throw new KafkaError('UNSUPPORTED_ENDPOINT_TYPE', `Unsupported endpoint type ${endpointType}`);
  throw new KafkaError(
    version < ENDPOINT_TYPE_VERSION ? 'INVALID_REQUEST' : 'MISMATCHED_ENDPOINT_TYPE',
    'The request was sent to an endpoint of type CONTROLLER, but we wanted an endpoint of type BROKER',
  );
}

function controllersOn({ image }: ControllerServices, listenerName: string): ResponseInput<typeof describeCluster>['brokers'] {
  return [...image().cluster.controllers.values()].flatMap(({ id, listeners }) => {
    const endpoint = listeners.get(listenerName);
    return endpoint === undefined
      ? []
      : [{ brokerId: id, host: endpoint.host, port: endpoint.port, rack: null, isFenced: false }];
  });
}
