import { unregisterBroker } from '../../protocol/messages/64-unregister-broker.ts';
import type { BrokerServices } from '../broker-services.ts';
import { forward } from '../forwarding.ts';
import { defineHandler, type Handler } from '../handler.ts';
import { messageOf } from './answers.ts';

/** UnregisterBroker v0 (KIP-631): the controller forgets a broker that is gone for good. */
export const unregisterBrokerHandler = (services: BrokerServices): Handler =>
  defineHandler<typeof unregisterBroker>({
    api: unregisterBroker,
    handle: (request, context) => forward(services.controller, unregisterBroker, request, context),
    failed: (_request, error) => ({ errorCode: error.code, errorMessage: messageOf(error) }),
  });
