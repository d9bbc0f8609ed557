import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isFileRegion, type Part } from '../src/base/disk.ts';
import { decode, encode, encodeParts } from '../src/protocol/codec.ts';
import { produce } from '../src/protocol/messages/00-produce.ts';
import { fetch } from '../src/protocol/messages/01-fetch.ts';
import { buildBatch } from '../src/protocol/records/record-batch-builder.ts';
import type { Api } from '../src/protocol/schema.ts';
import { nodeDisk } from '../src/platform/node-disk.ts';
import { anonymous } from '../src/security/principal.ts';
import { simulatedEnvironment } from '../simulation/simulated-environment.ts';
import { idOf, TestBroker } from '../test/broker/test-broker.ts';

/**
 * Microseconds that one request costs between the decoded frame and the encoded answer, on a real disk: decode, handler, replica manager, log, encode.
 * `node bench/broker.ts`
 */

const ROUNDS = 5;
const ROUND_MS = 400;
const NONE = 'AAAAAAAAAAAAAAAAAAAAAA';

const directory = mkdtempSync(join(tmpdir(), 'ottla-bench-'));
const environment = { ...simulatedEnvironment(), disk: nodeDisk as never };
const broker = await TestBroker.start({ environment, logDirectory: directory });
const configs = { 'segment.bytes': String(1 << 30), 'retention.bytes': '-1' };
broker.createTopic('bench', { partitions: 1, configs });
broker.createTopic('many', { partitions: 100, configs });

const contextOf = (api: Api, apiVersion: number) => ({
  apiKey: api.key,
  apiVersion,
  correlationId: 1,
  clientId: 'bench',
  listenerName: 'PLAINTEXT',
  principal: anonymous,
  clientHost: '127.0.0.1',
  connectionId: 1,
  isPrivilegedListener: false,
});

const release = (parts: readonly Part[]): number => {
  let bytes = 0;
  for (const part of parts) {
    bytes += part.length;
    if (isFileRegion(part)) part.release();
  }
  return bytes;
};

/** A frame's body in, a frame's parts out; the frame is a fresh copy each time, as from a socket, because appends patch it. */
const requester = (api: Api, version: number, body: Buffer) => {
  const handler = broker.handlers.find((candidate) => candidate.api.key === api.key);
  if (handler === undefined) throw new Error(`no handler for ${api.name}`);
  const context = contextOf(api, version);
  return (): number => {
    const result = handler.handle(decode(api.request, version, Buffer.from(body)) as never, context);
    if (result instanceof Promise || typeof result === 'symbol') throw new Error('an answer was expected at once');
    return release(encodeParts(api.response, version, result));
  };
};

const measure = (name: string, work: () => number): void => {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    let runs = 0;
    while (performance.now() - start < ROUND_MS) {
      for (let run = 0; run < 20; run++) work();
      runs += 20;
    }
    best = Math.min(best, ((performance.now() - start) * 1e3) / runs);
  }
  console.log(`${name.padEnd(64)} ${best.toFixed(2).padStart(9)} us`);
};

const recordsOf = (count: number, bytes: number) =>
  buildBatch({
    records: Array.from({ length: count }, () => ({ key: null, value: Buffer.alloc(bytes, 'x'), timestamp: 1_767_225_600_000 })),
  });

const produceBody = (topic: string, partitions: number, records: Buffer) =>
  encode(produce.request, 13, {
    acks: -1,
    timeoutMs: 30_000,
    topicData: [{ topicId: idOf(topic), partitionData: Array.from({ length: partitions }, (_, index) => ({ index, records })) }],
  });

const fetchBody = (topic: string, partitions: number, fetchOffset: number, session: readonly [number, number]) =>
  encode(fetch.request, 17, {
    maxWaitMs: 0,
    minBytes: 1,
    sessionId: session[0],
    sessionEpoch: session[1],
    topics: [
      {
        topic: '',
        topicId: idOf(topic),
        partitions: Array.from({ length: partitions }, (_, partition) => ({
          partition,
          fetchOffset,
          partitionMaxBytes: 1 << 20,
          replicaDirectoryId: NONE,
        })),
      },
    ],
    forgottenTopicsData: [],
    rackId: '',
  });

try {
  measure('Produce, 1 partition, 1 record of 100 B', requester(produce, 13, produceBody('bench', 1, recordsOf(1, 100))));
  measure(
    'Produce, 1 partition, 140 records of 100 B (16 KiB)',
    requester(produce, 13, produceBody('bench', 1, recordsOf(140, 100))),
  );
  measure(
    'Produce, 1 partition, 127 records of 1 KB (128 KiB)',
    requester(produce, 13, produceBody('bench', 1, recordsOf(127, 1000))),
  );
  measure('Produce, 100 partitions, 1 record of 100 B each', requester(produce, 13, produceBody('many', 100, recordsOf(1, 100))));
  measure('Fetch, 1 partition, 1 MiB ready', requester(fetch, 17, fetchBody('bench', 1, 0, [0, -1])));
  const end = broker.replicaManager.byName('bench', 0).leaderLog.logEndOffset;
  measure('Fetch, 1 partition, nothing new', requester(fetch, 17, fetchBody('bench', 1, end, [0, -1])));
  measure('Fetch, 100 partitions with data', requester(fetch, 17, fetchBody('many', 100, 0, [0, -1])));
} finally {
  await broker.logManager.abandon();
  rmSync(directory, { recursive: true, force: true });
}
