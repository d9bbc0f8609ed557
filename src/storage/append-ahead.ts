import type { Clock } from '../base/clock.ts';
import { takeTurns } from '../base/turns.ts';
import type { ZlibStreams } from '../base/zlib-streams.ts';
import type { Codec } from '../protocol/compression/index.ts';
import { compressInPieces, decompressInPieces } from '../protocol/compression/in-pieces.ts';
import { KafkaError } from '../protocol/errors.ts';
import type { RecordBatch } from '../protocol/records/record-batch.ts';
import type { ScanResult } from '../protocol/records/record-scan.ts';
import { RecordWalk, type WalkedRecord } from '../protocol/records/record-walk.ts';
import {
  acceptedTimes,
  decompressedBytesMax,
  isRefused,
  type JudgementRules,
  keepsTimes,
  levelOf,
  maxRecordBytes,
  scannedTimes,
  targetCodec,
} from './append-judgement.ts';
import { RecordErrors } from './record-errors.ts';

export interface AheadRules extends JudgementRules {
  /** The partition as messages name it: `topic-0`. */
  readonly name: string;
}

/** Looking at a batch takes too long for one turn: `lookAhead` does it, and then the batch can be appended in no time. */
export class LargeBatch extends Error {
  readonly batch: RecordBatch;
  readonly rules: AheadRules;

  constructor(batch: RecordBatch, { name, config, now }: AheadRules) {
    super(`The batch for ${name} is too large for one turn`);
    this.batch = batch;
    this.rules = { name, config, now };
  }
}

/** What is known of a batch before its place in the log is. */
export interface AppendFindings {
  readonly scanned: ScanResult;
  /** Why the batch is not accepted. */
  readonly refusal: KafkaError | null;
  readonly target: Codec;
  /** The records as the target codec writes them, where that is not what they came with. */
  readonly recoded: { readonly bytes: Uint8Array; readonly baseTimestamp: number } | null;
}

export interface AheadPorts {
  readonly clock: Clock;
  readonly zlib: ZlibStreams;
}

const NOT_SCANNED: ScanResult = {
  maxTimestamp: -1,
  firstTimestamp: -1,
  isTimestampOutOfRange: false,
  isKeyMissing: false,
  isOffsetInOrder: true,
};

/**
 * Decompresses the records piece by piece, in turns with others, and finds what `validateAppend` would: without ever having all of them in memory. Whatever is wrong
 * with them is a finding.
 */
export async function lookAhead(batch: RecordBatch, rules: AheadRules, ports: AheadPorts): Promise<AppendFindings> {
  let scanned = NOT_SCANNED;
  const target = targetCodec(batch, rules.config);
  try {
    scanned = await scan(batch, rules, ports);
    const isAccepted = scanned.isOffsetInOrder && !isRefused(batch, scanned, rules);
    if (!isAccepted) {
      const refusal = scanned.isOffsetInOrder ? await findErrors(batch, rules, ports) : null;
      return { scanned, refusal, target, recoded: null };
    }
    const recoded = target === batch.codec ? null : await recode(batch, { ...rules, target, scanned }, ports);
    return { scanned, refusal: null, target, recoded };
  } catch (error) {
    if (!(error instanceof KafkaError)) throw error;
    return { scanned, refusal: error, target, recoded: null };
  }
}

async function walk(
  batch: RecordBatch,
  { config }: AheadRules,
  ports: AheadPorts,
  visit: (record: WalkedRecord) => void,
): Promise<void> {
  const records = new RecordWalk({ count: batch.recordsCount, maxRecordBytes: maxRecordBytes(batch, config), visit });
  for await (const piece of plainPieces(batch, config, ports)) records.push(piece);
  records.end();
}

function plainPieces(batch: RecordBatch, config: AheadRules['config'], { clock, zlib }: AheadPorts): AsyncIterable<Uint8Array> {
  const pieces = decompressInPieces(batch.codec, batch.recordBytes, { maxBytes: decompressedBytesMax(config), zlib });
  return takeTurns(clock, pieces);
}

async function scan(batch: RecordBatch, rules: AheadRules, ports: AheadPorts): Promise<ScanResult> {
  const { earliest, latest } = scannedTimes(batch, rules);
  const { baseTimestamp } = batch;
  const scanned = { ...NOT_SCANNED };
  await walk(batch, rules, ports, ({ index, timestampDelta, offsetDelta, keyLength }) => {
    const timestamp = baseTimestamp + timestampDelta;
    if (index === 0) scanned.firstTimestamp = timestamp;
    if (timestamp > scanned.maxTimestamp) scanned.maxTimestamp = timestamp;
    if ((timestamp < earliest || timestamp > latest) && timestamp !== -1) scanned.isTimestampOutOfRange = true;
    if (offsetDelta !== index) scanned.isOffsetInOrder = false;
    if (keyLength < 0) scanned.isKeyMissing = true;
  });
  return scanned;
}

async function findErrors(batch: RecordBatch, rules: AheadRules, ports: AheadPorts): Promise<KafkaError> {
  const isKept = targetCodec(batch, rules.config) === batch.codec;
  const errors = new RecordErrors(batch, { ...rules, range: acceptedTimes(rules), isKept });
  const { baseOffset, baseTimestamp } = batch;
  const ofBatch = batch.timestampType === 'log-append-time' ? batch.maxTimestamp : null;
  await walk(batch, rules, ports, ({ timestampDelta, offsetDelta, keyLength, valueLength }) => {
    const timestamp = ofBatch ?? baseTimestamp + timestampDelta;
    errors.judge({ offset: baseOffset + offsetDelta, timestamp, keyLength, valueLength });
  });
  return errors.toError();
}

/** Compresses the records anew, and stops when there are more bytes than a batch may have. */
async function recode(
  batch: RecordBatch,
  rules: AheadRules & { readonly target: Codec; readonly scanned: ScanResult },
  ports: AheadPorts,
): Promise<NonNullable<AppendFindings['recoded']>> {
  const { config, name, target } = rules;
  const { pieces, baseTimestamp } = writtenAnew(batch, rules, ports);
  const kept: Uint8Array[] = [];
  let size = 0;
  for await (const piece of compressInPieces(target, pieces, { ...levelOf(target, config), zlib: ports.zlib })) {
    size += piece.length;
    if (size > config.maxMessageBytes) {
      throw new KafkaError(
        'MESSAGE_TOO_LARGE',
        `The records in append to partition ${name} take more than the maximum configured size of ${config.maxMessageBytes} when they are compressed anew.`,
      );
    }
    kept.push(piece);
  }
  return { bytes: Buffer.concat(kept), baseTimestamp };
}

function writtenAnew(
  batch: RecordBatch,
  { config, scanned }: AheadRules & { readonly scanned: ScanResult },
  ports: AheadPorts,
): { readonly pieces: AsyncIterable<Uint8Array>; readonly baseTimestamp: number } {
  const pieces = plainPieces(batch, config, ports);
  if (keepsTimes(batch, scanned)) return { pieces, baseTimestamp: batch.baseTimestamp };
  const ofBatch = batch.timestampType === 'log-append-time' ? batch.maxTimestamp : null;
  const newBase = ofBatch ?? scanned.firstTimestamp;
  const timestampDelta = (delta: number): number => (ofBatch ?? batch.baseTimestamp + delta) - newBase;
  return { pieces: rewritten(batch, pieces, timestampDelta), baseTimestamp: newBase };
}

async function* rewritten(
  batch: RecordBatch,
  pieces: AsyncIterable<Uint8Array>,
  timestampDelta: (delta: number) => number,
): AsyncGenerator<Uint8Array> {
  let written: Uint8Array[] = [];
  const rewrite = { timestampDelta, write: (piece: Uint8Array) => void written.push(piece) };
  const records = new RecordWalk({ count: batch.recordsCount, maxRecordBytes: Infinity, rewrite });
  for await (const piece of pieces) {
    records.push(piece);
    yield Buffer.concat(written);
    written = [];
  }
  records.end();
  yield Buffer.concat(written);
}
