import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { WireClient } from '../conformance/wire-client.ts';
import { KafkaPeer, kafkaTool } from './kafka-peer.ts';
import { OttlaProcess } from './ottla-process.ts';
import { beginSet } from './transactions/begin-set.ts';
import type { Request } from './transactions/conversation.ts';
import { realTime, recordConversation } from './transactions/record.ts';
import { repeatConversation } from './transactions/repeat-conversation.ts';
import * as say from './transactions/says.ts';
import { ScriptedTalker } from './transactions/scripted-talker.ts';
import { properties } from './transactions/sets.ts';
import type { Broker } from './transactions/side.ts';

type Ending = 'stop' | 'kill';
type Running = Pick<OttlaProcess, 'port'> & { readonly end: (ending: Ending) => Promise<void> };
type Start = (root: string) => Promise<Running>;

const startKafka: Start = async (root) => {
  const kafka = await KafkaPeer.start({ directory: root, properties });
  const end = async (ending: Ending): Promise<void> => {
    if (ending === 'stop') return kafka.stop();
    kafka.kill();
    while (await isListening(kafka.port));
  };
  return { port: kafka.port, end };
};

const isListening = async (port: number): Promise<boolean> => {
  try {
    (await WireClient.open(port)).close();
    return true;
  } catch {
    return false;
  }
};

const startOttla: Start = async (root) => {
  const ottla = await OttlaProcess.start({ directory: join(root, 'data'), properties });
  return { port: ottla.port, end: (ending) => ottla[ending]() };
};

/** A broker that is another one each time it is started, on the same directory. */
class Alternating implements Broker {
  readonly pass = realTime.pass;
  readonly now = realTime.now;
  readonly #root: string;
  readonly #starts: readonly Start[];
  readonly #ending: Ending;
  #running: Running | null = null;
  #count = 0;
  port = 0;

  constructor(root: string, starts: readonly Start[], ending: Ending) {
    this.#root = root;
    this.#starts = starts;
    this.#ending = ending;
  }

  readonly restart = async (): Promise<number> => {
    await this.end(this.#ending);
    const start = this.#starts[this.#count++ % this.#starts.length];
    assert.ok(start !== undefined);
    this.#running = await start(this.#root);
    this.port = this.#running.port;
    return this.port;
  };

  async end(ending: Ending): Promise<void> {
    await this.#running?.end(ending);
    this.#running = null;
  }
}

/** Brokers may take a while to start. */
const LONG_MS = 900_000;
const old = { version: 11 };
const again = (request: Request): Request => ({ ...request, afterRestart: true });

/** Transactions that are open while one broker ends and another one begins. */
const script: readonly Request[] = [
  say.create({ '#a': 2, '#b': 1 }),
  say.init({ timeoutMs: LONG_MS }),
  say.init({ of: '#u', timeoutMs: LONG_MS }),
  say.init({ of: '#v', version: 4, timeoutMs: LONG_MS }),
  say.init({ of: '#w', version: 4, timeoutMs: LONG_MS }),
  say.writeEach([{ values: ['t0', 't1'] }, { topic: '#b' }]),
  say.commitOffsets({ '#a': [[0, 10]] }),
  say.write({ id: '<2>', values: ['u0'] }, { as: '#u' }),
  say.end('commit', { of: '#u', id: '<2>' }),
  say.write({ id: '<2>', epoch: 1, values: ['u1'] }, { as: '#u' }),
  say.end('abort', { of: '#u', id: '<2>', epoch: 1 }),
  say.add({ '#a': [0, 1] }, { of: '#v', id: '<3>' }),
  say.write({ id: '<3>', values: ['v0'] }, { ...old, as: '#v' }),
  say.end('abort', { of: '#v', id: '<3>', version: 4 }),
  say.add({ '#a': [1] }, { of: '#w', id: '<4>' }),
  say.write({ partition: 1, id: '<4>', values: ['w0'] }, { ...old, as: '#w' }),
  again(say.list()),
  say.describe(['#t', '#u', '#v', '#w']),
  say.offsetsOf({ '#a': [0] }),
  say.write({ values: ['t2'], baseSequence: 2 }),
  say.end('commit'),
  say.end('commit'),
  say.offsetsOf({ '#a': [0] }),
  say.write({ partition: 1, id: '<4>', baseSequence: 1, values: ['w1'] }, { ...old, as: '#w' }),
  say.write({ epoch: 1, values: ['t3'] }),
  say.commitOffsets({ '#a': [[0, 20]] }, { epoch: 1 }),
  say.write({ id: '<2>', epoch: 2, values: ['u2'] }, { as: '#u' }),
  say.end('commit', { of: '#u', id: '<2>', epoch: 2 }),
  say.init({ of: '#x', timeoutMs: LONG_MS }),
  say.write({ topic: '#b', id: '<5>', values: ['x0'] }, { as: '#x' }),
  again(say.list()),
  say.describe(['#t', '#u', '#v', '#w', '#x']),
  say.end('abort', { of: '#w', id: '<4>', version: 4 }),
  say.end('commit', { epoch: 1 }),
  say.offsetsOf({ '#a': [0] }),
  say.init({ of: '#x', timeoutMs: LONG_MS }),
  say.init({ of: '#x', timeoutMs: LONG_MS }),
  say.write({ topic: '#b', id: '<5>', epoch: 2, values: ['x1'] }, { as: '#x' }),
  again(say.list()),
  say.end('commit', { of: '#x', id: '<5>', epoch: 2 }),
  say.read(),
  say.read({ partition: 1 }),
  say.read({ topic: '#b' }),
];

const filesOf = (directory: string, pattern: RegExp): string =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => pattern.test(name))
    .map((name) => join(directory, name))
    .join(',');

async function dump(files: string, ...options: readonly string[]): Promise<string> {
  assert.notEqual(files, '');
  const { status, stdout, stderr } = await kafkaTool('DumpLogSegments', ...options, '--files', files);
  assert.deepEqual([status, stderr], [0, '']);
  assert.doesNotMatch(stdout, /Error|skipping|isvalid: false|corrupt|Exception/);
  return stdout;
}

describe('a directory with transactions', () => {
  for (const ending of ['stop', 'kill'] as const) {
    it(`goes from Ottla to Apache Kafka and back while transactions are open, after a ${ending}`, {
      timeout: 600_000,
    }, async () => {
      const root = mkdtempSync(join(tmpdir(), 'ottla-peer-'));
      const kafka = new Alternating(join(root, 'kafka'), [startKafka], ending);
      const both = new Alternating(join(root, 'both'), [startOttla, startKafka], ending);
      try {
        await kafka.restart();
        await beginSet(kafka, [say.initIdle()]);
        const conversation = await recordConversation(kafka, new ScriptedTalker(`moves after a ${ending}`, script));
        await kafka.end('kill');
        await both.restart();
        await beginSet(both, [say.initIdle()]);
        assert.deepEqual(await repeatConversation(both, JSON.parse(JSON.stringify(conversation))), []);
        await both.end('stop');
        const data = join(root, 'both', 'data');
        const log = await dump(filesOf(data, /__transaction_state-0\/\d{20}\.log$/), '--transaction-log-decoder');
        assert.ok(
          [...log.matchAll(/"transactionalId":"[^"]+\.[tuvwx]"\}\} payload: \{"version":"1","data":\{"producerId":/g)].length >
            20,
        );
        await dump(filesOf(data, /\d{20}\.(snapshot|txnindex)$/));
      } finally {
        await both.end('kill');
        await kafka.end('kill');
        rmSync(root, { recursive: true, force: true });
      }
    });
  }
});
