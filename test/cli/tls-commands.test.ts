import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startTestNode, type TestNode } from '../server/test-node.ts';
import { ottla, type Run } from './captured-terminal.ts';

const pathOf = (name: string): string => fileURLToPath(new URL(`../golden/tls/${name}`, import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'ottla-cli-'));
let node: TestNode;

before(async () => {
  node = await startTestNode({
    properties: {
      listeners: 'PLAINTEXT://127.0.0.1:0,SSL://127.0.0.1:0',
      'ssl.keystore.type': 'PKCS12',
      'ssl.keystore.location': pathOf('store.p12'),
      'ssl.keystore.password': 'secret',
      'ssl.client.auth': 'required',
      'ssl.truststore.type': 'PEM',
      'ssl.truststore.location': pathOf('authority.pem'),
    },
  });
});

after(async () => {
  await node.stop();
  rmSync(scratch, { recursive: true, force: true });
});

/** Runs a command over TLS, with a file of client configs. */
function run(properties: Readonly<Record<string, string>>, args: readonly string[], input?: string): Promise<Run> {
  const file = join(scratch, 'client.properties');
  writeFileSync(
    file,
    Object.entries({ 'security.protocol': 'SSL', ...properties })
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  );
  const port = node.node.listeners.find(({ name }) => name === 'SSL')?.port ?? 0;
  return ottla([...args, '--bootstrap-server', `127.0.0.1:${port}`, '--timeout', '2s', '--command-config', file], input);
}

const trust = { 'ssl.truststore.type': 'PEM', 'ssl.truststore.location': pathOf('certificate.pem') };
const alice = join(scratch, 'alice.pem');
writeFileSync(alice, readFileSync(pathOf('client-key.pem'), 'utf8') + readFileSync(pathOf('client.pem'), 'utf8'));
const known = { ...trust, 'ssl.keystore.type': 'PEM', 'ssl.keystore.location': alice };

test('commands speak TLS and show a certificate, with the client configs of Kafka', async () => {
  const made = await run(known, ['topics', 'create', 'secured', '-p', '1']);
  assert.deepEqual([made.exit, made.stderr], [0, '']);
  const produced = await run(known, ['produce', 'secured'], 'one\ntwo\n');
  assert.equal(produced.exit, 0, produced.stderr);
  const consumed = await run(known, ['consume', 'secured', '--from', 'earliest', '--exit']);
  assert.deepEqual([consumed.exit, consumed.stdout], [0, 'one\ntwo\n'], consumed.stderr);
});

test('what is in the way of TLS is said', async () => {
  const failures: readonly (readonly [Readonly<Record<string, string>>, RegExp])[] = [
    [trust, /127\.0\.0\.1:\d+: .*\n.*wants TLS or a certificate/],
    [
      { ...known, 'ssl.truststore.location': pathOf('authority.pem') },
      /Cannot connect to .*certificate.*\n {2}Look whether the listener speaks TLS/,
    ],
    [{ ...known, 'ssl.truststore.location': '/none.pem' }, /Failed to load PEM SSL truststore \/none\.pem/],
    [{ ...known, 'ssl.keystore.location': pathOf('client.pem') }, /No matching PRIVATE KEY entries/],
    [{ ...known, 'security.protocol': 'SASL_SSL' }, /security\.protocol=SASL_SSL is not spoken yet/],
    [{ ...known, 'security.protocol': 'PLAINTEXT' }, /127\.0\.0\.1:\d+: .*\n.*wants TLS or a certificate/],
  ];
  for (const [properties, message] of failures) {
    const { exit, stderr } = await run(properties, ['topics', 'list']);
    assert.equal(exit, 1);
    assert.match(stderr, message);
  }
});
