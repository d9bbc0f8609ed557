import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { buildBatch } from '../../src/protocol/records/record-batch-builder.ts';
import { RawConnection } from '../conformance/raw-connection.ts';
import { NodeProcess } from '../crash/node-process.ts';
import { temporaryDirectory } from '../server/temporary-directory.ts';
import { startTestNode } from '../server/test-node.ts';
import { Asking, bytesOf, produceFrame } from './asking.ts';
import { storedBatches } from './stored-batches.ts';

const WAITING_FETCHES = 'kafka.server:type=DelayedOperationPurgatory,name=NumDelayedOperations,delayedOperation=Fetch';
/** How much later than it should something may happen on a busy machine. */
const LATE_MS = 1_500;

const node = await startTestNode();
after(() => node.stop());

/** Ten records in 212 bytes. */
const tenRecords = (): Buffer => {
  const timestamp = Date.now();
  return buildBatch({
    records: Array.from({ length: 10 }, (_, index) => ({ timestamp, value: Buffer.alloc(index === 9 ? 9 : 8, 'v') })),
  });
};

async function timed<T>(work: Promise<T>): Promise<{ readonly result: T; readonly ms: number }> {
  const start = performance.now();
  const result = await work;
  return { result, ms: performance.now() - start };
}

describe('what a client waits for', { concurrency: true }, () => {
  it('E2: acks=0 gets no byte within three seconds, and the batch is on disk at offset 0', async () => {
    const asking = await Asking.open(node.port);
    await asking.createTopic('unanswered');
    asking.close();
    const connection = await RawConnection.open(node.port);
    connection.write(produceFrame('unanswered', tenRecords(), 0));
    assert.equal(await connection.ending(3_000), 'silent');
    connection.destroy();
    assert.deepEqual(
      storedBatches(node.directory, 'unanswered').map(({ baseOffset, lastOffset, sizeInBytes }) => [
        baseOffset,
        lastOffset,
        sizeInBytes,
      ]),
      [[0, 9, 212]],
    );
  });

  it('E7: a fetch gets what is there at once, and all there is when its time is over', async () => {
    const asking = await Asking.open(node.port);
    await asking.createTopic('small');
    await asking.produce('small', tenRecords());
    const atOnce = await timed(asking.fetch('small', { offset: 0, maxWaitMs: 10_000 }));
    assert.equal(bytesOf(atOnce.result), 212);
    assert.ok(atOnce.ms < LATE_MS, `${atOnce.ms} ms`);
    const inTime = await timed(asking.fetch('small', { offset: 0, maxWaitMs: 3_000, minBytes: 1024 * 1024 }));
    assert.equal(bytesOf(inTime.result), 212);
    assert.ok(inTime.ms >= 2_990 && inTime.ms < 3_000 + LATE_MS, `${inTime.ms} ms`);
    asking.close();
  });

  it('E7: a fetch at the end gets the next record when it comes', async () => {
    const [reader, writer] = [await Asking.open(node.port), await Asking.open(node.port)];
    await writer.createTopic('later');
    const waiting = timed(reader.fetch('later', { offset: 0, maxWaitMs: 10_000 }));
    // Another connection that nothing comes over measures the time.
    const idle = await RawConnection.open(node.port);
    assert.equal(await idle.ending(1_500), 'silent');
    await writer.produce('later', tenRecords());
    const { result, ms } = await waiting;
    assert.equal(bytesOf(result), 212);
    assert.ok(ms >= 1_490 && ms < 1_500 + LATE_MS, `${ms} ms`);
    for (const connection of [idle]) connection.destroy();
    for (const connection of [reader, writer]) connection.close();
  });

  it('E7: a fetch session begins with 0, goes on with its id, and ends with epoch -1', async () => {
    const asking = await Asking.open(node.port);
    await asking.createTopic('session');
    await asking.produce('session', tenRecords());
    const ask = (session: readonly [number, number], offset: number) =>
      asking.fetch('session', { offset, maxWaitMs: 0, session });
    const first = await ask([0, 0], 0);
    assert.ok(first.sessionId > 0);
    const next = await ask([first.sessionId, 1], 10);
    assert.deepEqual([next.errorCode, next.sessionId, next.responses.length], [0, first.sessionId, 0]);
    const last = await ask([first.sessionId, -1], 10);
    assert.deepEqual([last.errorCode, last.sessionId], [0, 0]);
    const gone = await ask([first.sessionId, 2], 10);
    assert.equal(gone.errorCode, 70, 'FETCH_SESSION_ID_NOT_FOUND');
    asking.close();
  });

  it('E8: a fetch that waits is one delayed operation', async () => {
    const gauge = node.metrics.gauges.get(WAITING_FETCHES);
    assert.ok(gauge !== undefined);
    const own = await startTestNode();
    const [reader, writer] = [await Asking.open(own.port), await Asking.open(own.port)];
    await writer.createTopic('quiet');
    const waiting = reader.fetch('quiet', { offset: 0, maxWaitMs: 15_000 });
    const waitingFetches = (): number => own.metrics.gauges.get(WAITING_FETCHES)?.() ?? -1;
    while (waitingFetches() !== 1) await writer.fetch('quiet', { offset: 0, maxWaitMs: 0 });
    await writer.produce('quiet', tenRecords());
    assert.equal(bytesOf(await waiting), 212);
    assert.equal(waitingFetches(), 0);
    for (const connection of [reader, writer]) connection.close();
    await own.stop();
  });

  it('E8: while a fetch waits its process is idle', async (context) => {
    const process = await NodeProcess.start({ directory: temporaryDirectory(context) });
    context.after(() => process.kill());
    const [reader, writer] = [await Asking.open(process.port), await Asking.open(process.port)];
    await writer.createTopic('quiet');
    const waiting = timed(reader.fetch('quiet', { offset: 0, maxWaitMs: 15_000 }));
    const idle = await RawConnection.open(process.port);
    assert.equal(await idle.ending(500), 'silent', 'the start is over');
    const before = process.cpuMs;
    assert.equal(await idle.ending(2_500), 'silent');
    const used = (process.cpuMs ?? 0) - (before ?? 0);
    assert.ok(used <= 75, `${used} ms of processor in 2,500 ms`);
    await writer.produce('quiet', tenRecords());
    const { result, ms } = await waiting;
    assert.equal(bytesOf(result), 212);
    assert.ok(ms < 3_000 + LATE_MS, `${ms} ms`);
    idle.destroy();
    for (const connection of [reader, writer]) connection.close();
  });
});
