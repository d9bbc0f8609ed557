import { createHash } from 'node:crypto';
import { batchesOf } from '../../src/protocol/records/batches.ts';
import type { RecordBatch } from '../../src/protocol/records/record-batch.ts';
import { recordsOf } from '../../src/protocol/records/record-iterator.ts';
import type { Isolation } from '../../src/storage/log-read.ts';
import type { PartitionLog } from '../../src/storage/partition-log.ts';
import type { AbortedTransaction } from '../../src/storage/transaction-index.ts';

const READ_BYTES = 1024 * 1024;

/** Reads a log from an offset to what the isolation lets be seen, as a consumer would, batch by batch. */
export function* batchesIn(
  log: PartitionLog,
  upTo: Isolation,
  from = log.logStartOffset,
): Generator<{ readonly batch: RecordBatch; readonly aborted: readonly AbortedTransaction[] }> {
  for (let offset = from; ; ) {
    const { region, abortedTransactions } = log.read(offset, { maxBytes: READ_BYTES, upTo, minOneBatch: true });
    if (region === null) return;
    const bytes = Buffer.alloc(region.length);
    region.file.read(bytes, region.position);
    region.release();
    for (const batch of batchesOf(bytes)) {
      offset = batch.nextOffset;
      yield { batch, aborted: abortedTransactions ?? [] };
    }
  }
}

/** What a consumer sees: offsets, and the digest that the fixtures were described with. */
export function consume(log: PartitionLog, isolation: 'read_uncommitted' | 'read_committed') {
  const upTo = isolation === 'read_committed' ? 'last-stable-offset' : 'high-watermark';
  const hash = createHash('sha256');
  let count = 0;
  let lastOffset = -1;
  for (const { batch, aborted } of batchesIn(log, upTo)) {
    if (batch.isControl) continue;
    const isAborted =
      batch.isTransactional &&
      aborted.some(
        (transaction) =>
          transaction.producerId === batch.producerId &&
          transaction.firstOffset <= batch.baseOffset &&
          batch.lastOffset <= transaction.lastOffset,
      );
    if (isAborted) continue;
    for (const record of recordsOf(batch)) {
      if (record.offset < log.logStartOffset) continue;
      hash.update(`${record.offset}\t${base64(record.key)}\t${base64(record.value)}\n`);
      count++;
      lastOffset = record.offset;
    }
  }
  return { count, lastOffset, sha256: hash.digest('hex') };
}

const base64 = (bytes: Uint8Array | null): string => (bytes === null ? '-' : Buffer.from(bytes).toString('base64'));
