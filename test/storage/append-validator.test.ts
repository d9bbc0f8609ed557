import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { KafkaError } from '../../src/protocol/errors.ts';
import { batchesOf } from '../../src/protocol/records/batches.ts';
import { producedBatch } from '../../src/protocol/records/produced-records.ts';
import { RecordBatch } from '../../src/protocol/records/record-batch.ts';
import { buildBatch } from '../../src/protocol/records/record-batch-builder.ts';
import { recordCursor } from '../../src/protocol/records/record-iterator.ts';
import { analyzeAppend } from '../../src/storage/append-analysis.ts';
import { type AppendRules, validateAppend } from '../../src/storage/append-validator.ts';
import { defaultLogConfig, type LogConfig } from '../../src/storage/log-configs.ts';
import { type RecordError, RecordValidationError } from '../../src/storage/record-validation-error.ts';
import { readGolden } from '../golden.ts';
import { logConfigOf } from './log-config-of.ts';

/**
 * What a log of Kafka 4.4.0 (UnifiedLog.appendAsLeader, after ProduceRequest.validateRecords where a version is given) did with an append: the bytes it
 * wrote, or how it refused.
 */
interface GoldenAppend {
  readonly name: string;
  readonly version?: number;
  readonly origin: 'client' | 'coordinator';
  readonly config: Readonly<Record<string, string>>;
  readonly now: number;
  readonly firstOffset: number;
  readonly leaderEpoch: number;
  readonly hex: string;
  readonly kafka: Outcome;
}

interface Outcome {
  readonly error?: string;
  readonly message?: string | null;
  readonly recordErrors?: readonly RecordError[];
  readonly firstOffset?: number;
  readonly lastOffset?: number;
  readonly maxTimestamp?: number;
  readonly logAppendTime?: number;
  readonly bytes?: string;
}

const golden = readGolden('records/appends.json.gz') as GoldenAppend[];

function append({ version, origin, hex, ...rest }: GoldenAppend): Outcome {
  const config = logConfigOf(new Map(Object.entries(rest.config)));
  const records = Buffer.from(hex, 'hex');
  try {
    if (version !== undefined) producedBatch(version, records);
    const topicPartition = { topic: 'topic', partition: 0 };
    const { batches, bytes } = analyzeAppend(records, { origin, topicPartition, maxMessageBytes: config.maxMessageBytes });
    const validated = validateAppend(batches, bytes, { ...rest, origin, config, name: 'topic-0' });
    const [batch] = validated.batches;
    assert.ok(batch !== undefined);
    assert.ok(batch.isCrcValid());
    return {
      firstOffset: batch.baseOffset,
      lastOffset: batch.lastOffset,
      maxTimestamp: validated.maxTimestamp,
      logAppendTime: validated.logAppendTime,
      bytes: Buffer.from(validated.bytes).toString('hex'),
    };
  } catch (error) {
    if (!(error instanceof KafkaError)) throw error;
    return {
      error: error.errorName,
      message: error.message,
      ...(error instanceof RecordValidationError ? { recordErrors: error.recordErrors } : {}),
    };
  }
}

const ACCEPTED = 'accepted';

/** Where the outcome is another on purpose. The numbers are those of the golden cases, so that none slips in. */
const differences = [
  { why: 'we say what Kafka did not foresee', kafka: 'UNKNOWN_SERVER_ERROR', ours: /^INVALID_RECORD/, count: 180 },
  // A time below −1 or a transactional batch without a producer is kept by Kafka, and fails only when it is encoded again.
  { why: 'we encode again what is also kept', kafka: 'UNKNOWN_SERVER_ERROR', ours: /^accepted/, count: 10 },
  {
    why: 'offset deltas other than 0, 1, 2 … would be served',
    kafka: ACCEPTED,
    ours: /do not have incremental offsets/,
    count: 36,
  },
  {
    why: 'a coordinator’s batch must be consistent too',
    kafka: ACCEPTED,
    ours: /(offset range|reported count)/,
    origin: 'coordinator',
    count: 24,
  },
  { why: 'old formats cannot come by any request', kafka: ACCEPTED, ours: /more than one batch|message format [01]/, count: 8 },
  {
    why: 'a record’s length is checked in kept batches too',
    kafka: ACCEPTED,
    ours: /expected to read .* instead read/,
    count: 5,
  },
  { why: 'bytes behind a gzip member are a mistake', kafka: ACCEPTED, ours: /incorrect header check/, count: 6 },
];

test('1,507 appends are written or refused as a log of Kafka 4.4.0 did, but for the differences listed', () => {
  const counts = differences.map(() => 0);
  for (const one of golden) {
    const ours = append(one);
    const { kafka } = one;
    if (ours.error === kafka.error) continue;
    const theirs = kafka.error ?? ACCEPTED;
    const mine = `${ours.error ?? ACCEPTED}: ${ours.message ?? ''}`;
    const place = differences.findIndex(
      (entry) => entry.kafka === theirs && entry.ours.test(mine) && (entry.origin === undefined || entry.origin === one.origin),
    );
    assert.notEqual(place, -1, `${one.name}: Kafka ${theirs} ${kafka.message ?? ''}, we ${mine}`);
    counts[place] = (counts[place] ?? 0) + 1;
  }
  assert.deepEqual(
    differences.map(({ why, ...entry }, index) => ({ why, ...entry, count: counts[index] })),
    differences,
  );
});

test('what Kafka accepts gets the same offsets and times, and the same bytes where a codec has only one way', () => {
  let exact = 0;
  let decompressed = 0;
  for (const one of golden) {
    const { bytes: wanted = '', error, recordErrors: _, ...info } = one.kafka;
    const { bytes = '', error: refused, ...ours } = append(one);
    if (error !== undefined || refused !== undefined) continue;
    assert.deepEqual(ours, info, one.name);
    const codec = codecOf(wanted);
    if (codec === 0 || codec === codecOf(one.hex)) {
      assert.equal(bytes, wanted, one.name);
      exact += 1;
    } else {
      assert.deepEqual(withoutCompression(bytes), withoutCompression(wanted), one.name);
      decompressed += 1;
    }
  }
  assert.ok(exact > 400 && decompressed > 50, `${exact} exact, ${decompressed} decompressed`);
});

const codecOf = (hex: string): number => Number.parseInt(hex.slice(44, 46), 16) & 7;

/** The header but for length and checksum, which depend on the compressor, and the plain records. */
function withoutCompression(hex: string): string[] {
  const bytes = Buffer.from(hex, 'hex');
  const cursor = recordCursor(new RecordBatch(bytes), 1 << 24);
  const records = Buffer.from(cursor.bytes.subarray(cursor.position, cursor.end));
  return [bytes.subarray(0, 8), bytes.subarray(12, 17), bytes.subarray(21, 61), records].map((part) => part.toString('hex'));
}

/** Kafka reads compressed records as a stream, and says of a broken one what the stream says; ours are plain by then. */
const STREAM_WORDS = /^read (snappy|lz4|empty)/;
/** Times beyond 2^53 are written with the digits of the nearest number. */
const INEXACT = /^base timestamp (min|max)/;

test('refusals have Kafka’s words, and name the same records', () => {
  let compared = 0;
  for (const one of golden) {
    const ours = append(one);
    if (ours.error === undefined || ours.error !== one.kafka.error) continue;
    if (STREAM_WORDS.test(one.name) || INEXACT.test(one.name) || one.origin === 'coordinator') continue;
    assert.equal(ours.message, one.kafka.message, one.name);
    assert.deepEqual(ours.recordErrors, one.kafka.recordErrors, one.name);
    compared += 1;
  }
  assert.ok(compared > 300, `only ${compared}`);
});

const rules = (config: Partial<LogConfig> = {}, more: Partial<AppendRules> = {}): AppendRules => ({
  origin: 'client',
  name: 'topic-0',
  config: { ...defaultLogConfig, ...config },
  leaderEpoch: 3,
  firstOffset: 1000,
  now: 1_700_000_000_000,
  ...more,
});

const records = [1, 2, 3].map((number) => ({
  key: Buffer.from('k'),
  value: Buffer.from(`v${number}`),
  timestamp: 1_700_000_000_000,
}));

test('a kept batch is the very bytes that came, with the checksum untouched', () => {
  const bytes = buildBatch({ records });
  const { crc } = new RecordBatch(bytes);
  const validated = validateAppend([...batchesOf(bytes)], bytes, rules());
  assert.equal(validated.bytes, bytes);
  const [batch] = validated.batches;
  assert.equal(batch?.baseOffset, 1000);
  assert.equal(batch.partitionLeaderEpoch, 3);
  assert.equal(batch.crc, crc);
});

test('a gzip batch stays as it is with compression.type=producer and becomes lz4 with lz4', () => {
  const sent = buildBatch({ records, codec: 'gzip' });
  const { crc } = new RecordBatch(sent);
  const kept = validateAppend([new RecordBatch(sent)], sent, rules());
  assert.equal(kept.bytes.length, sent.length);
  assert.equal(kept.batches[0]?.crc, crc);
  const again = validateAppend([new RecordBatch(sent)], sent, rules({ compressionType: 'lz4' }));
  assert.equal(again.batches[0]?.codec, 'lz4');
  assert.notEqual(again.batches[0].crc, crc);
});

test('nothing is patched when a record is refused', () => {
  const bytes = buildBatch({ records: [...records, { key: null, value: Buffer.from('v'), timestamp: 1_700_000_000_000 }] });
  const before = Buffer.from(bytes);
  assert.throws(() => validateAppend([new RecordBatch(bytes)], bytes, rules({ isCompacted: true })), RecordValidationError);
  assert.deepEqual(bytes, before);
});

test('thousands of refused records are counted, and a thousand of them told', () => {
  const bytes = buildBatch({ records: Array.from({ length: 5000 }, () => ({ value: null, timestamp: 5 })) });
  assert.throws(
    () => validateAppend([new RecordBatch(bytes)], bytes, rules({ isCompacted: true })),
    (error) =>
      error instanceof RecordValidationError && error.recordErrors.length === 1000 && /5000 record errors/.test(error.message),
  );
});

test('a batch that would grow beyond the limit of decompressed bytes is too large, and takes no memory', () => {
  const plain = Buffer.alloc(300 * 1024 * 1024);
  const compressed = gzipSync(plain, { level: 1 });
  const header = buildBatch({ records, codec: 'gzip' }).subarray(0, 61);
  const bytes = Buffer.concat([header, compressed]);
  bytes.writeInt32BE(bytes.length - 12, 8);
  const before = process.memoryUsage.rss();
  assert.throws(
    () => validateAppend([new RecordBatch(bytes)], bytes, rules()),
    (error) => error instanceof KafkaError && error.errorName === 'MESSAGE_TOO_LARGE',
  );
  assert.ok(process.memoryUsage.rss() - before < 2 * 128 * 1024 * 1024);
});

test('what the leader of the quorum writes is only given its place', () => {
  const bytes = Buffer.concat([buildBatch({ records, lastOffsetDelta: 2 }), buildBatch({ records: records.slice(1) })]);
  const validated = validateAppend(
    [...batchesOf(bytes)],
    bytes,
    rules({ messageTimestampType: 'LogAppendTime' }, { origin: 'raft' }),
  );
  assert.deepEqual(
    validated.batches.map((batch) => [batch.baseOffset, batch.lastOffset, batch.partitionLeaderEpoch, batch.timestampType]),
    [
      [1000, 1002, 3, 'create-time'],
      [1003, 1004, 3, 'create-time'],
    ],
  );
  assert.equal(validated.logAppendTime, -1);
});
