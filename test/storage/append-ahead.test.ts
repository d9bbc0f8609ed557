import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KafkaError } from '../../src/protocol/errors.ts';
import { CODECS, type Codec } from '../../src/protocol/compression/index.ts';
import { RecordBatch } from '../../src/protocol/records/record-batch.ts';
import { buildBatch } from '../../src/protocol/records/record-batch-builder.ts';
import { recordsOf } from '../../src/protocol/records/record-iterator.ts';
import { nodeZlibStreams } from '../../src/platform/node-zlib-streams.ts';
import { systemClock } from '../../src/platform/system-clock.ts';
import { LargeBatch, lookAhead } from '../../src/storage/append-ahead.ts';
import { analyzeAppend } from '../../src/storage/append-analysis.ts';
import { type AppendRules, validateAppend } from '../../src/storage/append-validator.ts';
import { defaultLogConfig, type LogConfig } from '../../src/storage/log-configs.ts';
import { RecordValidationError } from '../../src/storage/record-validation-error.ts';
import { simulatedEnvironment } from '../../simulation/simulated-environment.ts';
import { Scheduler } from '../../simulation/scheduler.ts';
import { SimulatedClock } from '../../simulation/simulated-clock.ts';
import { SimulatedZlibStreams } from '../../simulation/simulated-zlib-streams.ts';
import { readGolden } from '../golden.ts';
import { logConfigOf } from './log-config-of.ts';

interface GoldenAppend {
  readonly name: string;
  readonly origin: 'client' | 'coordinator';
  readonly config: Readonly<Record<string, string>>;
  readonly now: number;
  readonly firstOffset: number;
  readonly leaderEpoch: number;
  readonly hex: string;
}

const realPorts = { clock: systemClock, zlib: nodeZlibStreams };
const NOW = 1_700_000_000_000;

const rules = (config: Partial<LogConfig> = {}): AppendRules => ({
  origin: 'client',
  name: 'topic-0',
  config: { ...defaultLogConfig, ...config },
  leaderEpoch: 3,
  firstOffset: 1000,
  now: NOW,
});

/** What came of it, with the records plain: a stream may compress them into other bytes. */
function outcomeOf(validate: () => { batches: readonly RecordBatch[]; maxTimestamp: number; logAppendTime: number }) {
  try {
    const { batches, maxTimestamp, logAppendTime } = validate();
    const [batch] = batches;
    assert.ok(batch !== undefined && batch.isCrcValid());
    const { baseOffset, lastOffset, codec, baseTimestamp, attributes, producerId, baseSequence } = batch;
    const header = { baseOffset, lastOffset, codec, baseTimestamp, attributes, producerId, baseSequence };
    return { ...header, maxTimestamp, logAppendTime, records: [...recordsOf(batch)] };
  } catch (error) {
    if (!(error instanceof KafkaError)) throw error;
    const recordErrors = error instanceof RecordValidationError ? [error.message, error.recordErrors] : [];
    return { error: error.errorName, recordErrors };
  }
}

test('1,507 appends are judged alike at once and ahead, piece by piece', async () => {
  const golden = readGolden('records/appends.json.gz') as GoldenAppend[];
  const accepted = { atOnce: 0, anew: 0 };
  for (const { hex, config: texts, origin, name, ...rest } of golden) {
    const config = logConfigOf(new Map(Object.entries(texts)));
    const limits = { origin, topicPartition: { topic: 'topic', partition: 0 }, maxMessageBytes: config.maxMessageBytes };
    const parse = () => {
      try {
        return analyzeAppend(Buffer.from(hex, 'hex'), limits);
      } catch {
        return null;
      }
    };
    const [atOnce, ahead] = [parse(), parse()];
    const [batch] = ahead?.batches ?? [];
    if (atOnce === null || ahead === null || batch?.magic !== 2 || batch.recordsCount <= 0) continue;
    const all = { ...rest, origin, config, name: 'topic-0' };
    const codecKnown = CODECS[batch.codecId] !== undefined;
    const findings = codecKnown ? await lookAhead(batch, all, realPorts) : ('possible' as const);
    const expected = outcomeOf(() => validateAppend(atOnce.batches, atOnce.bytes, all));
    const found = outcomeOf(() => validateAppend(ahead.batches, ahead.bytes, { ...all, ahead: findings }));
    assert.deepEqual(found, expected, name);
    if (!('error' in found)) accepted.atOnce++;
    if (findings !== 'possible' && findings.recoded !== null) accepted.anew++;
  }
  assert.ok(accepted.atOnce > 400 && accepted.anew > 50, JSON.stringify(accepted));
});

/** So many records that they are too much for one turn with any codec. */
const manyRecords = (base: number) =>
  Array.from({ length: 40_000 }, (_, index) => ({
    timestamp: base + (index % 3),
    key: Buffer.from(`key ${index}`),
    value: Buffer.from(`value ${index}`.repeat(4)),
    headers: index % 100 === 0 ? [{ key: 'place', value: Buffer.from(`${index}`) }] : [],
  }));

test('a large batch is kept, or compressed anew with each codec, and its records are the same', async () => {
  const records = manyRecords(NOW);
  const limits = { maxMessageBytes: 8 * 2 ** 20 };
  for (const codec of CODECS) {
    const sent = buildBatch({ records, codec });
    assert.throws(() => validateAppend([new RecordBatch(sent)], sent, { ...rules(limits), ahead: 'possible' }), LargeBatch);
    const expected = [...recordsOf(new RecordBatch(sent))];
    for (const target of [codec, CODECS[(CODECS.indexOf(codec) + 1) % CODECS.length] ?? 'none', 'none' as const]) {
      const compressionType: LogConfig['compressionType'] = target === 'none' ? 'uncompressed' : target;
      const bytes = Buffer.from(sent);
      const batch = new RecordBatch(bytes);
      const own = rules({ ...limits, compressionType });
      const ahead = await lookAhead(batch, own, realPorts);
      const kept = validateAppend([batch], bytes, { ...own, firstOffset: 0, ahead }).batches[0];
      assert.ok(kept !== undefined && kept.isCrcValid());
      assert.equal(kept.codec, target);
      const found = [...recordsOf(kept)];
      assert.deepEqual([found.length, found.slice(-3)], [expected.length, expected.slice(-3)]);
    }
  }
});

test('records whose times do not count from the first one’s are written anew as they are at once', async () => {
  const sent = buildBatch({ records: manyRecords(NOW).slice(0, 10_000), codec: 'gzip' });
  const header = new RecordBatch(sent);
  // Another base: every record is a second later than it was.
  sent.writeBigInt64BE(BigInt(NOW + 1000 - 7), 27);
  header.writeCrc();
  const own = rules({ compressionType: 'uncompressed', messageTimestampAfterMaxMs: 10_000 });
  const atOnce = validateAppend([new RecordBatch(Buffer.from(sent))], sent, own).batches[0];
  const copy = Buffer.from(sent);
  assert.ok(atOnce !== undefined);
  const ahead = await lookAhead(new RecordBatch(copy), own, realPorts);
  const inPieces = validateAppend([new RecordBatch(copy)], copy, { ...own, ahead }).batches[0];
  assert.deepEqual(Buffer.from(inPieces?.view() ?? []), Buffer.from(atOnce.view()));
});

test('refused records of a large batch are told as those of a small one', async () => {
  const records = manyRecords(5);
  for (const codec of ['gzip', 'lz4'] as const) {
    const bytes = buildBatch({ records, codec });
    const own = rules({ messageTimestampBeforeMaxMs: 1000, maxMessageBytes: 8 * 2 ** 20 });
    const expected = outcomeOf(() => validateAppend([new RecordBatch(bytes)], bytes, own));
    const ahead = await lookAhead(new RecordBatch(bytes), own, realPorts);
    assert.deepEqual(
      outcomeOf(() => validateAppend([new RecordBatch(bytes)], bytes, { ...own, ahead })),
      expected,
    );
    assert.ok('error' in expected && expected.error === 'INVALID_TIMESTAMP');
  }
});

function zerosBatch(codec: Codec, size: number): Buffer {
  return buildBatch({ records: [{ timestamp: NOW, value: Buffer.alloc(size) }], codec });
}

test('records beyond the limit of decompressed bytes are too large, as soon as they are seen', async () => {
  for (const codec of ['gzip', 'zstd', 'lz4', 'snappy'] as const) {
    const bytes = zerosBatch(codec, 140 * 2 ** 20);
    const { refusal } = await lookAhead(new RecordBatch(bytes), rules(), realPorts);
    assert.equal(refusal?.errorName, 'MESSAGE_TOO_LARGE', codec);
  }
});

test('what becomes too large when it is compressed anew is not kept in memory to find that out', async () => {
  const bytes = zerosBatch('gzip', 100 * 2 ** 20);
  const { refusal, recoded } = await lookAhead(new RecordBatch(bytes), rules({ compressionType: 'uncompressed' }), realPorts);
  assert.deepEqual([refusal?.errorName, recoded], ['MESSAGE_TOO_LARGE', null]);
});

test('on a simulated clock, a large batch takes many turns', async () => {
  const scheduler = new Scheduler();
  const environment = simulatedEnvironment({ clock: new SimulatedClock(scheduler) });
  let turns = 0;
  const clock = Object.assign(Object.create(environment.clock), {
    defer: (callback: () => void) => {
      turns++;
      environment.clock.defer(callback);
    },
  });
  const bytes = zerosBatch('gzip', 8 * 2 ** 20);
  const findings = scheduler.resolve(
    lookAhead(new RecordBatch(bytes), rules(), { clock, zlib: new SimulatedZlibStreams(clock) }),
    1_000_000,
  );
  assert.equal((await findings).refusal, null);
  assert.ok(turns >= 128, `${turns}`);
});
