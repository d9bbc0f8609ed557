import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { after, describe, it } from 'node:test';
import { compress } from '../../src/protocol/compression/index.ts';
import { decodeResponse, encodeRequest } from '../../src/protocol/header.ts';
import { produce } from '../../src/protocol/messages/00-produce.ts';
import { listOffsets } from '../../src/protocol/messages/02-list-offsets.ts';
import { apiVersions } from '../../src/protocol/messages/18-api-versions.ts';
import { createTopics } from '../../src/protocol/messages/19-create-topics.ts';
import { buildBatch, frameBatch } from '../../src/protocol/records/record-batch-builder.ts';
import type { Api, RequestInput } from '../../src/protocol/schema.ts';
import { RawConnection } from '../conformance/raw-connection.ts';

const MiB = 2 ** 20;
const WITHIN_MS = 60_000;
const NOW = Date.now();

/** The node is a process of its own, so that its memory is its own and its turns are seen from outside. */
const node: ChildProcess = fork(new URL('./measured-node.ts', import.meta.url), ['{}'], { stdio: 'inherit' });
const exited = once(node, 'exit');
after(async () => {
  node.send('stop');
  await exited;
});

async function measured(what: 'port'): Promise<number>;
async function measured(what: 'memory'): Promise<{ readonly now: number; readonly peak: number }>;
async function measured(what: string): Promise<unknown> {
  node.send(what);
  const [answer] = await once(node, 'message');
  return answer;
}

const port = await measured('port');

async function ask<const A extends Api>(connection: RawConnection, api: A, version: number, request: RequestInput<A>) {
  connection.write(encodeRequest(api, version, { correlationId: 1, clientId: 'test' }, request));
  const frame = await connection.frame(WITHIN_MS);
  assert.ok(frame !== null, 'the node answers');
  return decodeResponse(api, version, frame).response;
}

/** Asks something small again and again while the work is done, and gives how often that was answered. */
async function answeredDuring(work: Promise<unknown>): Promise<number> {
  const connection = await RawConnection.open(port);
  const state = { isDone: false };
  const done = work.finally(() => (state.isDone = true));
  let count = 0;
  while (!state.isDone) {
    await ask(connection, apiVersions, 3, { clientSoftwareName: 'test', clientSoftwareVersion: '1' });
    count++;
  }
  connection.destroy();
  await done;
  return count;
}

async function makeTopic(name: string, numPartitions: number): Promise<string> {
  const connection = await RawConnection.open(port);
  const topics = [{ name, numPartitions, replicationFactor: 1, assignments: [], configs: [] }];
  const answer = await ask(connection, createTopics, 7, { topics, timeoutMs: WITHIN_MS });
  connection.destroy();
  assert.equal(answer.topics[0]?.errorCode, 0);
  return answer.topics[0].topicId;
}

describe('a node among hostile clients', () => {
  it('decompresses much in turns with requests, and has little of it in memory at a time', async () => {
    const count = 8;
    const topicId = await makeTopic('batches', count);
    const plain = buildBatch({ records: [{ timestamp: NOW, value: Buffer.alloc(100 * MiB) }] }).subarray(61);
    const header = { baseTimestamp: NOW, maxTimestamp: NOW, lastOffsetDelta: 0, recordsCount: 1 };
    const records = frameBatch(compress('gzip', plain), { ...header, codec: 'gzip' });
    const before = (await measured('memory')).peak;
    const sendBatch = async (index: number) => {
      const connection = await RawConnection.open(port);
      const topicData = [{ topicId, partitionData: [{ index, records }] }];
      const { responses } = await ask(connection, produce, 13, { transactionalId: null, acks: 1, timeoutMs: 1000, topicData });
      connection.destroy();
      assert.equal(responses[0]?.partitionResponses[0]?.errorCode, 0);
    };
    const answered = await answeredDuring(Promise.all(Array.from({ length: count }, (_, index) => sendBatch(index))));
    const grown = (await measured('memory')).peak - before;
    console.log(
      `8 batches of 100 MiB, ${records.length} bytes each: ${answered} answers, ${(grown / MiB).toFixed(0)} MiB at the most`,
    );
    // Each batch at once would be one turn, and all of them 800 MiB.
    assert.ok(answered > 10 * count, `${answered} answers meanwhile`);
    assert.ok(grown < 250 * MiB, `${grown} bytes`);
    const partitions = Array.from({ length: count }, (_, partitionIndex) => ({
      partitionIndex,
      currentLeaderEpoch: -1,
      timestamp: NOW,
    }));
    const connection = await RawConnection.open(port);
    const topics = [{ name: 'batches', partitions }];
    const found = await ask(connection, listOffsets, 10, { replicaId: -1, isolationLevel: 0, topics, timeoutMs: 0 });
    connection.destroy();
    assert.deepEqual(
      found.topics[0]?.partitions.map(({ errorCode, offset, timestamp }) => [errorCode, offset, timestamp]),
      partitions.map(() => [0, 0, NOW]),
    );
  });

  it('makes 500 partitions in turns with requests', async () => {
    const answered = await answeredDuring(makeTopic('partitions', 500));
    console.log(`500 partitions: ${answered} answers`);
    assert.ok(answered >= 10, `${answered} answers meanwhile`);
  });
});
