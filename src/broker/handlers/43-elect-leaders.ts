import { KafkaError } from '../../protocol/errors.ts';
import { electLeaders } from '../../protocol/messages/43-elect-leaders.ts';
import type { BrokerServices } from '../broker-services.ts';
import { forward } from '../forwarding.ts';
import { defineHandler, type Handler } from '../handler.ts';
import { messageOf } from './answers.ts';

const PREFERRED = 0;
const UNCLEAN = 1;

/** ElectLeaders v0-2 (KIP-183). The controller elects; v1 can also make a replica lead that is not in sync (KIP-460). */
export const electLeadersHandler = (services: BrokerServices): Handler =>
  defineHandler<typeof electLeaders>({
    api: electLeaders,
    handle: (request, context) => {
      const { electionType, topicPartitions } = request;
      // Electing nowhere is done, in whichever way it was to be.
      if (topicPartitions?.length === 0) return { replicaElectionResults: [] };
      if (electionType !== PREFERRED && electionType !== UNCLEAN)
        throw new KafkaError('INVALID_REQUEST', `Unknown election type ${electionType}`);
      return forward(services.controller, electLeaders, request, context);
    },
    failed: ({ topicPartitions }, error) => ({
      errorCode: error.code,
      replicaElectionResults: (topicPartitions ?? []).map(({ topic, partitions }) => ({
        topic,
        partitionResult: partitions.map((partitionId) => ({
          partitionId,
          errorCode: error.code,
          errorMessage: messageOf(error),
        })),
      })),
    }),
  });
