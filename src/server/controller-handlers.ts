import type { ControllerServices } from './controller-services.ts';
import { apiVersionsHandler } from '../broker/handlers/18-api-versions.ts';
import { describeConfigsHandler } from '../broker/handlers/32-describe-configs.ts';
import { defineHandler, type Handler } from '../broker/handler.ts';
import { controllerOperations, type Operation } from '../controller/controller-operations.ts';
import type { QuorumController } from '../controller/quorum-controller.ts';
import { describeControllersHandler } from './describe-controllers.ts';

/**
 * What a controller's listener serves, in order of the keys: everything that the controller decides, and what it tells of itself. This array is what its
 * ApiVersions tells.
 */
export function controllerHandlers(services: ControllerServices): readonly Handler[] {
  const { environment, configs, image, authorizer, nodeId: brokerId, logLevels, controller } = services;
  const metadata = {
    get image() {
      return image();
    },
  };
  const handlers: readonly Handler[] = [
    ...controllerOperations.map((operation) => operationHandler(operation, controller)),
    apiVersionsHandler({ configs, metadata, identity: null }, () => handlers.map(({ api }) => api)),
    describeConfigsHandler({
      environment,
      configs,
      metadata,
      brokerId,
      authorizer,
      ...(logLevels === undefined ? {} : { logLevels }),
    }),
    describeControllersHandler(services),
  ].toSorted((a, b) => a.api.key - b.api.key);
  return handlers;
}

const operationHandler = (operation: Operation, controller: QuorumController): Handler =>
  defineHandler({
    api: operation.api,
    handle: (request, { apiVersion }) => controller.handle(operation.api, request, apiVersion),
    failed: (request, error) => operation.refused(request, error),
  });
