/**
 * Asks a controller of Apache Kafka the whole scenario and writes what it answered, and which records it wrote, to the golden file:
 * `node test/controller/scenario/record.ts PORT CLUSTER_ID METADATA_LOG_DIRECTORY`. The controller has node.id 1 and no broker, and is
 * configured with metadata.max.idle.interval.ms=0, num.partitions=3, auto.leader.rebalance.enable=false and
 * broker.session.timeout.ms=5000.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { decodeMetadataRecord } from '../../../src/metadata/metadata-record-serde.ts';
import type { MetadataRecord } from '../../../src/metadata/metadata-record.ts';
import { decodeResponse, encodeRequest } from '../../../src/protocol/header.ts';
import { batchesOf } from '../../../src/protocol/records/batches.ts';
import { recordsOf } from '../../../src/protocol/records/record-iterator.ts';
import { Names, type Outcome, outcomeOf } from './mask.ts';
import { scenario } from './scenario.ts';
import { heartbeat } from './brokers.ts';
import { SESSION_TIMEOUT_MS, type Step } from './step.ts';

const [port = '', clusterId = '', directory = ''] = process.argv.slice(2);

let buffered = Buffer.alloc(0);
let waiting: ((frame: Buffer) => void) | null = null;

function takeFrame(): void {
  if (waiting === null || buffered.length < 4) return;
  const size = buffered.readInt32BE(0);
  if (buffered.length < 4 + size) return;
  const frame = buffered.subarray(4, 4 + size);
  buffered = buffered.subarray(4 + size);
  const give = waiting;
  waiting = null;
  give(frame);
}

function ask(socket: Socket, { api, version, request }: Step, names: Names): Promise<unknown> {
  const answered = new Promise<Buffer>((resolve) => {
    waiting = resolve;
  });
  socket.write(encodeRequest(api, version, { correlationId: 1, clientId: 'scenario' }, request(names)));
  return answered.then((frame) => decodeResponse(api, version, frame).response);
}

let readUpTo = 0;

function newRecords(): MetadataRecord[] {
  const records: MetadataRecord[] = [];
  for (const batch of batchesOf(readFileSync(`${directory}/00000000000000000000.log`))) {
    if (batch.baseOffset < readUpTo) continue;
    readUpTo = batch.lastOffset + 1;
    if (batch.isControl) continue;
    for (const { value } of recordsOf(batch)) if (value !== null) records.push(decodeMetadataRecord(value));
  }
  return records;
}

async function letSessionsEnd(keepAlive: readonly number[]): Promise<null> {
  for (let passedMs = 0; passedMs < SESSION_TIMEOUT_MS + 1500; passedMs += 300) {
    for (const brokerId of keepAlive) await ask(socket, heartbeat('alive', brokerId), names);
    await setTimeout(300);
  }
  return null;
}

const socket = connect(Number(port), '127.0.0.1');
socket.on('data', (chunk: Buffer) => {
  buffered = Buffer.concat([buffered, chunk]);
  takeFrame();
});
const names = new Names(clusterId);
newRecords();
const outcomes: Outcome[] = [];
for (const step of scenario) {
  const response = step.keepAlive === undefined ? await ask(socket, step, names) : await letSessionsEnd(step.keepAlive);
  const outcome = outcomeOf(names, `${step.api.name}: ${step.note}`, { response, records: newRecords() });
  outcomes.push(outcome);
  console.log(JSON.stringify(outcome));
}
socket.end();
const lines = outcomes.map((outcome) => JSON.stringify(outcome)).join(',\n');
writeFileSync(new URL('../../golden/controller/scenario.json.gz', import.meta.url), gzipSync(`[\n${lines}\n]\n`, { level: 9 }));
