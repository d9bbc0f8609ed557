import type { Clock } from '../base/clock.ts';
import { buildBatch } from '../protocol/records/record-batch-builder.ts';
import type { ControlRecordInput } from '../protocol/records/control-record.ts';
import { controlBatch, quorumRecords, snapshotFooter, snapshotHeader } from './control-records.ts';
import type { OffsetAndEpoch, SnapshotSink } from './raft-log.ts';
import type { RecordSerde } from './raft-record.ts';
import type { VoterSet } from './voter-set.ts';

/** A batch is closed at this many bytes; one record may be larger. */
const BATCH_BYTES_MAX = 8 * 1024 * 1024;
/** A batch is closed at this many records. */
const BATCH_RECORDS_MAX = 1024;

export interface SnapshotWriterOptions<R> {
  readonly id: OffsetAndEpoch;
  readonly sink: SnapshotSink;
  readonly clock: Clock;
  readonly serde: Pick<RecordSerde<R>, 'encode'>;
  /** When the last record that the snapshot stands for was appended. */
  readonly lastContainedLogTimestamp: number;
  /** What the header says about the quorum; null where it says nothing (kraft.version 0). */
  readonly quorum: { readonly kraftVersion: number; readonly voters: VoterSet } | null;
}

/** Writes a snapshot: a header, the records that make the state, a footer. Offsets in it count from 0. */
export class SnapshotWriter<R> {
  readonly id: OffsetAndEpoch;
  readonly #sink: SnapshotSink;
  readonly #clock: Clock;
  readonly #serde: Pick<RecordSerde<R>, 'encode'>;
  #nextOffset = 0;
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;

  constructor(options: SnapshotWriterOptions<R>) {
    this.id = options.id;
    this.#sink = options.sink;
    this.#clock = options.clock;
    this.#serde = options.serde;
    const { quorum, lastContainedLogTimestamp } = options;
    const about = quorum === null ? [] : quorumRecords(quorum.kraftVersion, quorum.voters);
    this.#appendControl([snapshotHeader(lastContainedLogTimestamp), ...about]);
  }

  append(record: R): void {
    const value = this.#serde.encode(record);
    if (this.#pending.length >= BATCH_RECORDS_MAX || this.#pendingBytes + value.length > BATCH_BYTES_MAX) this.#closeBatch();
    this.#pending.push(value);
    this.#pendingBytes += value.length;
  }

  /** Writes what is left and the footer. */
  finish(): void {
    this.#closeBatch();
    this.#appendControl([snapshotFooter()]);
  }

  /** Ends the snapshot; when it resolves, the snapshot is durable and has its name. */
  async freeze(): Promise<void> {
    this.finish();
    await this.#sink.freeze();
  }

  discard(): void {
    this.#sink.discard();
  }

  #appendControl(records: readonly ControlRecordInput[]): void {
    const { epoch } = this.id;
    this.#sink.append(controlBatch(records, { baseOffset: this.#nextOffset, epoch, timestamp: this.#clock.now() }));
    this.#nextOffset += records.length;
  }

  #closeBatch(): void {
    if (this.#pending.length === 0) return;
    const timestamp = this.#clock.now();
    const records = this.#pending.map((value) => ({ timestamp, value }));
    this.#sink.append(buildBatch({ records, baseOffset: this.#nextOffset, partitionLeaderEpoch: this.id.epoch }));
    this.#nextOffset += records.length;
    this.#pending = [];
    this.#pendingBytes = 0;
  }
}
