import { metadataRecord } from '../metadata/metadata-record.ts';
import { KafkaError } from '../protocol/errors.ts';
import type { allocateProducerIds } from '../protocol/messages/67-allocate-producer-ids.ts';
import type { RequestOf, ResponseInput } from '../protocol/schema.ts';
import { checkBrokerEpoch } from './cluster-control.ts';
import type { ControllerResult } from './controller-result.ts';
import type { ControllerView } from './controller-view.ts';

const BLOCK_SIZE = 1000;

/** Gives a broker the next block of producer ids (KIP-730). */
export function allocateProducerIdsControl(
  view: ControllerView,
  { brokerId, brokerEpoch }: RequestOf<typeof allocateProducerIds>,
): ControllerResult<ResponseInput<typeof allocateProducerIds>> {
  checkBrokerEpoch(view, brokerId, brokerEpoch);
  const start = Math.max(0, view.image.producerIds.nextProducerId);
  const nextProducerId = start + BLOCK_SIZE;
  if (!Number.isSafeInteger(nextProducerId)) throw new KafkaError('UNKNOWN_SERVER_ERROR', 'Exhausted all producerIds.');
  return {
    records: [metadataRecord('ProducerIdsRecord', 0, { brokerId, brokerEpoch, nextProducerId })],
    response: { producerIdStart: start, producerIdLen: BLOCK_SIZE },
    isAtomic: true,
  };
}
