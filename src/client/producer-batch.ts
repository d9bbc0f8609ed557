import type { Millis } from '../base/clock.ts';
import type { Codec } from '../protocol/compression/codec.ts';
import { RecordBatch, addToSequence } from '../protocol/records/record-batch.ts';
import { recordsOf } from '../protocol/records/record-iterator.ts';
import { BatchEncoder, type BatchProducer, setProducer } from './batch-encoder.ts';
import type { Delivery, DeliveryCallback, ProducerRecord } from './producer-record.ts';

/** The distance between the orders of two batches. */
const ORDER_STEP = 1;

/** Records of one partition on their way to the broker, and who waits for each. */
export class ProducerBatch {
  readonly topic: string;
  readonly partition: number;
  readonly createdAt: Millis;
  /** Grows from batch to batch of a producer; the parts of a batch that was split lie between it and the next. */
  readonly order: number;
  readonly encoder: BatchEncoder;
  readonly #callbacks: (DeliveryCallback | undefined)[] = [];
  readonly #timestamps: number[] = [];
  /** The bytes to send, once no record can be added. */
  sealed: Buffer | null = null;
  /** Times it was sent. */
  attempts = 0;
  /** Not sent again before (monotonic). */
  notBefore: Millis = -Infinity;
  producer: BatchProducer | null = null;
  /** How often it was halved. */
  #splits = 0;

  constructor(place: BatchPlace, buffer: Buffer) {
    this.topic = place.topic;
    this.partition = place.partition;
    this.createdAt = place.createdAt;
    this.order = place.order;
    this.encoder = new BatchEncoder(buffer);
  }

  get count(): number {
    return this.encoder.count;
  }

  append(record: ProducerRecord, timestamp: Millis, callback: DeliveryCallback | undefined): number {
    const size = this.encoder.append(record, timestamp);
    if (size > 0) {
      this.#callbacks.push(callback);
      this.#timestamps.push(timestamp);
    }
    return size;
  }

  seal(codec: Codec, compress: (records: Uint8Array) => Uint8Array): Buffer {
    if (this.sealed === null) {
      this.sealed = this.encoder.finish(codec, compress);
      if (this.producer !== null) setProducer(this.sealed, this.producer);
    }
    return this.sealed;
  }

  /** Gives the batch its place in the producer's sequence; a batch that was sealed is patched. */
  setProducer(producer: BatchProducer): void {
    this.producer = producer;
    if (this.sealed !== null) setProducer(this.sealed, producer);
  }

  /** The first and the second half of the records as batches of their own; their memory comes from `take`. */
  split(take: (size: number) => Buffer): [ProducerBatch, ProducerBatch] {
    if (this.sealed === null || this.count < 2) throw new RangeError('Only a sealed batch of several records can be split');
    const records = [...recordsOf(new RecordBatch(this.sealed))];
    const middle = records.length >>> 1;
    const size = this.encoder.size;
    const first = new ProducerBatch(this, take(size));
    const second = new ProducerBatch(
      { ...this.#place(), order: this.order + ORDER_STEP * 0.5 ** (this.#splits + 1) },
      take(size),
    );
    for (const [index, record] of records.entries()) {
      const half = index < middle ? first : second;
      half.append({ topic: this.topic, ...record }, record.timestamp, this.#callbacks[index]);
    }
    for (const half of [first, second]) half.#splits = this.#splits + 1;
    if (this.producer !== null) {
      const { baseSequence } = this.producer;
      first.producer = this.producer;
      second.producer = { ...this.producer, baseSequence: addToSequence(baseSequence, middle) };
    }
    return [first, second];
  }

  #place(): BatchPlace {
    return { topic: this.topic, partition: this.partition, createdAt: this.createdAt, order: this.order };
  }

  /** `baseOffset` −1: nobody knows. `logAppendTime` −1: the records keep their own times. */
  delivered(baseOffset: number, logAppendTime: Millis): void {
    for (const [index, callback] of this.#callbacks.entries()) {
      if (callback === undefined) continue;
      const delivery: Delivery = {
        topic: this.topic,
        partition: this.partition,
        offset: baseOffset < 0 ? -1 : baseOffset + index,
        timestamp: logAppendTime >= 0 ? logAppendTime : (this.#timestamps[index] ?? -1),
      };
      callback(null, delivery);
    }
  }

  /** Fails every record; `errorOf` may know better about single ones. */
  failed(error: Error, errorOf: (index: number) => Error = () => error): void {
    for (const [index, callback] of this.#callbacks.entries()) callback?.(errorOf(index), null);
  }
}

export interface BatchPlace {
  readonly topic: string;
  readonly partition: number;
  /** Monotonic. */
  readonly createdAt: Millis;
  readonly order: number;
}
