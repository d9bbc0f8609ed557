import type { Clock } from '../../base/clock.ts';
import type { FetchedChunk } from '../../client/fetched-chunk.ts';
import { keyOf, type TopicPartition } from '../../client/topic-partition.ts';
import { interruption } from '../interruption.ts';
import { printJson, printValue, type RecordPrinter } from '../record-format.ts';
import type { Terminal } from '../terminal.ts';

/** What records come from: a consumer of its own, or one of a group. */
export interface RecordSource {
  poll(timeoutMs: number): Promise<FetchedChunk[]>;
}

export interface SessionOptions {
  readonly json?: boolean;
  readonly format?: RecordPrinter;
  readonly max?: number;
  readonly idleExit?: number;
}

interface SessionContext {
  readonly clock: Clock;
  readonly terminal: Terminal;
  readonly options: SessionOptions;
  /** Where a partition ends, by its key, if reading ends there. */
  readonly ends: ReadonlyMap<string, number> | null;
  /** Whether all that was asked for has been read. */
  readonly isAtEnd: () => boolean;
}

/** The next record of a partition that was not printed. */
export interface Remainder extends TopicPartition {
  readonly offset: number;
}

const POLL_MS = 250;
const WRITE_BYTES = 64 * 1024;

/** The loop from the first record to whatever ends it. */
export class ConsumeSession {
  readonly #source: RecordSource;
  readonly #context: SessionContext;
  readonly #print: RecordPrinter;
  count = 0;
  /** What the last poll brought but the session did not print. */
  remainders: Remainder[] = [];

  constructor(source: RecordSource, context: SessionContext) {
    const { json, format } = context.options;
    this.#source = source;
    this.#context = context;
    this.#print = json === true ? printJson : (format ?? printValue);
  }

  async run(): Promise<void> {
    const { clock, options, isAtEnd } = this.#context;
    const stop = interruption();
    let lastArrival = clock.monotonic();
    while (!stop.requested && !isAtEnd()) {
      const chunks = await this.#source.poll(POLL_MS);
      if (chunks.length > 0) lastArrival = clock.monotonic();
      for (const [index, chunk] of chunks.entries()) {
        if (!(await this.#write(chunk))) continue;
        for (const { topic, partition, facts } of chunks.slice(index + 1)) {
          this.remainders.push({ topic, partition, offset: facts.fetchOffset });
        }
        return;
      }
      if (options.idleExit !== undefined && clock.monotonic() - lastArrival >= options.idleExit) return;
    }
  }

  /** Gives true when enough was printed. */
  async #write(chunk: FetchedChunk): Promise<boolean> {
    const { topic, partition } = chunk;
    const end = this.#context.ends?.get(keyOf(chunk)) ?? Infinity;
    let isEnough = false;
    let pieces: Uint8Array[] = [];
    let size = 0;
    for (const record of chunk.records()) {
      if (record.offset >= end) {
        this.remainders.push({ topic, partition, offset: record.offset });
        break;
      }
      const piece = this.#print(record);
      const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
      pieces.push(bytes);
      size += bytes.length;
      this.count++;
      isEnough = this.count === this.#context.options.max;
      if (isEnough) {
        this.remainders.push({ topic, partition, offset: record.offset + 1 });
        break;
      }
      if (size < WRITE_BYTES) continue;
      await this.#flush(pieces, size);
      pieces = [];
      size = 0;
    }
    await this.#flush(pieces, size);
    return isEnough;
  }

  /** One write for many records: a system call each would be most of the work. */
  async #flush(pieces: readonly Uint8Array[], size: number): Promise<void> {
    const { terminal } = this.#context;
    if (size > 0) terminal.data(Buffer.concat(pieces, size));
    await terminal.ready();
  }
}
