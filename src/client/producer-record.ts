/** Bytes, or text that is sent as UTF-8. */
export type Data = Uint8Array | string;

export interface RecordHeaderInput {
  readonly key: string;
  readonly value: Data | null;
}

/** What a caller hands to the producer. */
export interface ProducerRecord {
  readonly topic: string;
  readonly key?: Data | null;
  readonly value: Data | null;
  /** Chosen by the key, or by chance, if absent. */
  readonly partition?: number | null;
  readonly headers?: readonly RecordHeaderInput[];
  /** Milliseconds since the epoch; now, if absent. */
  readonly timestamp?: number;
}

/** Where a record went. `offset` is −1 when no acknowledgement was asked for. */
export interface Delivery {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly timestamp: number;
}

/** Called once for each record, with an error or a place. */
export type DeliveryCallback = (error: Error | null, delivery: Delivery | null) => void;
