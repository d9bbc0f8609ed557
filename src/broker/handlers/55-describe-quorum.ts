import { describeQuorum } from '../../protocol/messages/55-describe-quorum.ts';
import type { BrokerServices } from '../broker-services.ts';
import { forward } from '../forwarding.ts';
import { defineHandler, type Handler } from '../handler.ts';

/** DescribeQuorum v0-2 (KIP-595, KIP-836, KIP-853): the controller knows. */
export const describeQuorumHandler = (services: BrokerServices): Handler =>
  defineHandler<typeof describeQuorum>({
    api: describeQuorum,
    handle: (request, context) => forward(services.controller, describeQuorum, request, context),
    failed: (_request, error) => ({ errorCode: error.code, errorMessage: error.message, topics: [], nodes: [] }),
  });
