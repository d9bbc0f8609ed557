import type { MetadataRecord, MetadataRecordValues } from '../metadata-record.ts';
import { metadataRecord } from '../metadata-record.ts';

/** Where the next block of producer ids begins; -1 before the first was given out. */
export interface ProducerIdsImage {
  readonly nextProducerId: number;
}

export const EMPTY_PRODUCER_IDS: ProducerIdsImage = { nextProducerId: -1 };

export class ProducerIdsDelta {
  #nextProducerId: number | null = null;
  readonly #image: ProducerIdsImage;

  constructor(image: ProducerIdsImage) {
    this.#image = image;
  }

  replayProducerIds(record: MetadataRecordValues['ProducerIdsRecord']): void {
    this.#nextProducerId = record.nextProducerId;
  }

  finishSnapshot(): void {
    this.#nextProducerId ??= EMPTY_PRODUCER_IDS.nextProducerId;
  }

  apply(): ProducerIdsImage {
    return { nextProducerId: this.#nextProducerId ?? this.#image.nextProducerId };
  }
}

export function* producerIdsRecords(image: ProducerIdsImage): Generator<MetadataRecord> {
  if (image.nextProducerId < 0) return;
  yield metadataRecord('ProducerIdsRecord', 0, { brokerId: -1, brokerEpoch: -1, nextProducerId: image.nextProducerId });
}
