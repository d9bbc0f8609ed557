import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ottla } from '../cli/captured-terminal.ts';
import { startTestNode, type TestNode } from '../server/test-node.ts';
import { KafkaPeer, kafkaTool, type ToolRun } from './kafka-peer.ts';

const pathOf = (name: string): string => fileURLToPath(new URL(`../golden/tls/${name}`, import.meta.url));
const text = (name: string): string => readFileSync(pathOf(name), 'utf8');

/** kcat, with a text on its stdin. */
function kcat(args: readonly string[], input = ''): Promise<ToolRun> {
  return new Promise((fulfil) => {
    const child = execFile('kcat', args, (error, stdout, stderr) =>
      fulfil({ status: error === null ? 0 : Number(error.code ?? 1), stdout, stderr }),
    );
    child.stdin?.end(input);
  });
}

/** Clients of others over TLS to our node, and our commands over TLS to a broker of Apache Kafka. Both ask for certificates and take the same files. */
describe('TLS with Apache Kafka 4.4', () => {
  const root = mkdtempSync(join(tmpdir(), 'ottla-peer-'));
  const serverStore = join(root, 'server.pem');
  const clientStore = join(root, 'client.pem');
  const client = join(root, 'client.properties');
  const nobody = join(root, 'nobody.properties');
  writeFileSync(serverStore, text('key.pem') + text('certificate.pem'));
  writeFileSync(clientStore, text('client-key.pem') + text('client.pem'));
  const trust = ['security.protocol=SSL', 'ssl.truststore.type=PEM', `ssl.truststore.location=${pathOf('certificate.pem')}`];
  writeFileSync(nobody, trust.join('\n'));
  writeFileSync(client, [...trust, 'ssl.keystore.type=PEM', `ssl.keystore.location=${clientStore}`].join('\n'));
  const serverProperties = {
    'ssl.keystore.type': 'PEM',
    'ssl.keystore.location': serverStore,
    'ssl.truststore.type': 'PEM',
    'ssl.truststore.location': pathOf('authority.pem'),
    'ssl.client.auth': 'required',
  };
  let node: TestNode;
  let server = '';

  before(async () => {
    node = await startTestNode({ properties: { ...serverProperties, listeners: 'PLAINTEXT://127.0.0.1:0,SSL://127.0.0.1:0' } });
    server = `127.0.0.1:${node.node.listeners.find(({ name }) => name === 'SSL')?.port}`;
  });
  after(async () => {
    await node.stop();
    rmSync(root, { recursive: true, force: true });
  });

  async function tool(name: string, ...args: readonly string[]): Promise<string> {
    const { status, stdout, stderr } = await kafkaTool(name, ...args);
    assert.equal(status, 0, `${name}: ${stderr}`);
    return stdout;
  }

  it("is spoken by Kafka's own tools: topics, producing, consuming", async () => {
    const connection = ['--bootstrap-server', server, '--command-config', client];
    await tool('TopicCommand', ...connection, '--create', '--topic', 'java', '--partitions', '2');
    assert.match(await tool('TopicCommand', ...connection, '--list'), /^java$/m);
    const load = ['--topic', 'java', '--num-records', '20000', '--record-size', '1000', '--throughput', '-1'];
    const produced = await tool('ProducerPerformance', ...load, '--bootstrap-server', server, '--command-config', client);
    assert.match(produced, /^20000 records sent/m);
    const asked = ['--topic', 'java', '--num-records', '20000', '--timeout', '20000'];
    const consumed = await tool('ConsumerPerformance', ...asked, ...connection);
    assert.match(consumed, /, 20000, /);
    const { status } = await kafkaTool('TopicCommand', '--bootstrap-server', server, '--command-config', nobody, '--list');
    assert.notEqual(status, 0, 'without a certificate nobody gets in');
  });

  it('is spoken by librdkafka', async () => {
    const files = [`ssl.ca.location=${pathOf('certificate.pem')}`, `ssl.certificate.location=${pathOf('client.pem')}`];
    const settings = ['security.protocol=ssl', ...files, `ssl.key.location=${pathOf('client-key.pem')}`];
    const connection = ['-b', server, ...settings.flatMap((setting) => ['-X', setting])];
    const lines = Array.from({ length: 5_000 }, (_, index) => `value ${index}\n`).join('');
    const produced = await kcat([...connection, '-P', '-t', 'rdkafka', '-p', '0', '-z', 'lz4'], lines);
    assert.equal(produced.status, 0, produced.stderr);
    const consumed = await kcat([...connection, '-C', '-t', 'rdkafka', '-p', '0', '-e', '-q']);
    assert.deepEqual([consumed.status, consumed.stdout === lines], [0, true], consumed.stderr);
  });

  it('is spoken by our commands with a broker of Kafka, by the same file', async (t) => {
    const kafka = await KafkaPeer.start({
      directory: join(root, 'kafka'),
      properties: {
        ...serverProperties,
        ...listenersOf(Number(process.env['KAFKA_PEER_PORT'] ?? 21_900)),
      },
    });
    t.after(() => kafka.stop());
    const done = async (args: readonly string[], input?: string): Promise<string> => {
      const run = await ottla([...args, '-b', `127.0.0.1:${kafka.port + 1}`, '--command-config', client], input);
      assert.equal(run.exit, 0, run.stderr);
      return run.stdout;
    };
    await done(['topics', 'create', 'ours', '-p', '1']);
    const lines = Array.from({ length: 2_000 }, (_, index) => `value ${index}\n`).join('');
    await done(['produce', 'ours'], lines);
    assert.equal(await done(['consume', 'ours', '--from', 'earliest', '--exit']), lines);
  });
});

/** One listener in the clear, as everywhere, and one beside it. */
function listenersOf(port: number): Readonly<Record<string, string>> {
  const listeners = `PLAINTEXT://127.0.0.1:${port},SSL://127.0.0.1:${port + 1}`;
  return {
    listeners: `${listeners},CONTROLLER://127.0.0.1:${port + 10_000}`,
    'advertised.listeners': listeners,
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,SSL:SSL,CONTROLLER:PLAINTEXT',
  };
}
