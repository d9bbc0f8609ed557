import { crc32c } from '../src/base/bytes/crc32c.ts';
import { CODECS, compress, decompress } from '../src/protocol/compression/index.ts';
import { batchesOf } from '../src/protocol/records/batches.ts';
import { RecordBatch } from '../src/protocol/records/record-batch.ts';
import { buildBatch } from '../src/protocol/records/record-batch-builder.ts';
import { recordsOf } from '../src/protocol/records/record-iterator.ts';
import { analyzeAppend } from '../src/storage/append-analysis.ts';
import { validateAppend } from '../src/storage/append-validator.ts';
import { defaultLogConfig } from '../src/storage/log-configs.ts';

/** Microseconds a batch: checking, validating, building, reading; and megabytes a second of checksums and codecs. `node bench/records.ts` */

const ROUNDS = 5;
const ROUND_MS = 150;
const NOW = 1_700_000_000_000;

function measure(name: string, bytes: number, work: () => unknown): void {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    let runs = 0;
    while (performance.now() - start < ROUND_MS) {
      for (let run = 0; run < 10; run++) work();
      runs += 10;
    }
    best = Math.min(best, ((performance.now() - start) * 1e3) / runs);
  }
  const rate = bytes / best;
  console.log(
    `${name.padEnd(56)} ${String(bytes).padStart(8)} B ${best.toFixed(2).padStart(9)} us ${rate.toFixed(0).padStart(6)} MB/s`,
  );
}

/** Text that compresses to about half, as JSON events do. */
function valueOf(size: number, seed: number): Buffer {
  let text = '';
  for (let index = seed; text.length < size; index++) {
    text += `{"id":${(index * 7919) % 1_000_003},"user":"u${(index * 31) % 977}","kind":"${['view', 'click', 'buy'][index % 3]}"}`;
  }
  return Buffer.from(text.slice(0, size));
}

function recordsFor(recordBytes: number, batchBytes: number) {
  const count = Math.max(1, Math.floor(batchBytes / (recordBytes + 12)));
  return Array.from({ length: count }, (_, index) => ({
    key: Buffer.from(`key-${index % 1000}`),
    value: valueOf(recordBytes, index),
    timestamp: NOW + (index % 5),
  }));
}

const topicPartition = { topic: 'bench', partition: 0 };

for (const recordBytes of [100, 1000]) {
  for (const batchBytes of [16 * 1024, 128 * 1024]) {
    const records = recordsFor(recordBytes, batchBytes);
    const what = `${records.length} records of ${recordBytes} B`;
    for (const codec of CODECS) {
      const bytes = buildBatch({ records, codec });
      const append = () => {
        const batch = new RecordBatch(bytes);
        batch.setBaseOffset(0);
        const { batches, bytes: whole } = analyzeAppend(bytes, { origin: 'client', topicPartition, maxMessageBytes: 1_048_588 });
        return validateAppend(batches, whole, {
          origin: 'client',
          name: 'bench-0',
          config: defaultLogConfig,
          leaderEpoch: 0,
          firstOffset: 1000,
          now: NOW,
        });
      };
      measure(`append ${what}, ${codec}`, bytes.length, append);
      if (codec !== 'none') continue;
      measure(`  of which the checksum`, bytes.length, () => new RecordBatch(bytes).computeCrc());
      measure(`build ${what}`, bytes.length, () => buildBatch({ records }));
      measure(`read ${what}`, bytes.length, () => {
        let size = 0;
        for (const batch of batchesOf(bytes)) for (const record of recordsOf(batch)) size += record.value?.length ?? 0;
        return size;
      });
    }
  }
}

for (const size of [100, 1024, 16_384, 131_072, 1_048_576]) {
  const bytes = valueOf(size, 1);
  measure(`crc32c of ${size} B`, size, () => crc32c(bytes));
}

for (const codec of CODECS) {
  if (codec === 'none') continue;
  for (const size of [1024, 65_536]) {
    const bytes = valueOf(size, 1);
    const compressed = compress(codec, bytes);
    measure(`compress ${size} B with ${codec} to ${compressed.length} B`, size, () => compress(codec, bytes));
    measure(`decompress ${size} B of ${codec}`, size, () => decompress(codec, compressed, { maxBytes: size }));
  }
}
