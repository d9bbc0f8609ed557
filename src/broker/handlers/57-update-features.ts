import { updateFeatures } from '../../protocol/messages/57-update-features.ts';
import type { BrokerServices } from '../broker-services.ts';
import { forward } from '../forwarding.ts';
import { defineHandler, type Handler } from '../handler.ts';
import { messageOf } from './answers.ts';

/** UpdateFeatures v0-2 (KIP-584). The controller decides, for all features or none; v1 can ask without doing it (KIP-778). */
export const updateFeaturesHandler = (services: BrokerServices): Handler =>
  defineHandler<typeof updateFeatures>({
    api: updateFeatures,
    handle: (request, context) => forward(services.controller, updateFeatures, request, context),
    failed: (_request, error) => ({ errorCode: error.code, errorMessage: messageOf(error) }),
  });
